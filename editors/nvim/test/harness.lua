--- A test harness in a page: true sentences, conditions with deadlines, no sleeping.
local M = {}

local DEADLINE_MS = tonumber(vim.env.DEADLINE_MS) or 10000

local passed, failed = 0, 0
local only = vim.env.ONLY

--- One test.
---@param sentence string
---@param test fun()
function M.it(sentence, test)
  if only and only ~= '' and not sentence:find(only, 1, true) then
    return
  end
  local start = vim.uv.hrtime()
  local ok, result = xpcall(test, debug.traceback)
  local ms = math.floor((vim.uv.hrtime() - start) / 1e6)
  if not ok then
    failed = failed + 1
    io.write(('not ok - %s (%d ms)\n#   %s\n'):format(sentence, ms, tostring(result):gsub('\n', '\n#   ')))
  else
    passed = passed + 1
    io.write(('ok - %s (%d ms)\n'):format(sentence, ms))
  end
end

--- Waits for a condition, and gives back what it gave.
---@generic T
---@param what string
---@param condition fun(): T?
---@return T
function M.eventually(what, condition)
  local got
  local done = vim.wait(DEADLINE_MS, function()
    got = condition()
    return got ~= nil and got ~= false
  end, 5)
  if not done then
    error(('timed out: %s\nmessages: %s'):format(what, vim.inspect(M.notices)), 2)
  end
  return got
end

---@param got any
---@param wanted any
---@param what? string
function M.same(got, wanted, what)
  if not vim.deep_equal(got, wanted) then
    error(('%s\n got    %s\n wanted %s'):format(what or 'not the same', vim.inspect(got), vim.inspect(wanted)), 2)
  end
end

---@param text string
---@param part string  plain text
function M.has(text, part)
  if not text:find(part, 1, true) then
    error(('`%s` is not in\n%s'):format(part, text), 2)
  end
end

--- What the user was told.
---@type string[]
M.notices = {}
vim.notify = function(text)
  table.insert(M.notices, text)
end

--- The notices that say this.
---@param part string
---@return string[]
function M.said(part)
  return vim.tbl_filter(function(text)
    return text:find(part, 1, true) ~= nil
  end, M.notices)
end

---@param buf? integer
---@return string
function M.text(buf)
  return table.concat(vim.api.nvim_buf_get_lines(buf or 0, 0, -1, false), '\n')
end

---@param path string
---@param text string
function M.write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
end

---@param path string
---@return string
function M.read(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('a')
  file:close()
  return text
end

--- Closes everything but one empty window.
function M.tidy()
  vim.cmd('silent! tabonly!')
  vim.cmd('silent! only!')
  vim.cmd('silent! %bwipeout!')
  M.notices = {}
end

function M.finish()
  io.write(('%d passed, %d failed\n'):format(passed, failed))
  io.flush()
  os.exit(failed == 0 and passed > 0 and 0 or 1)
end

return M
