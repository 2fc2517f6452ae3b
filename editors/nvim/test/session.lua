-- A whole session in a real Neovim with the real server.
local t = require('harness')
local it, eventually, same, has, text, write = t.it, t.eventually, t.same, t.has, t.text, t.write

local root = vim.uv.fs_realpath(vim.env.SCRATCH) .. '/project'
local agents, nested, source = root .. '/AGENTS.md', root .. '/src/AGENTS.md', root .. '/src/main.rs'
local rules = {}
for number = 1, 700 do
  table.insert(rules, ('- rule %d: say why, not what, and keep every function short enough\n'):format(number))
end
local long = table.concat(rules)
write(vim.env.HOME .. '/.codex/AGENTS.md', 'Be brief.\n')
write(root .. '/.git/HEAD', 'ref: refs/heads/main\n')
write(agents, 'Write tests.\n')
write(nested, 'Sources live here.\n')
write(source, 'fn main() {}\n')
vim.cmd.cd(root)

--- How often the server is asked for changes; hardly ever, where a test is about what is noticed without.
local function poll(ms)
  vim.g.briefing = vim.tbl_extend('force', vim.g.briefing, { poll_ms = ms })
  require('briefing.live').watch()
end

local function client()
  local found = vim.lsp.get_clients({ name = 'briefing' })[1]
  return found and found.initialized and found or nil
end

local function edit(path)
  vim.cmd.edit(vim.fn.fnameescape(path))
  local buf = vim.api.nvim_get_current_buf()
  eventually('attached to ' .. path, function()
    return client() and vim.lsp.buf_is_attached(buf, client().id)
  end)
  return buf
end

--- The text of the view or preview whose name has this part, once it contains `part`.
local function shows(name, part)
  return eventually(('%s in %s'):format(part, name), function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      local full = vim.api.nvim_buf_get_name(buf)
      if full:find(name, 1, true) and text(buf):find(part, 1, true) then
        return text(buf)
      end
    end
  end)
end

local function buffer(name)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf):find(name, 1, true) then
      return buf
    end
  end
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'mx', false)
end

--- Puts the cursor of the current window on the first line with this part.
local function on_line(part)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find(part, 1, true) then
      return vim.api.nvim_win_set_cursor(0, { row, 0 })
    end
  end
  error('no line with ' .. part .. ' in\n' .. text())
end

local function effective(buf, opts)
  local err, result, calls = nil, nil, 0
  require('briefing').effective(buf, opts, function(e, r)
    err, result, calls = e, r, calls + 1
  end)
  eventually('an answer', function()
    return calls > 0
  end)
  same(calls, 1, 'calls')
  return err, result
end

local function command_line(...)
  local got = vim.system({ vim.env.BRIEFING, 'show', ... }, { cwd = root }):wait()
  assert(got.code == 0, got.stderr)
  return got.stdout
end

--- Everything of a buffer, byte for byte.
local function bytes(buf)
  return text(buf) .. (vim.bo[buf].endofline and '\n' or '')
end

it('one line in the settings starts one server for the first file', function()
  edit(source)
  same(client().root_dir, root)
  same(client().server_info.name, 'briefing')
end)

