-- The server is started again, and stays away when it is told to.
local t = require('harness')
local p = require('project')
local it, eventually, same, has = t.it, t.eventually, t.same, t.has
local agents, source, long, client, edit, shows, buffer, effective =
  p.agents, p.source, p.long, p.client, p.edit, p.shows, p.buffer, p.effective

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
  shows('briefing-view://show', 'Codex')
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
  shows('briefing-view://show', '◐ cut')
  vim.cmd('edit!')
end)

it('a server that keeps dying is left alone after a while, with one clear notice', function()
  t.tidy()
  edit(source)
  for _ = 1, 3 do
    local before, process = client().id, assert(pid(), 'no process')
    vim.uv.kill(process, 'sigkill')
    eventually('another server, or the notice', function()
      return (client() and client().id ~= before) or #t.said('is not restarted') > 0
    end)
  end
  eventually('the notice', function()
    return #t.said('is not restarted') == 1
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
  same(#t.said('is not restarted'), 1)
end)

it(':Briefing works for somebody who enables nothing', function()
  t.tidy()
  vim.cmd.edit(source)
  vim.cmd('Briefing show')
  has(shows('briefing-view://show', 'Codex'), 'AGENTS.md')
end)

t.finish()
