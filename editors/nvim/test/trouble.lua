-- What goes wrong before or around the server: each time one clear notice, and nothing breaks.
local t = require('harness')
local it, eventually, same, has, text, write = t.it, t.eventually, t.same, t.has, t.text, t.write

local scratch = vim.uv.fs_realpath(vim.env.SCRATCH)
local root = scratch .. '/project'
write(root .. '/AGENTS.md', 'Write tests.\n')
for number = 1, 3 do
  write(('%s/%d.md'):format(root, number), 'x\n')
end
vim.cmd.cd(root)
local binary = vim.env.BRIEFING

local function clients()
  return vim.lsp.get_clients({ name = 'briefing', _uninitialized = true })
end

--- Opens three files and lets what they scheduled happen.
local function open_three()
  for number = 1, 3 do
    vim.cmd.edit(number .. '.md')
  end
  local ran = false
  vim.schedule(function()
    ran = true
  end)
  eventually('the next tick', function()
    return ran
  end)
end

it('a missing program is told once, not once per buffer', function()
  vim.g.briefing = { binary = scratch .. '/no/briefing' }
  open_three()
  eventually('the notice', function()
    return #t.said('was not found') > 0
  end)
  same(#t.notices, 1, 'notices')
  has(t.notices[1], scratch .. '/no/briefing (vim.g.briefing.binary)')
  has(t.notices[1], ':checkhealth briefing')
  same(#clients(), 0, 'servers')
end)

it('the Lua API and views say the same', function()
  local err
  require('briefing').effective(0, {}, function(e)
    err = e
  end)
  eventually('an answer', function()
    return err
  end)
  has(err, 'was not found')
  vim.cmd('Briefing show')
  eventually('the words', function()
    return text():find('was not found', 1, true)
  end)
  vim.cmd.close()
end)

it(':checkhealth says what to do about it', function()
  vim.cmd('silent checkhealth briefing')
  has(text(), 'ERROR no program')
  has(text(), 'cargo install')
  vim.cmd('bwipeout')
end)

it('a program that does not exist, given as cmd, is told once as well', function()
  t.tidy()
  local before = vim.lsp.config.briefing.cmd
  vim.lsp.config('briefing', { cmd = { scratch .. '/nothing', 'lsp' } })
  vim.cmd('Briefing restart')
  vim.cmd('edit 1.md | edit 2.md')
  require('briefing.server').check_command()
  require('briefing.server').check_command()
  same(#t.said('is not a program'), 1, 'notices')
  vim.lsp.config('briefing', { cmd = before })
end)

it('a program that is none dies with a word, and the editor goes on', function()
  t.tidy()
  write(scratch .. '/false', '#!/bin/sh\nexit 3\n')
  vim.uv.fs_chmod(scratch .. '/false', 493)
  vim.g.briefing = { binary = scratch .. '/false' }
  vim.cmd('Briefing restart')
  vim.cmd.edit('1.md')
  eventually('given up', function()
    return #t.said('is not restarted') == 1 and #clients() == 0
  end)
end)

it('settings that are wrong are told once, with their names', function()
  t.tidy()
  vim.g.briefing = { binary = binary, windw = 'split', cuts = 'yes', window = 'door' }
  require('briefing.config').get()
  require('briefing.config').get()
  same(#t.notices, 1, 'notices')
  has(t.notices[1], 'there is no setting `windw`')
  has(t.notices[1], 'cuts: a boolean is expected, not string')
  has(t.notices[1], '`door` is none of split')
  vim.g.briefing = { binary = binary, poll_ms = 50 }
end)

it(':Briefing restart starts what could not be started before', function()
  t.tidy()
  vim.cmd.edit('1.md')
  vim.cmd('Briefing restart')
  eventually('attached', function()
    local client = clients()[1]
    return client and client.initialized and vim.lsp.buf_is_attached(0, client.id)
  end)
end)

it('a deleted working directory keeps nothing from working', function()
  t.tidy()
  local gone = scratch .. '/gone'
  vim.fn.mkdir(gone)
  vim.cmd.cd(gone)
  vim.fn.delete(gone, 'd')
  same(vim.fn.getcwd(), '', 'the working directory')
  vim.cmd('Briefing restart')
  vim.cmd.edit(root .. '/1.md')
  eventually('attached', function()
    local client = clients()[1]
    return client and client.initialized and vim.lsp.buf_is_attached(0, client.id)
  end)
  vim.cmd('Briefing show')
  eventually('sources', function()
    return text():find('● loaded', 1, true)
  end)
  vim.cmd.close()
  vim.cmd.enew()
  local err
  require('briefing').effective(0, {}, function(e)
    err = e
  end)
  eventually('words', function()
    return err
  end)
  has(err, 'the working directory was deleted')
  t.notices = {}
  vim.cmd('Briefing why AGENTS.md')
  has(t.notices[1], 'the working directory was deleted')
  vim.cmd('Briefing files')
  vim.cmd.cd(root)
end)

t.finish()
