-- What exists from the start: one command, highlight groups, previews by name. Everything else is loaded when used.
if vim.g.loaded_briefing then
  return
end
vim.g.loaded_briefing = 1

if vim.fn.has('nvim-0.11') == 0 then
  local function too_old()
    local v = vim.version()
    vim.notify(
      ('Briefing needs Neovim 0.11 or newer; this is %d.%d.%d'):format(v.major, v.minor, v.patch),
      vim.log.levels.ERROR
    )
  end
  -- Once at the start, and again for whoever asks.
  vim.api.nvim_create_user_command('Briefing', too_old, { nargs = '*' })
  vim.schedule(too_old)
  return
end

vim.api.nvim_create_user_command('Briefing', function(args)
  require('briefing.command').run(args)
end, {
  nargs = '*',
  bar = true,
  complete = function(lead, line, position)
    return require('briefing.command').complete(lead, line, position)
  end,
  desc = 'What coding agents are told before they touch this file',
})

-- Rules that Neovim knows no type for; a language server is started for buffers that have one.
local rules = {}
for name in ('clinerules cursorrules goosehints kilocoderules roorules rules windsurfrules'):gmatch('%a+') do
  rules['.' .. name] = 'markdown'
end
vim.filetype.add({
  extension = { mdc = 'markdown' },
  filename = rules,
  pattern = {
    ['%.clinerules%-.*'] = 'markdown',
    ['%.kilocoderules%-.*'] = 'markdown',
    ['%.roorules%-.*'] = 'markdown',
  },
})

---@type table<string, vim.api.keyset.highlight>
local groups = {
  BriefingTitle = { link = 'Title' },
  BriefingHarness = { link = 'Function' },
  BriefingKey = { link = 'Special' },
  BriefingHint = { link = 'Comment' },
  BriefingPath = { link = 'Directory' },
  BriefingSize = { link = 'Number' },
  BriefingBar = { link = 'DiagnosticInfo' },
  BriefingReason = { link = 'Comment' },
  BriefingWarning = { link = 'DiagnosticWarn' },
  BriefingRefusal = { link = 'DiagnosticError' },
  -- Fates.
  BriefingLoaded = { link = 'DiagnosticOk' },
  BriefingTruncated = { link = 'DiagnosticWarn' },
  BriefingShadowed = { link = 'DiagnosticWarn' },
  BriefingDropped = { link = 'DiagnosticError' },
  BriefingUnreadable = { link = 'DiagnosticError' },
  BriefingPending = { link = 'DiagnosticInfo' },
  BriefingEmpty = { link = 'Comment' },
  BriefingExcluded = { link = 'Comment' },
  BriefingMissing = { link = 'Comment' },
  -- In instruction files: text that the model never sees, and the note where it begins.
  BriefingLost = { link = 'DiagnosticUnnecessary' },
  BriefingCut = { link = 'DiagnosticVirtualTextWarn' },
  -- Lines that one of several agents does not get.
  BriefingMissed = { link = 'DiagnosticSignWarn' },
}

local function highlight()
  for name, group in pairs(groups) do
    vim.api.nvim_set_hl(0, name, vim.tbl_extend('force', { default = true }, group))
  end
end
highlight()

local group = vim.api.nvim_create_augroup('briefing', {})
local function on(event, opts)
  vim.api.nvim_create_autocmd(event, vim.tbl_extend('force', { group = group }, opts))
end

on('ColorScheme', { callback = highlight, desc = 'Briefing: highlight groups' })
on('BufReadCmd', {
  pattern = 'briefing:/*',
  callback = function(event)
    require('briefing.preview').read(event.buf, event.match)
  end,
  desc = 'Briefing: previews by name',
})
on('LspAttach', {
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'briefing' then
      require('briefing.live').attached(client, event.buf)
    end
  end,
  desc = 'Briefing: a buffer is attached',
})
on('FileType', {
  once = true,
  callback = function()
    require('briefing.server').check_command()
  end,
  desc = 'Briefing: tell once when the program of the settings is missing',
})
