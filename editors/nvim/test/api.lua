-- What other plugins ask, and are told.
local t = require('harness')
local p = require('project')
local it, eventually, same, has = t.it, t.eventually, t.same, t.has
local root, agents, source, long, edit, effective, command_line =
  p.root, p.agents, p.source, p.long, p.edit, p.effective, p.command_line

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
  has(effective(0, { harness = 'kodex' }), 'there is no agent `kodex`')
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
  same(got, command_line('src/main.rs', '--harness', 'codex', '--format', 'prompt', '--only', 'instructions'))
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
    return require('briefing').statusline(buf):find('Codex %d+')
  end)
  local rules_buf = vim.fn.bufadd(agents)
  vim.fn.bufload(rules_buf)
  vim.api.nvim_buf_set_lines(rules_buf, 0, -1, false, vim.split(vim.trim(long), '\n'))
  eventually('the cut', function()
    return require('briefing').statusline(buf):find('Codex 8.2k◐', 1, true)
  end)
end)

t.finish()
