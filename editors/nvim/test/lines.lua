-- Who reads which line, and what goes on while instructions are read, moved, deleted and made.
local t = require('harness')
local p = require('project')
local it, eventually, same, has, text, write = t.it, t.eventually, t.same, t.has, t.text, t.write
local agents, nested, source, long = p.agents, p.nested, p.source, p.long
local client, edit, shows, buffer = p.client, p.edit, p.shows, p.buffer

--- The lines that have a sign, the first and the last.
---@param buf integer
local function marked(buf)
  local ns = vim.api.nvim_get_namespaces()['briefing.marks']
  local marks = ns and vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, {}) or {}
  return #marks > 0 and { marks[1][2], marks[#marks][2] } or nil
end

--- The inlay hints that say who reads a heading.
---@param buf integer
local function readers(buf)
  local found = {}
  for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = buf })) do
    local label = hint.inlay_hint.label
    if not label:find('✂', 1, true) and not label:find('%', 1, true) then
      table.insert(found, hint.inlay_hint.position.line + 1 .. ' ' .. label)
    end
  end
  return found
end

it('headings say who reads them, and lines that one of several agents lacks have a sign', function()
  t.tidy()
  write(p.root .. '/CLAUDE.md', '@AGENTS.md\n')
  write(agents, '# House rules\n\n' .. long .. '\n## Below the cut\n\n- One more.\n')
  vim.cmd('Briefing harness codex claude-code')
  local buf = edit(agents)
  eventually('the hints', function()
    return vim.deep_equal(readers(buf), {
      '1 Codex and Claude Code at start',
      '704 Claude Code at start; not Codex',
    })
  end)
  local at = eventually('the signs', function()
    return marked(buf)
  end)
  assert(vim.api.nvim_buf_get_offset(buf, at[1]) <= 32768 and vim.api.nvim_buf_get_offset(buf, at[1] + 1) > 32768)
  same(at[2], vim.api.nvim_buf_line_count(buf) - 1, 'the last line')
  vim.api.nvim_buf_set_lines(buf, 5, 600, false, {})
  eventually('no signs', function()
    return not marked(buf)
  end)
  vim.cmd('edit!')
  vim.fn.delete(p.root .. '/CLAUDE.md')
  write(agents, 'Write tests.\n')
  vim.cmd('Briefing harness -')
end)

it('a rule for some files has lenses and hints, and its hover says that it waits', function()
  t.tidy()
  local rule = p.root .. '/.claude/rules/rust.md'
  write(rule, '---\npaths: "**/*.rs"\n---\n# Rust\n\n- No unwrap.\n')
  vim.cmd('Briefing harness claude-code')
  local buf = edit(rule)
  eventually('the hint', function()
    return vim.deep_equal(readers(buf), { '4 Claude Code on read' })
  end)
  eventually('a lens', function()
    return #vim.lsp.codelens.get(vim.fn.has('nvim-0.12') == 1 and { bufnr = buf } or buf) > 0
  end)
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) }, position = { line = 0, character = 0 } }
  local answer = client():request_sync('textDocument/hover', params, 10000, buf)
  local hover = answer and answer.result and answer.result.contents.value or ''
  has(hover, 'Claude Code reads this file whole once it reads a file that it is for.')
  vim.fn.delete(p.root .. '/.claude', 'rf')
  vim.cmd('Briefing harness -')
end)

it('why from inside a nested file says what show says of it', function()
  t.tidy()
  vim.cmd('Briefing harness opencode')
  edit(nested)
  vim.cmd('Briefing why')
  local shown = shows('briefing-view://why', 'OpenCode')
  has(shown, 'at the start of a session, or when an agent reads a file beside it')
  eventually('it is loaded', function()
    return text(buffer('briefing-view://why')):find('● loaded', 1, true)
  end)
  vim.cmd('Briefing harness -')
end)

