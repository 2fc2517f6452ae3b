-- In a Neovim that was set up by a recipe: the server runs; the command, the health check and the help are there.
local function check()
  local function eventually(what, condition)
    assert(vim.wait(10000, condition, 5), 'timed out: ' .. what .. '\n' .. vim.fn.execute('messages'))
  end
  eventually('a server for the file', function()
    local client = vim.lsp.get_clients({ name = 'briefing', bufnr = 0 })[1]
    return client and client.initialized
  end)
  vim.cmd('Briefing show')
  eventually('the view', function()
    return vim.fn.search('AGENTS\\.md', 'nw') > 0
  end)
  vim.cmd.close()
  vim.cmd('silent checkhealth briefing')
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  assert(health:find('server .- runs for') and not health:find('ERROR') and not health:find('WARNING'), health)
  for _, topic in ipairs({ 'briefing', ':Briefing-show', 'briefing-install' }) do
    vim.cmd.help(topic)
    assert(vim.fs.basename(vim.api.nvim_buf_get_name(0)) == 'briefing.txt', topic)
  end
end

local ok, problem = xpcall(check, debug.traceback)
if not ok then
  io.write(problem .. '\n')
end
vim.cmd(ok and 'qa!' or 'cq!')
