--- In instruction files: a sign at each line that one of several agents does not get.
local M = {}

local server = require('briefing.server')

local ns = vim.api.nvim_create_namespace('briefing.marks')
local SIGN = '▎'

---@type table<integer, integer>  The newest question by buffer
local asked = {}

---@param bufnr integer
---@param parts {start: lsp.Position, end: lsp.Position, told: table[], missed: table[]}[]
local function put(bufnr, parts)
  vim.api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  for _, part in ipairs(parts) do
    -- What nobody gets is faded already.
    if #part.told > 0 and #part.missed > 0 then
      local stop = part['end']
      local to = math.min(stop.character == 0 and stop.line > part.start.line and stop.line - 1 or stop.line, last)
      for line = part.start.line, to do
        vim.api.nvim_buf_set_extmark(bufnr, ns, line, 0, {
          sign_text = SIGN,
          sign_hl_group = 'BriefingMissed',
          number_hl_group = 'BriefingMissed',
          priority = 5,
        })
      end
    end
  end
end

--- Marks a buffer by what the server says of it now.
---@param bufnr integer
function M.draw(bufnr)
  if not require('briefing.config').get().marks then
    return vim.api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
  end
  local client = server.client()
  if not client or not vim.lsp.buf_is_attached(bufnr, client.id) then
    return
  end
  asked[bufnr] = (asked[bufnr] or 0) + 1
  local question, tick = asked[bufnr], vim.api.nvim_buf_get_changedtick(bufnr)
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  server.request(bufnr, 'briefing/readers', params, function(_, result)
    local is_newest = vim.api.nvim_buf_is_loaded(bufnr) and asked[bufnr] == question
    -- An answer about another text than the one that is there now would mark other lines.
    if result and is_newest and vim.api.nvim_buf_get_changedtick(bufnr) == tick then
      put(bufnr, result.parts)
    end
  end)
end

--- Marks every instruction file on the screen.
function M.refresh()
  local seen = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local bufnr = vim.api.nvim_win_get_buf(win)
    local file = not seen[bufnr] and server.file(bufnr)
    seen[bufnr] = true
    if file and require('briefing.cuts').is_instructions(file) then
      M.draw(bufnr)
    end
  end
end

local group = vim.api.nvim_create_augroup('briefing.marks', {})
vim.api.nvim_create_autocmd({ 'BufWinEnter', 'DiagnosticChanged' }, {
  group = group,
  callback = function(event)
    local file = server.file(event.buf)
    if file and require('briefing.cuts').is_instructions(file) then
      M.draw(event.buf)
    end
  end,
  desc = 'Briefing: mark what one of several agents does not get',
})
vim.api.nvim_create_autocmd('BufWipeout', {
  group = group,
  callback = function(event)
    asked[event.buf] = nil
  end,
  desc = 'Briefing: a buffer is gone',
})

return M
