---@brief
---
--- Briefing shows exactly what a coding agent is told before it touches a file.
---
--- `vim.lsp.enable('briefing')` is all there is to write. The program is looked for in `vim.g.briefing.binary`, beside
--- this plugin (where a plugin manager's build step leaves it), and on PATH. See |briefing|.
---
--- Every file gets the one server: any file may be what an agent reads next, and the unsaved text of every
--- instruction file counts.

---@type vim.lsp.Config
return {
  cmd = function(dispatchers)
    return require('briefing.server').spawn(dispatchers)
  end,
  root_dir = function(bufnr, on_dir)
    require('briefing.server').root_dir(bufnr, on_dir)
  end,
  reuse_client = function(client, config)
    return require('briefing.server').reuse(client, config)
  end,
  before_init = function(params, config)
    require('briefing.server').before_init(params, config)
  end,
  on_exit = function(code, signal, id)
    require('briefing.server').on_exit(code, signal, id)
  end,
  -- An answer may be asked for right after an edit of another buffer: nothing is held back.
  flags = { debounce_text_changes = 0 },
}
