--- What other plugins call. `:help briefing-lua`
local M = {}

local server = require('briefing.server')

---@param name string
---@param value any
local function string_or_list(name, value)
  vim.validate(name, value, function(given)
    return given == nil or type(given) == 'string' or vim.islist(given)
  end, 'a string or a list of strings')
end

---@param opts? briefing.Opts
local function validate(opts)
  vim.validate('opts', opts, 'table', true)
  opts = opts or {}
  string_or_list('opts.harness', opts.harness)
  vim.validate('opts.cwd', opts.cwd, 'string', true)
  vim.validate('opts.session', opts.session, 'string', true)
  vim.validate('opts.file', opts.file, 'string', true)
  vim.validate('opts.text', opts.text, 'boolean', true)
  vim.validate('opts.trace', opts.trace, 'boolean', true)
  vim.validate('opts.already_loaded', opts.already_loaded, vim.islist, true, 'a list of paths')
  vim.validate('opts.request', opts.request, 'table', true)
  vim.validate('opts.timeout_ms', opts.timeout_ms, 'number', true)
  return opts
end

---@param path string
---@return string
local function uri(path)
  return vim.uri_from_fname(server.absolute(path) or path)
end

--- Asks a question about an agent that reads the file of a buffer, or about the start of a session if there is no file.
---@param method string  A request, or a command of the server
---@param bufnr? integer
---@param opts? briefing.Opts
---@param callback fun(err?: string, result?: any, code?: integer)
local function ask(method, bufnr, opts, callback)
  vim.validate('bufnr', bufnr, 'number', true)
  vim.validate('callback', callback, vim.is_callable, 'a function')
  opts = validate(opts)
  bufnr = (bufnr == nil or bufnr == 0) and vim.api.nvim_get_current_buf() or bufnr
  local function refuse(err)
    vim.schedule(function()
      callback(err)
    end)
  end
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return refuse(('Briefing: there is no buffer %d'):format(bufnr))
  end
  local assumed = require('briefing.assume').get()
  local file = opts.file and server.absolute(opts.file) or server.file(bufnr)
  if opts.file and not file then
    return refuse(('Briefing: `%s` cannot be resolved: the working directory was deleted'):format(opts.file))
  end
  local cwd = opts.cwd and server.absolute(opts.cwd) or assumed.cwd
  if not file and not cwd then
    cwd = server.cwd()
    if not cwd then
      return refuse('Briefing: this buffer has no file, and the working directory was deleted; use :Briefing cwd DIR')
    end
  end
  local include = {}
  if opts.text ~= false then
    table.insert(include, 'text')
  end
  if opts.trace then
    table.insert(include, 'trace')
  end
  local params = vim.tbl_extend('force', opts.request or {}, {
    textDocument = file and { uri = vim.uri_from_fname(file) } or nil,
    harness = opts.harness or assumed.harness,
    cwd = cwd and vim.uri_from_fname(cwd) or nil,
    session = opts.session or assumed.session,
    alreadyLoaded = opts.already_loaded and vim.tbl_map(uri, opts.already_loaded) or nil,
    include = #include > 0 and include or nil,
  })
  if not vim.startswith(method, 'briefing/') then
    method, params = 'workspace/executeCommand', { command = method, arguments = { params } }
  end
  server.request(bufnr, method, params, callback, opts.timeout_ms)
end

--- Asks what each harness tells an agent that reads the file of a buffer. A buffer without a file stands for the start
--- of a session. The callback is called once, with an error in words or with the answer.
---@param bufnr? integer  0 or absent: the current buffer
---@param opts? briefing.Opts
---@param callback briefing.Callback
function M.effective(bufnr, opts, callback)
  ask('briefing/effectiveInstructions', bufnr, opts, callback)
end

--- How much of the context each source takes, largest first. Counted here if the server does not offer it.
---@param bufnr? integer
---@param opts? briefing.Opts
---@param callback fun(err?: string, result?: {reports: briefing.Report[]})
function M.report(bufnr, opts, callback)
  opts = vim.tbl_extend('force', opts or {}, { text = false })
  ask('briefing/contextReport', bufnr, opts, function(err, result, code)
    if code ~= server.METHOD_NOT_FOUND then
      return callback(err, result)
    end
    ask('briefing/effectiveInstructions', bufnr, opts, function(problem, effective)
      callback(problem, effective and require('briefing.report').count(effective))
    end)
  end)
end

--- The exact text that a model gets from one harness, as `briefing show --format prompt --only instructions` prints it.
--- Several messages are each introduced by a line, since they are not one text.
---@param bufnr? integer
---@param opts briefing.Opts  `harness` is needed
---@param callback fun(err?: string, text?: string, result?: briefing.Effective)
function M.prompt(bufnr, opts, callback)
  vim.validate('opts', opts, 'table')
  vim.validate('opts.harness', opts.harness, 'string')
  vim.validate('callback', callback, vim.is_callable, 'a function')
  M.effective(bufnr, vim.tbl_extend('force', opts, { text = true }), function(err, result)
    if not result then
      return callback(err)
    end
    callback(nil, require('briefing.preview').text(result), result)
  end)
end

--- Has the server fetch, once, what the instructions name by a URL. The server asks first, and says what came of it.
---@param bufnr? integer
---@param opts? briefing.Opts
---@param callback fun(err?: string, result?: {fetched: {url: string, bytes?: integer, problem?: string}[]})
function M.fetch(bufnr, opts, callback)
  -- People take their time.
  opts = vim.tbl_extend('keep', opts or {}, { text = false, timeout_ms = 30 * 60 * 1000 })
  ask('briefing.fetch', bufnr, opts, callback)
end

--- For a status line: what each harness loads for a buffer, in tokens, with the worst fate. Never waits.
---@param bufnr? integer
---@return string
function M.statusline(bufnr)
  vim.validate('bufnr', bufnr, 'number', true)
  bufnr = (bufnr == nil or bufnr == 0) and vim.api.nvim_get_current_buf() or bufnr
  return require('briefing.live').statusline(bufnr)
end

return M
