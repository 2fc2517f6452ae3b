--- `:checkhealth briefing`
local M = {}

function M.check()
  local health = vim.health
  local server = require('briefing.server')
  health.start('Briefing')
  if vim.fn.has('nvim-0.11') == 0 then
    health.error('Neovim 0.11 or newer is needed, this is ' .. tostring(vim.version()))
    return
  end
  health.ok('Neovim ' .. tostring(vim.version()))

  local _, problems = require('briefing.config').read()
  for _, problem in ipairs(problems) do
    health.error(problem)
  end
  if #problems == 0 then
    health.ok('settings: ' .. (vim.g.briefing and 'vim.g.briefing is well formed' or 'the defaults'))
  end

  local ok, config = pcall(function()
    return vim.lsp.config[server.NAME]
  end)
  if not ok or not config then
    health.error(
      'lsp/briefing.lua is not on the runtimepath',
      { 'Put `editors/nvim` on it: see :help briefing-install' }
    )
    return
  end
  local binary, tried = server.binary()
  if type(config.cmd) == 'table' then
    binary, tried = config.cmd[1], { config.cmd[1] .. ' (vim.lsp.config.briefing.cmd)' }
  end
  local version = binary and vim.fn.executable(binary) == 1 and vim.fn.system({ binary, '--version' })
  if version and vim.v.shell_error == 0 then
    health.ok(('program: %s, %s'):format(binary, vim.trim(version)))
  else
    health.error('no program; looked for ' .. table.concat(tried, ', '), {
      'cargo install --path . in the repository, or the build step of your plugin manager',
      "vim.g.briefing = { binary = '/path/to/briefing' }",
    })
    return
  end

  if vim.lsp.is_enabled and not vim.lsp.is_enabled(server.NAME) then
    health.warn('not enabled', { "vim.lsp.enable('briefing')" })
  end
  local client = server.client()
  if client and client.initialized then
    local folders = vim.tbl_map(function(folder)
      return vim.uri_to_fname(folder.uri)
    end, client.workspace_folders or {})
    health.ok(
      ('server %s runs for %d buffers in %s'):format(
        client.server_info and client.server_info.version or '?',
        vim.tbl_count(client.attached_buffers),
        #folders > 0 and table.concat(folders, ', ') or 'no workspace folder'
      )
    )
    local status = client:request_sync('briefing/status', nil, 2000)
    if status and status.result then
      local s = status.result
      health.info(
        ('%d facts, %d answers remembered, %d directories watched'):format(s.facts, s.answers, s.watchedDirectories)
      )
    else
      health.error('the server does not answer', { ':Briefing restart', ':Briefing log' })
    end
    local ids = vim.tbl_map(function(harness)
      return harness.id
    end, require('briefing.live').harnesses())
    health.info('harnesses: ' .. table.concat(ids, ', '))
  else
    health.info('no server runs yet; it starts with the first file')
  end
  health.info('assuming ' .. require('briefing.assume').words())
end

return M