it('each tab page has a view of its own', function()
  t.tidy()
  edit(source)
  vim.cmd('Briefing show')
  shows('briefing-view://show', 'before they read src/main.rs')
  local first = vim.api.nvim_get_current_buf()
  vim.cmd.tabnew()
  edit(agents)
  vim.cmd('Briefing show')
  local second = vim.api.nvim_get_current_buf()
  assert(first ~= second, 'one view for both')
  shows('briefing-view://show/2', 'before they read AGENTS.md')
  has(text(first), 'before they read src/main.rs')
  -- A second time in one tab page it is the same view.
  vim.cmd.wincmd('p')
  vim.cmd('Briefing show')
  same(vim.api.nvim_get_current_buf(), second)
end)

it('a narrow window has fewer columns, and no line of a file wraps', function()
  t.tidy()
  vim.api.nvim_buf_set_lines(edit(agents), 0, -1, false, vim.split(vim.trim(long), '\n'))
  edit(source)
  vim.cmd('Briefing show')
  has(shows('briefing-view://show', '◐ cut'), 'scope')
  for _, width in ipairs({ 60, 40 }) do
    vim.o.columns = width
    vim.api.nvim_exec_autocmds('VimResized', {})
    eventually(width .. ' columns', function()
      local shown = text()
      return not shown:find('scope', 1, true)
        and shown:find('◐ cut', 1, true)
        and vim.iter(vim.split(shown, '\n')):all(function(line)
          return not line:match('^  [●◐○·] ') or vim.fn.strdisplaywidth(line) <= width
        end)
    end)
  end
  vim.o.columns = 110
  vim.api.nvim_exec_autocmds('VimResized', {})
  eventually('all columns again', function()
    return text():find('scope', 1, true)
  end)
  vim.cmd.close()
  vim.cmd('vertical Briefing show')
  eventually('fewer in half of it', function()
    local line = text():match('[^\n]*◐ cut[^\n]*')
    return line and vim.fn.strdisplaywidth(line) <= vim.api.nvim_win_get_width(0)
  end)
  vim.cmd.only()
  vim.cmd.edit({ agents, bang = true })
end)

it('a deleted file whose buffer is open loses its findings, and gets them back with it', function()
  t.tidy()
  local file = p.root .. '/GEMINI.md'
  local wrong = 'A zero\u{200b}width space.\n'
  write(file, wrong)
  vim.cmd('Briefing harness gemini-cli')
  local buf = edit(file)
  eventually('a finding', function()
    return #vim.diagnostic.get(buf) > 0
  end)
  vim.fn.delete(file)
  vim.api.nvim_exec_autocmds('FocusGained', {})
  eventually('no finding', function()
    return #vim.diagnostic.get(buf) == 0
  end)
  write(file, wrong)
  vim.api.nvim_exec_autocmds('FocusGained', {})
  eventually('the finding again', function()
    return #vim.diagnostic.get(buf) > 0
  end)
  vim.fn.delete(file)
  vim.cmd('Briefing harness -')
end)

it('an import is followed from its mark on, and renamed with its file', function()
  t.tidy()
  write(p.root .. '/CLAUDE.md', '# Rules\n\n@docs/style.md\n')
  write(p.root .. '/docs/style.md', 'Short names.\n')
  vim.cmd('Briefing harness claude-code')
  local buf = edit(p.root .. '/CLAUDE.md')
  local at = { textDocument = { uri = vim.uri_from_bufnr(buf) }, position = { line = 2, character = 0 } }
  local answer = client():request_sync('textDocument/definition', at, 10000, buf)
  same(vim.uri_to_fname(answer.result[1].uri), p.root .. '/docs/style.md')
  vim.api.nvim_win_set_cursor(0, { 3, 4 })
  vim.lsp.buf.rename('docs/names.md')
  eventually('the new name', function()
    return vim.uv.fs_stat(p.root .. '/docs/names.md') and text(buf):find('@docs/names.md', 1, true)
  end)
  same(vim.uv.fs_stat(p.root .. '/docs/style.md'), nil)
  vim.cmd('edit!')
  for _, name in ipairs({ 'CLAUDE.md', 'docs' }) do
    vim.fn.delete(p.root .. '/' .. name, 'rf')
  end
  vim.cmd('Briefing harness -')
end)

