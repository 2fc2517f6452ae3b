-- A whole session in a real Neovim with the real server.
local t = require('harness')
local p = require('project')
local it, eventually, same, has, text, write = t.it, t.eventually, t.same, t.has, t.text, t.write
local root, agents, nested, source, long = p.root, p.agents, p.nested, p.source, p.long
local client, edit, shows, press, on_line = p.client, p.edit, p.shows, p.press, p.on_line
local poll, buffer, effective, command_line, bytes = p.poll, p.buffer, p.effective, p.command_line, p.bytes

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

it(':Briefing show lists the sources with fates and sizes, in aligned columns', function()
  t.tidy()
  edit(source)
  poll(60000)
  vim.cmd('Briefing show')
  local shown = shows('briefing-view://show', 'Codex')
  has(shown, 'What agents load before they read src/main.rs')
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
  -- Agents are named by their ids until their titles are known.
  on_line('~/.openclaw/')
  local row, win = vim.api.nvim_win_get_cursor(0)[1], vim.api.nvim_get_current_win()
  local buf = vim.fn.bufadd(agents)
  vim.fn.bufload(buf)
  eventually('attached', function()
    return vim.lsp.buf_is_attached(buf, client().id)
  end)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(vim.trim(long), '\n'))
  local shown = shows('briefing-view://show', '◐ cut')
  has(shown, '32 768 of ' .. require('briefing.words').grouped(#long) .. ' B')
  has(shown, '↳ the 32 768 B limit for all project files ends inside this file')
  has(vim.api.nvim_get_current_line(), '~/.openclaw/')
  assert(vim.api.nvim_win_get_cursor(0)[1] ~= row, 'the line has not moved')
  same(vim.api.nvim_get_current_win(), win)
end)

it('an answer that fails once does not take the cursor away', function()
  local line, api = vim.api.nvim_get_current_line(), require('briefing')
  local asks = api.effective
  api.effective = function(_, _, answered)
    answered('the file changed meanwhile')
  end
  press('r')
  api.effective = asks
  shows('briefing-view://show', 'changed meanwhile')
  press('r')
  shows('briefing-view://show', 'OpenClaw')
  same(vim.api.nvim_get_current_line(), line)
end)

it('c on a cut file goes to the first byte that the model does not see', function()
  on_line('◐ cut      AGENTS.md')
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
  shows('briefing-view://show', 'Codex')
  vim.cmd.close()
  vim.g.briefing = vim.tbl_extend('force', vim.g.briefing, { window = 'split' })
end)

for _, harness in ipairs({ 'codex', 'openclaw' }) do
  it(('the preview of %s is what `briefing show --only instructions` prints'):format(harness), function()
    t.tidy()
    edit(source)
    vim.cmd('Briefing preview ' .. harness)
    local buf = vim.api.nvim_get_current_buf()
    eventually('the text', function()
      return vim.b[buf].briefing_ready
    end)
    local wanted = command_line('src/main.rs', '--harness', harness, '--format', 'prompt', '--only', 'instructions')
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
  local shown = shows('briefing-view://why', 'Codex')
  has(shown, 'skipped')
  has(shown, 'below the start directory')
  vim.cmd.close()
  vim.cmd('Briefing why AGENTS.md')
  has(shows('briefing-view://why', 'asked content → 13 B'), '● loaded')
  on_line('● loaded')
  press('<CR>')
  same(vim.api.nvim_buf_get_name(0), vim.uv.fs_realpath('AGENTS.md'))
end)

it(':Briefing agents says what the agent that is picked is told', function()
  t.tidy()
  edit(source)
  local select = vim.ui.select
  vim.ui.select = function(items, _, picked)
    for _, agent in ipairs(items) do
      if agent.name == 'plan' then
        picked(agent)
      end
    end
  end
  vim.cmd('Briefing agents opencode')
  local shown = shows('briefing-view://agents', 'a switch to it')
  vim.ui.select = select
  has(shown, 'plan  primary')
  has(shown, 'reminder plan')
  has(shown, 'AGENTS.md')
end)

it(':Briefing steps unfolds a session', function()
  t.tidy()
  edit(source)
  local of_claude = vim.fs.dirname(source) .. '/CLAUDE.md'
  write(of_claude, 'Of src, for Claude.\n')
  local file = vim.fn.fnamemodify(source, ':.')
  vim.cmd(('Briefing steps claude-code read %s; compact; subagent Explore'):format(vim.fn.fnameescape(file)))
  local shown = shows('briefing-view://steps', '3. subagent Explore')
  has(shown, '1. read ' .. file .. '  adds ')
  has(shown, '  + src/CLAUDE.md  on the way from the working directory to the file')
  has(shown, '2. compact  adds nothing\n  + src/CLAUDE.md  read again after the compaction\n  not exact: ')
  on_line('+ src/CLAUDE.md')
  press('<CR>')
  same(vim.api.nvim_buf_get_name(0), of_claude)
  vim.fn.delete(of_claude)
end)

it(':Briefing audit shows what a recorded session was told', function()
  t.tidy()
  edit(source)
  local folder = vim.env.HOME .. '/.claude/projects/' .. root:gsub('[^%w]', '-')
  vim.fn.mkdir(folder, 'p')
  local function line(more)
    local all = { sessionId = 'recorded', timestamp = '2026-11-24T10:00:00Z', version = '2.1.330', cwd = root }
    return vim.json.encode(vim.tbl_extend('force', all, more))
  end
  local files = { { path = root .. '/CLAUDE.md', type = 'Project', content = 'Use tabs.' } }
  write(
    folder .. '/recorded.jsonl',
    table.concat({
      line({ type = 'user', message = { role = 'user', content = 'hi' } }),
      line({ type = 'attachment', attachment = { type = 'instructions', files = files } }),
      '',
    }, '\n')
  )
  local before = client().settings
  client().settings = { briefing = { records = 'on' } }
  client():notify('workspace/didChangeConfiguration', { settings = client().settings })
  vim.cmd('Briefing audit recorded')
  local shown = shows('briefing-view://audit', 'CLAUDE.md')
  has(shown, '0. start')
  has(shown, '  + CLAUDE.md  9 B')
  vim.fn.delete(vim.env.HOME .. '/.claude', 'rf')
  client().settings = before
  client():notify('workspace/didChangeConfiguration', { settings = before })
end)

it(':Briefing report shares the text out among the files', function()
  t.tidy()
  edit(source)
  vim.cmd('Briefing report')
  local shown = shows('briefing-view://report', 'Codex')
  local total = 0
  for share in shown:match('Codex.-\n\n'):gmatch('([%d.]+) %%') do
    total = total + tonumber(share)
  end
  assert(math.abs(total - 100) < 0.2, 'shares add up to ' .. total)
  has(shown, ' %  AGENTS.md  ')
  has(shown, ' 13 B')
  has(shown, 'headings and separators')
  on_line('headings and separators')
  press('<CR>')
  same(vim.api.nvim_buf_get_name(0), 'briefing-view://report')
  on_line(' %  AGENTS.md  ')
  press('<CR>')
  same(vim.api.nvim_buf_get_name(0), vim.uv.fs_realpath('AGENTS.md'))
end)

it(':Briefing files fills the quickfix list, for the agents that are asked about', function()
  t.tidy()
  edit(source)
  write(root .. '/GEMINI.md', 'For another one.\n')
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
  same(found.text, '● Codex loaded')
  for _, item in ipairs(list) do
    assert(not item.text:find('?', 1, true), item.text)
    assert(not vim.endswith(vim.api.nvim_buf_get_name(item.bufnr), 'GEMINI.md'), item.text)
  end
  vim.fn.delete(root .. '/GEMINI.md')
end)

it(':Briefing fetch fetches what a URL serves, once somebody has said yes', function()
  t.tidy()
  local tcp = assert(vim.uv.new_tcp())
  tcp:bind('127.0.0.1', 0)
  local came = 0
  tcp:listen(8, function()
    local stream = assert(vim.uv.new_tcp())
    tcp:accept(stream)
    stream:read_start(function(_, chunk)
      if chunk then
        came = came + 1
        stream:write('HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nServed.', function()
          stream:close()
        end)
      end
    end)
  end)
  local url = ('http://127.0.0.1:%d/rules.md'):format(tcp:getsockname().port)
  t.write(root .. '/opencode.json', vim.json.encode({ instructions = { url } }))
  local buf = edit(source)
  local select, answer, asked = vim.ui.select, nil, nil ---@type any, string?, string?
  vim.ui.select = function(items, opts, on_choice)
    asked = opts.prompt
    for _, item in ipairs(items) do
      if item.title == answer then
        return on_choice(item)
      end
    end
    on_choice(nil)
  end
  for _, choice in ipairs({ 'Cancel', 'Fetch' }) do
    answer = choice
    local done
    require('briefing').fetch(buf, { harness = 'opencode' }, function(err, result)
      done = { err = err, fetched = result and result.fetched }
    end)
    eventually('an answer', function()
      return done
    end)
    has(asked, url)
    same(done.fetched, choice == 'Fetch' and { { url = url, bytes = 7 } } or {})
    same(came, choice == 'Fetch' and 1 or 0)
  end
  vim.ui.select = select
  local _, result = effective(buf, { harness = 'opencode' })
  same(result.briefings[1].fidelity, 'exact')
  tcp:close()
  vim.fn.delete(root .. '/opencode.json')
end)

it('harness, cwd and session are assumed by views, the API and the server', function()
  t.tidy()
  local buf = edit(source)
  vim.cmd('Briefing harness codex')
  vim.cmd('Briefing cwd src')
  vim.cmd('Briefing session main')
  has(t.notices[#t.notices], 'Briefing shows codex · started in')
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
  local _, all = effective(buf, {})
  assert(#all.briefings > 20, 'every harness')
  vim.cmd('Briefing harness -')
  vim.cmd('Briefing cwd -')
  vim.cmd('Briefing session -')
  same(next(require('briefing.assume').get()), nil)
  local _, again = effective(buf, {})
  same(#again.briefings, 2)
end)

it('a plugin of Neovim speaks for the harness it belongs to', function()
  t.tidy()
  local buf = edit(source)
  local plugin = vim.fs.joinpath(vim.fn.tempname(), 'claudecode.nvim')
  vim.fn.mkdir(plugin, 'p')
  vim.opt.runtimepath:append(plugin)
  vim.cmd('Briefing harness mine')
  eventually('Claude Code is one of mine', function()
    local _, result = effective(buf, {})
    return vim.iter(result.briefings):any(function(briefing)
      return briefing.harness == 'claude-code'
    end)
  end)
  local roster
  require('briefing.server').request(buf, 'briefing/roster', nil, function(_, result)
    roster = result
  end)
  eventually('the roster', function()
    return roster
  end)
  local claude = vim.iter(roster.mine):find(function(used)
    return used.harness == 'claude-code'
  end)
  assert(
    vim.iter(claude.because):any(function(reason)
      return reason.name == 'claudecode.nvim'
    end),
    vim.inspect(claude)
  )
  vim.opt.runtimepath:remove(plugin)
  vim.cmd('Briefing harness -')
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
    ['Briefing shwo'] = 'there is no `shwo`; there are agents, audit, compare, cwd',
    ['Briefing agents'] = 'name a client',
    ['Briefing steps'] = 'name a harness, and what happens',
    ['Briefing steps claude-code look around'] = '`look around` is not a step',
    ['Briefing preview kodex'] = 'there is no agent `kodex`; known: ',
    ['Briefing compare codex'] = 'name two harnesses',
    ['Briefing show codex'] = 'too many arguments; :Briefing show',
    ['Briefing session night'] = '`night` is not one of main',
    ['Briefing cwd nowhere'] = '`nowhere` is not a directory',
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
  has(shows('briefing-view://show', 'Codex'), 'What agents load at the start of a session')
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

it('a command that the server puts into a lens is run here', function()
  t.tidy()
  edit(source)
  client():exec_cmd({ title = 'prompt', command = 'briefing.preview', arguments = { 'codex' } }, { bufnr = 0 })
  shows('briefing:/codex/', 'Write tests.')
  same(t.notices, {})
end)

-- The last one: the server takes its rest behind what is much work.
it('a file of 5 MB shows its view, with a note on what becomes of it', function()
  t.tidy()
  local big = root .. '/CLAUDE.md'
  write(big, ('Say why, not what, and keep it short.\n'):rep(140000))
  edit(big)
  vim.cmd('Briefing harness claude-code')
  vim.cmd('Briefing show')
  local shown = shows('briefing-view://show', '○ skipped  CLAUDE.md')
  has(shown, '↳ 5320000 B, more than the 4194304 B that Claude Code reads')
  -- A plugin for large files takes the server away: what is not saved is not counted then, and the view says so.
  vim.cmd.wincmd('p')
  vim.lsp.buf_detach_client(0, client().id)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Not saved.' })
  vim.cmd.wincmd('p')
  press('r')
  shows('briefing-view://show', 'what is not saved here is not counted: the server is not attached to this buffer')
  vim.cmd('Briefing harness -')
  t.tidy()
  vim.fn.delete(big)
end)

t.finish()