it('every buffer shares that server, also from another repository, whose folder is added', function()
  write(vim.env.SCRATCH .. '/other/.git/HEAD', 'ref: refs/heads/main\n')
  write(vim.env.SCRATCH .. '/other/AGENTS.md', 'Other rules.\n')
  edit(agents)
  local other = edit(vim.uv.fs_realpath(vim.env.SCRATCH) .. '/other/AGENTS.md')
  same(#vim.lsp.get_clients({ name = 'briefing' }), 1, 'servers')
  same(#client().workspace_folders, 2, 'folders')
  local _, result = effective(other, { harness = 'codex' })
  same(vim.fs.basename(result.briefings[1].standpoint.cwd), 'other', 'started in')
end)

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
    return marks(buf, 'hl_group')[1]
  end)
  -- The budget of 32768 bytes ends inside this line; positions in the buffer count what stands before.
  same(vim.api.nvim_buf_get_offset(buf, faded[2]) + faded[3], 32768, 'first faded byte')
  same(faded[4].hl_group, 'BriefingLost')
  same(faded[4].end_row, vim.api.nvim_buf_line_count(buf) - 1, 'faded to the end')
  local note = eventually('an inlay hint at the cut', function()
    return vim.iter(vim.lsp.inlay_hint.get({ bufnr = buf })):find(function(hint)
      return hint.inlay_hint.label:find('lost from here to the end', 1, true)
    end)
  end)
  has(note.inlay_hint.label, '✂ codex: ')
  same({ note.inlay_hint.position.line, note.inlay_hint.position.character }, { faded[2], faded[3] }, 'at the cut')
  same(#marks(buf, 'virt_text'), 0, 'no second note')
  assert(vim.api.nvim_get_hl(0, { name = 'BriefingLost', link = false }).fg, 'BriefingLost has no color')
  vim.cmd.colorscheme('habamax')
  assert(vim.api.nvim_get_hl(0, { name = 'BriefingLost', link = false }).fg, 'no color after :colorscheme')
end)

it('somebody who has inlay hints off still gets the note', function()
  local buf = buffer('project/AGENTS.md')
  vim.lsp.inlay_hint.enable(false, { bufnr = buf })
  require('briefing.cuts').draw(buf)
  has(marks(buf, 'virt_text')[1][4].virt_text[1][1], 'codex: lost from here to the end')
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

it('a hover says who reads an instruction file', function()
  t.tidy()
  edit(agents)
  vim.lsp.buf.hover()
  local float = eventually('a float', function()
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        return win
      end
    end
  end)
  has(text(vim.api.nvim_win_get_buf(float)), 'codex')
  vim.api.nvim_win_close(float, true)
end)

it(':Briefing show lists the sources with fates and sizes, in aligned columns', function()
  t.tidy()
  edit(source)
  poll(60000)
  vim.cmd('Briefing show')
  local shown = shows('briefing-view://show', 'codex')
  has(shown, 'Told before an agent reads src/main.rs')
  has(shown, 'exact')
  local starts = {}
  for _, line in ipairs(vim.split(shown, '\n')) do
    local at = line:find('at start', 1, true)
    if at then
      starts[vim.fn.strdisplaywidth(line:sub(1, at))] = true
    end
    if line:find('AGENTS.md', 1, true) and line:find('loaded', 1, true) and not line:find('~', 1, true) then
      has(line, '● loaded')
      has(line, '13 B')
    end
  end
  same(vim.tbl_count(starts), 1, 'columns of `at start`')
  has(shown, '~/.codex/AGENTS.md')
  has(vim.wo.winbar, 'open')
end)

it('the view follows an edit that is not saved, and the cursor stays on its line', function()
  on_line('openclaw')
  local row, win = vim.api.nvim_win_get_cursor(0)[1], vim.api.nvim_get_current_win()
  local buf = vim.fn.bufadd(agents)
  vim.fn.bufload(buf)
  eventually('attached', function()
    return vim.lsp.buf_is_attached(buf, client().id)
  end)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(vim.trim(long), '\n'))
  local shown = shows('briefing-view://show', 'truncated')
  has(shown, '32 768 of ' .. require('briefing.words').grouped(#long) .. ' B')
  has(shown, '↳ the 32768 B project budget ends inside this file')
  has(vim.api.nvim_get_current_line(), 'openclaw')
  assert(vim.api.nvim_win_get_cursor(0)[1] ~= row, 'the line has not moved')
  same(vim.api.nvim_get_current_win(), win)
end)

it('c on a cut file goes to the first byte that the model does not see', function()
  on_line('◐ truncated  AGENTS.md')
  press('c')
  same(vim.api.nvim_buf_get_name(0), agents)
  local at = vim.api.nvim_win_get_cursor(0)
  same(vim.api.nvim_buf_get_offset(0, at[1] - 1) + at[2], 32768, 'byte under the cursor')
  vim.cmd('edit!')
end)

it('the view follows a change from outside', function()
  poll(50)
  vim.cmd.wincmd('p')
  same(vim.bo.filetype, 'briefing')
  shows('briefing-view://show', '13 B')
  write(root .. '/AGENTS.override.md', 'This instead of the other.\n')
  local shown = shows('briefing-view://show', 'AGENTS.override.md')
  has(shown, 'shadowed')
  os.remove(root .. '/AGENTS.override.md')
  eventually('it is gone again', function()
    return not text(buffer('briefing-view://show')):find('override', 1, true)
  end)
end)

it('w expands why, and Enter opens the source in the other window', function()
  on_line('~/.codex/AGENTS.md')
  press('w')
  shows('briefing-view://show', 'asked  content → 10 B')
  press('w')
  eventually('closed again', function()
    return not text(buffer('briefing-view://show')):find('asked', 1, true)
  end)
  press('<CR>')
  same(vim.api.nvim_buf_get_name(0), vim.env.HOME .. '/.codex/AGENTS.md')
  eventually('the view is still there', function()
    return #vim.fn.win_findbuf(buffer('briefing-view://show')) == 1
  end)
end)

it('q closes the view', function()
  vim.cmd.wincmd('p')
  press('q')
  same(buffer('briefing-view://show'), nil)
end)

it('modifiers and the setting decide where a view opens', function()
  t.tidy()
  edit(source)
  vim.cmd('vertical Briefing show')
  assert(vim.api.nvim_win_get_width(0) < vim.o.columns, 'not vertical')
  vim.cmd.close()
  vim.cmd('tab Briefing show')
  same(#vim.api.nvim_list_tabpages(), 2, 'tabs')
  vim.cmd.tabclose()
  vim.g.briefing = vim.tbl_extend('force', vim.g.briefing, { window = 'float' })
  vim.cmd('Briefing show')
  same(vim.api.nvim_win_get_config(0).relative, 'editor')
  shows('briefing-view://show', 'codex')
  vim.cmd.close()
  vim.g.briefing = vim.tbl_extend('force', vim.g.briefing, { window = 'split' })
end)

for _, harness in ipairs({ 'codex', 'openclaw' }) do
  it(('the preview of %s is what `briefing show --format prompt` prints'):format(harness), function()
    t.tidy()
    edit(source)
    vim.cmd('Briefing preview ' .. harness)
    local buf = vim.api.nvim_get_current_buf()
    eventually('the text', function()
      return vim.b[buf].briefing_ready
    end)
    local wanted = command_line('src/main.rs', '--harness', harness, '--format', 'prompt')
    assert(#wanted > 0, 'nothing to compare')
    same(bytes(buf), wanted)
    same(vim.bo[buf].modifiable, false)
  end)
end

it('a preview follows an edit that is not saved', function()
  t.tidy()
  edit(agents)
  poll(60000)
  vim.cmd('Briefing preview codex')
  shows('briefing:/codex/', 'Write tests.')
  vim.api.nvim_buf_set_lines(buffer('project/AGENTS.md'), 0, -1, false, { 'Write ümläut tests 😀.' })
  local shown = shows('briefing:/codex/', 'Write ümläut tests 😀.')
  assert(not shown:find('Write tests.', 1, true), 'the old text is still there')
  poll(50)
end)

it('a preview can be opened by its name alone', function()
  t.tidy()
  edit(source)
  vim.cmd.edit('briefing:/codex' .. source)
  shows('briefing:/codex' .. source, 'Write tests.')
end)

it(':Briefing compare shows two prompts in diff mode', function()
  t.tidy()
  edit(source)
  vim.cmd('Briefing compare codex openclaw')
  shows('briefing:/codex/', 'Be brief.')
  shows('briefing:/openclaw/', 'Project Context')
  local wins = vim.api.nvim_tabpage_list_wins(0)
  same(#wins, 2, 'windows')
  for _, win in ipairs(wins) do
    same(vim.wo[win].diff, true)
  end
  eventually('lines that differ', function()
    return vim.api.nvim_win_call(wins[1], function()
      return vim.fn.diff_hlID(1, 1) > 0
    end)
  end)
end)

it(':Briefing why says what became of a file, and what was asked', function()
  t.tidy()
  edit(source)
  vim.cmd('Briefing why src/AGENTS.md')
  local shown = shows('briefing-view://why', 'codex')
  has(shown, 'dropped')
  has(shown, 'below the start directory')
  vim.cmd.close()
  vim.cmd('Briefing why AGENTS.md')
  has(shows('briefing-view://why', 'asked content → 13 B'), '● loaded')
end)

it(':Briefing report shares the text out among the files', function()
  t.tidy()
  edit(source)
  vim.cmd('Briefing report')
  local shown = shows('briefing-view://report', 'codex')
  local total = 0
  for share in shown:match('codex.-\n\n'):gmatch('([%d.]+) %%') do
    total = total + tonumber(share)
  end
  assert(math.abs(total - 100) < 0.2, 'shares add up to ' .. total)
  has(shown, ' %  AGENTS.md  ')
  has(shown, ' 13 B')
  has(shown, 'headings and separators')
end)

it(':Briefing files fills the quickfix list', function()
  t.tidy()
  edit(source)
  vim.cmd('Briefing files')
  local list = eventually('items', function()
    local list = vim.fn.getqflist({ title = 1, items = 1 })
    return list.title == 'Briefing: instruction files' and #list.items > 0 and list.items
  end)
  local found
  for _, item in ipairs(list) do
    if vim.api.nvim_buf_get_name(item.bufnr) == agents then
      found = item
    end
  end
  has(found.text, 'codex')
end)

it('the Lua API answers once, with texts, for the buffer, another file, and a session', function()
  t.tidy()
  local buf = edit(source)
  local err, result = effective(buf, { harness = { 'codex' } })
  same(err, nil)
  same(#result.briefings, 1)
  same(result.briefings[1].target, source)
  has(result.briefings[1].messages[1].text, 'Write tests.')
  same(result.briefings[1].refusal, nil, 'null is nil')
  result = select(2, effective(0, { harness = 'codex', text = false, trace = true, cwd = root .. '/src' }))
  same(result.briefings[1].messages[1].text, nil)
  same(result.briefings[1].standpoint.cwd, root .. '/src')
  assert(#result.briefings[1].trace > 3, 'a trace')
  result = select(2, effective(buf, { harness = 'codex', file = 'AGENTS.md' }))
  same(result.briefings[1].target, agents)
  vim.cmd.enew()
  result = select(2, effective(0, { harness = 'codex' }))
  same(result.briefings[1].target, nil, 'a buffer without a name')
  same(result.briefings[1].standpoint.cwd, root)
end)

it('the Lua API says what is wrong: types at once, everything else to the callback', function()
  for _, wrong in ipairs({
    { 'x', {}, print },
    { 0, 'codex', print },
    { 0, { harness = 7 }, print },
    { 0, { cwd = {} }, print },
    { 0, {}, nil },
  }) do
    same(pcall(require('briefing').effective, wrong[1], wrong[2], wrong[3]), false)
  end
  has(effective(0, { harness = 'kodex' }), 'there is no harness `kodex`')
  has(effective(99999, {}), 'there is no buffer 99999')
  has(effective(0, { session = 'night' }), 'night')
end)

it('prompt() gives an agent the text to send', function()
  t.tidy()
  local buf = edit(source)
  local got
  require('briefing').prompt(buf, { harness = 'codex' }, function(_, prompt)
    got = prompt
  end)
  eventually('the prompt', function()
    return got
  end)
  same(got, command_line('src/main.rs', '--harness', 'codex', '--format', 'prompt'))
end)

it('BriefingChanged names the buffer and the harnesses whose text has changed, and only then', function()
  t.tidy()
  local rules_buf = edit(agents)
  vim.cmd.split(source)
  local buf = vim.api.nvim_get_current_buf()
  local events = {}
  local id = vim.api.nvim_create_autocmd('User', {
    pattern = 'BriefingChanged',
    callback = function(event)
      table.insert(events, event.data)
    end,
  })
  require('briefing.live').touch()
  eventually('what is known at first', function()
    return vim.iter(events):any(function(event)
      return event.bufnr == buf
    end)
  end)
  events = {}
  -- As many bytes as before: the text counts, not the size.
  vim.api.nvim_buf_set_lines(rules_buf, 0, 1, false, { 'Write facts.' })
  local event = eventually('a change', function()
    return vim.iter(events):find(function(event)
      return event.bufnr == buf
    end)
  end)
  same(event.harnesses, { 'codex' })
  local function mine()
    return #vim.tbl_filter(function(e)
      return e.bufnr == buf
    end, events)
  end
  local count = mine()
  vim.api.nvim_buf_set_lines(buf, 0, 0, false, { '// nothing that matters' })
  local rounds = 0
  local stop = require('briefing.live').subscribe(function()
    rounds = rounds + 1
  end)
  eventually('a round', function()
    return rounds > 0
  end)
  effective(buf, {})
  stop()
  same(mine(), count, 'events')
  vim.api.nvim_del_autocmd(id)
  vim.cmd('edit!')
  vim.api.nvim_buf_call(rules_buf, function()
    vim.cmd('edit!')
  end)
end)

it('statusline() gives tokens and what is lost', function()
  t.tidy()
  local buf = edit(source)
  require('briefing').statusline()
  eventually('the line', function()
    return require('briefing').statusline(buf):find('codex %d+')
  end)
  local rules_buf = vim.fn.bufadd(agents)
  vim.fn.bufload(rules_buf)
  vim.api.nvim_buf_set_lines(rules_buf, 0, -1, false, vim.split(vim.trim(long), '\n'))
  eventually('the cut', function()
    return require('briefing').statusline(buf):find('codex 8.2k◐', 1, true)
  end)
end)

it('harness, cwd and session are assumed by views, the API and the server', function()
  t.tidy()
  local buf = edit(source)
  vim.cmd('Briefing harness codex')
  vim.cmd('Briefing cwd src')
  vim.cmd('Briefing session main')
  has(t.notices[#t.notices], 'harness codex · started in')
  local _, result = effective(buf, {})
  same(#result.briefings, 1)
  same(result.briefings[1].standpoint.cwd, root .. '/src')
  local sources = result.briefings[1].sources
  same(sources[#sources].path, nested)
  same(sources[#sources].fate, 'loaded')
  eventually('the settings of the server', function()
    return vim.tbl_get(client().settings, 'briefing', 'cwd') == root .. '/src'
  end)
  vim.cmd('Briefing harness all')
  vim.cmd('Briefing cwd -')
  vim.cmd('Briefing session -')
  same(next(require('briefing.assume').get()), nil)
  local _, all = effective(buf, {})
  assert(#all.briefings > 1, 'every harness again')
end)

it('completion knows sub-commands, harnesses, directories and sessions', function()
  local function complete(line)
    return vim.fn.getcompletion(line, 'cmdline')
  end
  same(complete('Briefing re'), { 'report', 'restart' })
  same(complete('Briefing preview cod')[1], 'codex')
  same(complete('Briefing compare codex opencl')[1], 'openclaw')
  same(complete('Briefing session su'), { 'subagent' })
  same(complete('Briefing why AG'), { 'AGENTS.md' })
  same(complete('Briefing cwd s'), { 'src/' })
  same(complete('Briefing show x'), {})
  assert(vim.tbl_contains(complete('Briefing harness '), 'all'))
end)

it('a wrong command is refused in words', function()
  t.tidy()
  for line, words in pairs({
    ['Briefing shwo'] = 'there is no `shwo`; there are compare, cwd',
    ['Briefing preview kodex'] = 'there is no harness `kodex`; known: ',
    ['Briefing compare codex'] = 'two harnesses are needed',
    ['Briefing show codex'] = 'too many arguments; :Briefing show',
    ['Briefing session night'] = '`night` is none of main',
    ['Briefing cwd nowhere'] = '`nowhere` is no directory',
  }) do
    t.notices = {}
    vim.cmd(line)
    has(table.concat(t.notices), words)
  end
end)

it('buffers that are no files are left alone', function()
  t.tidy()
  vim.cmd.enew()
  vim.bo.filetype = 'markdown'
  vim.cmd('Briefing show')
  has(shows('briefing-view://show', 'codex'), 'Told at the start of a session')
  vim.cmd.close()
  vim.cmd.edit('scheme://host/AGENTS.md')
  vim.bo.filetype = 'markdown'
  effective(0, {})
  same(#vim.lsp.get_clients({ name = 'briefing', bufnr = 0 }), 0, 'attached')
  same(t.notices, {})
end)

it(':checkhealth briefing finds nothing wrong', function()
  t.tidy()
  edit(source)
  vim.cmd('silent checkhealth briefing')
  local health = text()
  has(health, 'program: ' .. vim.env.BRIEFING)
  has(health, 'runs for')
  has(health, 'harnesses: ')
  has(health, 'codex')
  assert(not health:find('ERROR') and not health:find('WARNING'), health)
end)

it('the help has a page for every sub-command', function()
  vim.cmd('helptags ' .. vim.env.PLUGIN .. '/doc')
  for name in pairs(require('briefing.command').subcommands) do
    vim.cmd('help :Briefing-' .. name)
    same(vim.fs.basename(vim.api.nvim_buf_get_name(0)), 'briefing.txt')
    vim.cmd.helpclose()
  end
end)

it(':Briefing log opens what the server wrote', function()
  t.tidy()
  vim.cmd('Briefing log')
  same(vim.fs.basename(vim.api.nvim_buf_get_name(0)), 'lsp.log')
end)

it('inlay hints and code lenses are on in instruction files', function()
  t.tidy()
  local buf = edit(agents)
  eventually('inlay hints', function()
    return vim.lsp.inlay_hint.is_enabled({ bufnr = buf })
  end)
  local lenses = eventually('lenses', function()
    local found = vim.lsp.codelens.get({ bufnr = buf })
    return #found > 0 and found
  end)
  has((lenses[1].lens or lenses[1]).command.title, 'codex: ')
end)

it('a command that the server puts into a lens is run here', function()
  t.tidy()
  edit(source)
  client():exec_cmd({ title = 'prompt', command = 'briefing.preview', arguments = { 'codex' } }, { bufnr = 0 })
  shows('briefing:/codex/', 'Write tests.')
  same(t.notices, {})
end)

it(':Briefing restart gives a new server with the same buffers', function()
  t.tidy()
  local buf = edit(source)
  local before = client().id
  vim.cmd('Briefing restart')
  eventually('another server', function()
    local now = client()
    return now and now.id ~= before and vim.lsp.buf_is_attached(buf, now.id)
  end)
  same(#vim.lsp.get_clients({ name = 'briefing' }), 1, 'servers')
end)

--- The process of the server: the only child of Neovim that is one.
local function pid()
  for _, child in ipairs(vim.api.nvim_get_proc_children(vim.uv.os_getpid())) do
    local info = vim.api.nvim_get_proc(child)
    if info and info.name == vim.fs.basename(vim.env.BRIEFING) then
      return child
    end
  end
end

it('a killed server is started again, and views and the API go on', function()
  t.tidy()
  edit(source)
  vim.cmd('Briefing show')
  shows('briefing-view://show', 'codex')
  local before, process = client().id, assert(pid(), 'no process')
  vim.uv.kill(process, 'sigkill')
  eventually('another server', function()
    local now = client()
    return now and now.id ~= before and pid() and pid() ~= process
  end)
  local _, result = effective(buffer('src/main.rs'), { harness = 'codex' })
  has(result.briefings[1].messages[1].text, 'Write tests.')
  vim.cmd.wincmd('p')
  vim.cmd.edit(agents)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(vim.trim(long), '\n'))
  shows('briefing-view://show', 'truncated')
  vim.cmd('edit!')
end)

it('a server that keeps dying is left alone after a while, with one clear notice', function()
  t.tidy()
  edit(source)
  for _ = 1, 3 do
    local before, process = client().id, assert(pid(), 'no process')
    vim.uv.kill(process, 'sigkill')
    eventually('another server, or the notice', function()
      return (client() and client().id ~= before) or #t.said('stays down') > 0
    end)
  end
  eventually('the notice', function()
    return #t.said('stays down') == 1
  end)
  same(client(), nil)
  vim.cmd('Briefing restart')
  eventually('it can be started again', function()
    return client() and vim.lsp.buf_is_attached(0, client().id)
  end)
end)

it('vim.lsp.enable(…, false) stops it for good', function()
  vim.lsp.enable('briefing', false)
  eventually('stopped', function()
    return client() == nil and pid() == nil
  end)
  same(#t.said('stays down'), 1)
end)

it(':Briefing works for somebody who enables nothing', function()
  t.tidy()
  vim.cmd.edit(source)
  vim.cmd('Briefing show')
  has(shows('briefing-view://show', 'codex'), 'AGENTS.md')
end)

t.finish()