--- Applies the action whose title has this part.
local function apply(title, kind)
  vim.lsp.buf.code_action({
    apply = true,
    context = { only = { kind }, diagnostics = {} },
    filter = function(action)
      return action.title:find(title, 1, true) ~= nil
    end,
  })
end

it('files that a fix makes are announced, and taken back with what else it changed', function()
  t.tidy()
  local section = '# House\n\n- One.\n\n## Testing\n\n'
  section = section .. ('- Test all of it, every time.\n'):rep(20) .. '\n## Style\n\nShort names.\n'
  write(agents, section)
  local buf = edit(agents)
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  eventually('the fix', function()
    apply('and point to it', 'refactor.extract')
    return vim.wait(500, function()
      return #t.said('created docs/testing.md; :Briefing undo takes it back') > 0
    end, 20)
  end)
  assert(not text(buf):find('every time', 1, true), 'the section stays')
  vim.cmd('Briefing undo')
  same(text(buf) .. '\n', section)
  same(vim.uv.fs_stat(p.root .. '/docs/testing.md'), nil)
  same(vim.fn.bufexists(p.root .. '/docs/testing.md'), 0)
  t.notices = {}
  vim.cmd('Briefing undo')
  same(t.notices, { 'Briefing: there is no fix that created a file' })
  write(agents, 'Write tests.\n')
  vim.cmd('edit!')
end)

it('a plan is asked about with its proof, and applied after a yes', function()
  t.tidy()
  local rule = 'Never log personal data in any of the services.\n'
  write(agents, '# House rules\n\n' .. rule)
  write(p.root .. '/CLAUDE.md', '# House rules\n\n' .. rule .. '\nUse the shell tool for searches.\n')
  vim.cmd('Briefing harness codex claude-code')
  local buf = edit(agents)
  local asked
  local select = vim.ui.select
  local confirm = vim.fn.confirm
  ---@diagnostic disable-next-line: duplicate-set-field
  vim.ui.select = function(items, opts, chosen)
    asked = opts.prompt
    chosen(items[1], 1)
  end
  ---@diagnostic disable-next-line: duplicate-set-field
  vim.fn.confirm = function(prompt)
    asked = prompt
    return 1
  end
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  eventually('the plan', function()
    apply('Plan one AGENTS.md for all agents', 'refactor.rewrite')
    return vim.wait(4000, function()
      return asked ~= nil
    end, 20)
  end)
  vim.ui.select, vim.fn.confirm = select, confirm
  has(asked, 'nothing is lost')
  has(asked, 'CLAUDE.md imports AGENTS.md')
  local claude = vim.fn.bufnr(p.root .. '/CLAUDE.md')
  eventually('the import', function()
    claude = vim.fn.bufnr(p.root .. '/CLAUDE.md')
    return claude > 0 and vim.startswith(text(claude), '@')
  end)
  assert(vim.api.nvim_buf_is_valid(buf))
  vim.fn.delete(p.root .. '/CLAUDE.md')
  write(agents, 'Write tests.\n')
  vim.cmd('Briefing harness -')
end)

it('lists have the agents that are used here first, by their titles', function()
  t.tidy()
  edit(source)
  local first = require('briefing.live').harnesses()[1]
  same(first.id, 'codex', 'the one that has been run here')
  local offered, said
  local select = vim.ui.select
  ---@diagnostic disable-next-line: duplicate-set-field
  vim.ui.select = function(items, opts)
    offered, said = items, opts.format_item(items[1])
  end
  vim.cmd('Briefing preview')
  vim.ui.select = select
  same({ offered[1], said }, { 'codex', 'Codex' })
  same(vim.fn.getcompletion('Briefing preview ', 'cmdline')[1], 'codex')
end)

t.finish()
