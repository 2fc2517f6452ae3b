-- What a user has: the plugin on the runtimepath and one line. Then the test in $SPEC runs, as if somebody typed.
vim.opt.runtimepath:prepend(vim.env.PLUGIN)
package.path = vim.env.PLUGIN .. '/test/?.lua;' .. package.path
require('harness')
vim.o.swapfile = false
vim.o.shortmess = vim.o.shortmess .. 'W'
vim.o.columns, vim.o.lines = 110, 40
if vim.env.BRIEFING then
  vim.g.briefing = { binary = vim.env.BRIEFING, poll_ms = 50 }
end
if vim.lsp.enable then
  -- Other harnesses have other answers; what is tested is the plugin.
  vim.lsp.config('briefing', { settings = { briefing = { harnesses = { 'codex', 'openclaw' } } } })
  vim.lsp.enable('briefing')
end
vim.api.nvim_create_autocmd('VimEnter', {
  callback = function()
    vim.schedule(function()
      local ok, problem = xpcall(dofile, debug.traceback, vim.env.SPEC)
      if not ok then
        io.write(problem .. '\n')
        os.exit(1)
      end
    end)
  end,
})
