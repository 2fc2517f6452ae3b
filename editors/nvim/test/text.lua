-- What stands in instruction files themselves: diagnostics, faded text, notes, lenses, hovers.
local t = require('harness')
local p = require('project')
local it, eventually, same, has, text = t.it, t.eventually, t.same, t.has, t.text
local agents, nested, source, long = p.agents, p.nested, p.source, p.long
local client, edit, buffer = p.client, p.edit, p.buffer

--- The plugin's own marks in a buffer, of one kind.
---@param buf integer
---@param kind string
local function marks(buf, kind)
  local ns = vim.api.nvim_get_namespaces()['briefing.cuts']
  return vim.tbl_filter(function(mark)
    return mark[4][kind] ~= nil
  end, ns and vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true }) or {})
end

it('text that is cut gets a diagnostic, is faded, and has a note where it begins', function()
  t.tidy()
  local buf = edit(agents)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(vim.trim(long), '\n'))
  local found = eventually('a diagnostic', function()
    return vim.diagnostic.get(buf)[1]
  end)
  same(found.source, 'briefing')
  same(found.user_data.lsp.data.harness, 'codex')
  same(found.code, 'over-budget')
  local faded = eventually('faded text', function()
    return vim.iter(marks(buf, 'hl_group')):find(function(mark)
      return mark[4].hl_group == 'BriefingLost'
    end)
  end)
  -- The budget of 32768 bytes ends inside this line; positions in the buffer count what stands before.
  same(vim.api.nvim_buf_get_offset(buf, faded[2]) + faded[3], 32768, 'first faded byte')
  same(faded[4].end_row, vim.api.nvim_buf_line_count(buf) - 1, 'faded to the end')
  local note = eventually('an inlay hint at the cut', function()
    return vim.iter(vim.lsp.inlay_hint.get({ bufnr = buf })):find(function(hint)
      return hint.inlay_hint.label:find('cut from here to the end', 1, true)
    end)
  end)
  has(note.inlay_hint.label, '✂ Codex: ')
  local line = vim.api.nvim_buf_get_lines(buf, faded[2], faded[2] + 1, false)[1]
  same({ note.inlay_hint.position.line, note.inlay_hint.position.character }, { faded[2], #line }, 'at its end')
  same(#marks(buf, 'virt_text'), 0, 'no second note')
  assert(vim.api.nvim_get_hl(0, { name = 'BriefingLost', link = false }).fg, 'BriefingLost has no color')
  vim.cmd.colorscheme('habamax')
  assert(vim.api.nvim_get_hl(0, { name = 'BriefingLost', link = false }).fg, 'no color after :colorscheme')
end)

it('somebody who has inlay hints off still gets the note', function()
  local buf = buffer('project/AGENTS.md')
  vim.lsp.inlay_hint.enable(false, { bufnr = buf })
  require('briefing.cuts').draw(buf)
  has(marks(buf, 'virt_text')[1][4].virt_text[1][1], '✂ Cut from here to the end')
  vim.lsp.inlay_hint.enable(true, { bufnr = buf })
end)

it('the marks go when the text fits again', function()
  local buf = buffer('project/AGENTS.md')
  vim.api.nvim_buf_set_lines(buf, 5, -1, false, {})
  local ns = vim.api.nvim_get_namespaces()['briefing.cuts']
  eventually('no marks', function()
    return #vim.diagnostic.get(buf) == 0 and #vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, {}) == 0
  end)
  vim.cmd('edit!')
end)

it('what is wrong but not lost is underlined, what is lost is only faded', function()
  t.tidy()
  local buf = edit(agents)
  local function groups(tag)
    vim.diagnostic.set(vim.lsp.diagnostic.get_namespace(client().id), buf, {
      { lnum = 0, col = 0, end_lnum = 0, end_col = 5, message = 'x', severity = 2, _tags = { unnecessary = tag } },
    })
    local found = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })) do
      if mark[4].hl_group then
        table.insert(found, mark[4].hl_group)
      end
    end
    return found
  end
  same(groups(nil), { 'DiagnosticUnderlineWarn' })
  same(groups(true), { 'BriefingLost' })
  vim.diagnostic.reset()
end)

--- The hover on the first line, as the real float shows it.
local function hovered()
  vim.lsp.buf.hover()
  local float = eventually('a float', function()
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        return win
      end
    end
  end)
  local shown = text(vim.api.nvim_win_get_buf(float))
  local height = vim.api.nvim_win_text_height(float, {}).all
  vim.api.nvim_win_close(float, true)
  return shown, height
end

it('a hover says in a sentence who reads an instruction file, and in twelve lines what becomes of it', function()
  t.tidy()
  edit(agents)
  vim.cmd('Briefing harness codex claude-code opencode')
  local shown, height
  eventually('the sentence', function()
    shown, height = hovered()
    return vim.startswith(shown, 'Codex, Claude Code and OpenCode read this file whole.')
  end)
  assert(height <= 12, ('%d lines:\n%s'):format(height, shown))
  -- On a narrow screen as well.
  vim.o.columns = 80
  edit(source)
  shown, height = hovered()
  has(shown, 'Before this file is read, Codex is told 2 files')
  assert(height <= 12, ('%d lines:\n%s'):format(height, shown))
  vim.o.columns = 110
  vim.cmd('Briefing harness -')
end)

it('rules that Neovim knows no type for get the server as well', function()
  local page = t.read(vim.env.PLUGIN .. '/../README.md')
  local names = vim.split(page:match('<!%-%- patterns %-%->\n```text\n(.-)\n```'), ';')
  assert(#names > 20, 'no names')
  for _, name in ipairs(vim.list_extend(names, { 'rule.mdc' })) do
    same(vim.filetype.match({ filename = (name:gsub('%*', 'code')) }), 'markdown', name)
  end
end)

it('inlay hints and code lenses are on in instruction files', function()
  t.tidy()
  local buf = edit(agents)
  eventually('inlay hints', function()
    return vim.lsp.inlay_hint.is_enabled({ bufnr = buf })
  end)
  local lenses = eventually('lenses', function()
    -- Neovim 0.11 wants the number alone.
    local found = vim.lsp.codelens.get(vim.fn.has('nvim-0.12') == 1 and { bufnr = buf } or buf)
    return #found > 0 and found
  end)
  has((lenses[1].lens or lenses[1]).command.title, 'Codex: ')
end)

it(':Briefing cwd changes hovers and diagnostics at once', function()
  t.tidy()
  local buf = edit(nested)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(vim.trim(long), '\n'))
  local function found()
    local diagnostic = vim.iter(vim.diagnostic.get(buf)):find(function(one)
      return one.code == 'over-budget' and not vim.startswith(one.message, 'not loaded')
    end)
    return diagnostic and diagnostic.message or ''
  end
  local function follows(sentence, message)
    has((hovered()), sentence)
    eventually(message, function()
      return vim.startswith(found(), message)
    end)
  end
  eventually('the diagnostic', function()
    return found() ~= ''
  end)
  follows('Codex reads this file only if started in src; ', 'If started in src: Codex cuts')
  vim.cmd('Briefing cwd src')
  follows('Codex reads 32 7', 'Codex cuts')
  vim.cmd('Briefing cwd -')
  follows('Codex reads this file only if started in src; ', 'If started in src: Codex cuts')
  vim.cmd('edit!')
end)

t.finish()
