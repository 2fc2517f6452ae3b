-- A Neovim that is too old for the plugin: one clear message, at the start and for whoever types the command.
local t = require('harness')

t.it('an old Neovim is told once which version is needed', function()
  t.eventually('the message', function()
    return #t.notices > 0
  end)
  t.same(#t.notices, 1, 'messages')
  t.has(t.notices[1], 'Briefing needs Neovim 0.11 or newer; this is 0.')
end)

t.it(':Briefing says the same there', function()
  t.notices = {}
  vim.cmd('Briefing show')
  t.has(t.notices[1], 'Briefing needs Neovim 0.11 or newer')
end)

t.it(':checkhealth says the same there', function()
  vim.cmd('silent checkhealth briefing')
  t.has(t.text(), 'Neovim 0.11 or newer is needed')
end)

t.finish()
