--- Finds the program, keeps one server running for all buffers, and asks it.
local M = {}

M.NAME = 'briefing'

--- JSON-RPC: the server has no such method.
M.METHOD_NOT_FOUND = -32601

--- A server that keeps dying is not started for ever: so many times within so many seconds.
local RESTARTS, WITHIN_S = 3, 60

---@type table<integer, boolean>  Clients that were asked to stop
local stopping = {}
---@type table<integer, integer[]>  Buffers to attach again once a client has stopped
local again = {}
---@type table<integer, (fun(err?: string))[]>  Who waits for a client to be ready
local waiting = {}
---@type table<fun(err: string), integer>  Unanswered requests, with their client
local pending = {}
---@type integer[]  When the server was started again after it had died, in seconds
local restarts = {}
--- Why it is not started any more, once it died too often; until somebody restarts it.
---@type string?
local given_up
local told_problem = false

-- The program ---------------------------------------------------------------------------------------------------------

--- The directory of this plugin: `editors/nvim`.
local function plugin_dir()
  return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))))
end

--- The program, and every place that was looked at.
---@return string? path
---@return string[] tried
function M.binary()
  local tried = {}
  local function try(path, what)
    table.insert(tried, ('%s (%s)'):format(path, what))
    if vim.fn.executable(path) == 1 then
      local found = vim.fn.exepath(path)
      return found ~= '' and found or path
    end
  end
  local set = require('briefing.config').get().binary
  if set then
    -- What the user names is taken, or nothing is: another program in its place would only confuse.
    return try(vim.fs.normalize(set), 'vim.g.briefing.binary'), tried
  end
  local exe = vim.fn.has('win32') == 1 and 'briefing.exe' or 'briefing'
  local here = plugin_dir()
  return try(vim.fs.joinpath(here, 'bin', exe), 'installed beside the plugin') or try(
    vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(here)), 'target', 'release', exe),
    'built by the plugin manager'
  ) or try('briefing', 'on PATH'),
    tried
end

---@return string
function M.missing()
  local _, tried = M.binary()
  return 'Briefing: the program `briefing` was not found; looked for\n  '
    .. table.concat(tried, '\n  ')
    .. '\nInstall it with `cargo install`, or set vim.g.briefing = { binary = … }. More: :checkhealth briefing'
end

--- Why no server can be started, if none can.
---@return string?
function M.problem()
  if given_up then
    return given_up
  end
  local ok, config = pcall(function()
    return vim.lsp.config[M.NAME]
  end)
  if not ok or not config then
    return 'Briefing: lsp/briefing.lua is not on the runtimepath'
  end
  local cmd = config.cmd
  if type(cmd) == 'table' then
    return vim.fn.executable(cmd[1]) == 0
        and ('Briefing: `%s` in vim.lsp.config.briefing.cmd is not a program'):format(cmd[1])
      or nil
  end
  return not M.binary() and M.missing() or nil
end

--- Says once, however many buffers are opened, why no server can be started.
---@return boolean told  whether there is something to say
function M.tell_problem()
  local problem = M.problem()
  if problem and not told_problem then
    told_problem = true
    vim.notify(problem, vim.log.levels.WARN)
  end
  return problem ~= nil
end

--- A `cmd` of the user's own that does not exist keeps Neovim from starting the server without a word.
function M.check_command()
  if not vim.lsp.is_enabled or vim.lsp.is_enabled(M.NAME) then
    M.tell_problem()
  end
end

--- `cmd` of `lsp/briefing.lua`.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@return vim.lsp.rpc.PublicClient
function M.spawn(dispatchers)
  local binary = M.binary()
  if not binary then
    error(M.missing(), 0)
  end
  -- Neovim's own directory may be gone, and then no program can be started in it.
  local cwd = M.cwd() == nil and (vim.uv.os_homedir() or '/') or nil
  return vim.lsp.rpc.start({ binary, 'lsp' }, dispatchers, { cwd = cwd })
end

-- Files and folders ---------------------------------------------------------------------------------------------------

--- Neovim's working directory; `nil` if it is gone.
---@return string?
function M.cwd()
  local cwd = vim.fn.getcwd()
  return cwd ~= '' and cwd or nil
end

--- The file of a buffer; `nil` for one without a name, for a terminal, or for something that is no file.
---@param bufnr integer
---@return string?
function M.file(bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) or vim.bo[bufnr].buftype ~= '' then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' or name:match('^%a[%w+.-]+:/') or not M.is_absolute(name) then
    return nil
  end
  return name
end

---@param path string
---@return boolean
function M.is_absolute(path)
  return path:sub(1, 1) == '/' or path:match('^%a:[/\\]') ~= nil
end

--- An absolute path, also from `~` and from below the working directory; `nil` if that is gone.
---@param path string
---@return string?
function M.absolute(path)
  path = vim.fn.expand(path:match('^~') and path or vim.fn.escape(path, '*?[]{}$\\`~'))
  if path == '' or M.is_absolute(path) then
    return path ~= '' and vim.fs.normalize(path, { expand_env = false }) or nil
  end
  local cwd = M.cwd()
  return cwd and vim.fs.normalize(vim.fs.joinpath(cwd, path), { expand_env = false }) or nil
end

--- The workspace folder of a file: its repository, else the nearest directory with an instruction file, else the
--- working directory if that holds it.
---@param file? string
---@return string?
function M.root(file)
  if file then
    for _, markers in ipairs({ { '.git', '.jj', '.hg' }, { 'AGENTS.md', 'CLAUDE.md', 'GEMINI.md' } }) do
      local ok, root = pcall(vim.fs.root, file, markers)
      if ok and root and root ~= vim.uv.os_homedir() then
        return root
      end
    end
  end
  local cwd = M.cwd()
  return cwd and (not file or vim.startswith(file, cwd:gsub('/$', '') .. '/')) and cwd or nil
end

--- `root_dir` of `lsp/briefing.lua`.
---@param bufnr integer
---@param on_dir fun(root?: string)
function M.root_dir(bufnr, on_dir)
  local file = M.file(bufnr)
  if not file then
    return
  end
  if M.tell_problem() then
    return
  end
  on_dir(M.root(file))
end

-- One server for all --------------------------------------------------------------------------------------------------

--- `reuse_client` of `lsp/briefing.lua`: one server knows the unsaved text of every buffer, wherever its file is.
---@param client vim.lsp.Client
---@param config vim.lsp.ClientConfig
---@return boolean
function M.reuse(client, config)
  if client.name ~= M.NAME or not M.lives(client) then
    return false
  end
  local root = config.root_dir
  if type(root) == 'string' then
    M.add_folder(client, root)
  end
  return true
end

---@param client vim.lsp.Client
---@return boolean
function M.lives(client)
  return not (stopping[client.id] or client:is_stopped() or client._is_stopping)
end

---@param client vim.lsp.Client
---@param root string
function M.add_folder(client, root)
  local uri = vim.uri_from_fname(root)
  local folders = client.workspace_folders or {}
  for _, folder in ipairs(folders) do
    if folder.uri == uri then
      return
    end
  end
  local added = { uri = uri, name = root }
  client.workspace_folders = vim.list_extend({ added }, folders)
  M.when_ready(client, function(err)
    if not err then
      client:notify('workspace/didChangeWorkspaceFolders', { event = { added = { added }, removed = {} } })
    end
  end)
end

--- The running server, if there is one.
---@return vim.lsp.Client?
function M.client()
  for _, client in ipairs(vim.lsp.get_clients({ name = M.NAME })) do
    if M.lives(client) then
      return client
    end
  end
  -- One that was started and has not answered yet.
  for _, client in ipairs(vim.lsp.get_clients({ name = M.NAME, _uninitialized = true })) do
    if M.lives(client) then
      return client
    end
  end
end

---@param client vim.lsp.Client
---@param callback fun(err?: string)
function M.when_ready(client, callback)
  if client.initialized then
    return callback()
  end
  waiting[client.id] = waiting[client.id] or {}
  table.insert(waiting[client.id], callback)
end

---@param id integer
---@param err? string
local function release(id, err)
  local callbacks = waiting[id] or {}
  waiting[id] = nil
  for _, callback in ipairs(callbacks) do
    callback(err)
  end
end

--- A client has answered `initialize`.
---@param client vim.lsp.Client
function M.ready(client)
  release(client.id)
end

--- `before_init` of `lsp/briefing.lua`: a server that is started later gets what was assumed before.
---@param params lsp.InitializeParams
---@param config vim.lsp.ClientConfig
function M.before_init(params, config)
  config.settings = M.settings(config.settings)
  -- Diagnostics change with other files and with what is assumed. Neovim 0.12 does not ask again for those of an open
  -- buffer when it is told to, so they are sent to it.
  local documents = vim.tbl_get(params, 'capabilities', 'textDocument')
  if documents then
    documents.diagnostic = nil
  end
end

--- The names of the plugins: some of them speak for the harness they belong to.
---@return string[]
local function plugins()
  local names = {}
  for _, dir in ipairs(vim.api.nvim_list_runtime_paths()) do
    names[vim.fs.basename(dir)] = true
  end
  -- lazy.nvim keeps what is not loaded yet to itself.
  local ok, lazy = pcall(function()
    return package.loaded.lazy and package.loaded.lazy.plugins() or {}
  end)
  for _, plugin in ipairs(ok and lazy or {}) do
    names[plugin.name] = true
  end
  local sorted = vim.tbl_keys(names)
  table.sort(sorted)
  return sorted
end

--- The user's settings with what `:Briefing harness|cwd|session` chose laid over them.
---@param settings? table
---@return table
function M.settings(settings)
  local told = vim.tbl_deep_extend('force', { briefing = { extensions = plugins() } }, settings or {})
  return vim.tbl_deep_extend('force', told, { briefing = require('briefing.assume').settings() })
end

--- Tells the server what is assumed now.
function M.configure()
  local client = M.client()
  if not client then
    return
  end
  local user = (vim.lsp.config[M.NAME] or {}).settings or {}
  client.settings = M.settings(user)
  M.when_ready(client, function(err)
    if not err then
      local section = client.settings.briefing
      client:notify('workspace/didChangeConfiguration', {
        settings = { briefing = section and next(section) and section or vim.empty_dict() },
      })
    end
  end)
end

--- Starts the server for a buffer, whether or not it is enabled. A buffer with a file is attached.
---@param bufnr integer
---@return vim.lsp.Client?
---@return string? err
local function start(bufnr)
  local problem = M.problem()
  if problem then
    return nil, problem
  end
  local config = vim.deepcopy(vim.lsp.config[M.NAME])
  local file = M.file(bufnr)
  config.name = M.NAME
  config.root_dir = M.root(file)
  ---@cast config vim.lsp.ClientConfig
  local on_init = config.on_init
  config.on_init = vim.list_extend(type(on_init) == 'table' and on_init or { on_init }, { M.ready })
  local id = vim.lsp.start(config, {
    bufnr = bufnr,
    attach = file ~= nil,
    reuse_client = config.reuse_client,
    silent = true,
  })
  local client = id and vim.lsp.get_client_by_id(id)
  if not client then
    return nil, 'Briefing: the server could not be started; :Briefing log says more'
  end
  return client
end

-- Asking --------------------------------------------------------------------------------------------------------------

--- An answer without `null`: what is absent on the wire is absent in Lua.
---@param value any
---@return any
local function without_null(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) == 'table' then
    for key, inner in pairs(value) do
      value[key] = without_null(inner)
    end
  end
  return value
end

--- Asks the server; starts it if need be. The callback is called exactly once, whatever happens.
---@param bufnr integer
---@param method string
---@param params? table
---@param callback fun(err?: string, result?: any, code?: integer)
---@param timeout_ms? integer
function M.request(bufnr, method, params, callback, timeout_ms)
  local client, problem = M.client(), nil
  if not client then
    client, problem = start(bufnr)
  end
  if not client then
    vim.schedule(function()
      callback(problem)
    end)
    return
  end
  local failed, deadline
  local function finish(err, result, code)
    if pending[failed] then
      pending[failed] = nil
      deadline:stop()
      if not deadline:is_closing() then
        deadline:close()
      end
      callback(err, result, code)
    end
  end
  failed = function(err)
    finish(err)
  end
  pending[failed] = client.id
  timeout_ms = timeout_ms or 10000
  deadline = vim.defer_fn(function()
    failed(('Briefing: no answer to %s within %d ms'):format(method, timeout_ms))
  end, timeout_ms)
  M.when_ready(client, function(err)
    if err then
      return failed(err)
    end
    local attached = vim.api.nvim_buf_is_valid(bufnr) and vim.lsp.buf_is_attached(bufnr, client.id)
    local sent = client:request(method, params, function(response, result)
      local words = response and 'Briefing: ' .. response.message or nil
      finish(words, without_null(result), response and response.code)
    end, attached and bufnr or nil)
    if not sent then
      failed('Briefing: the server has stopped')
    end
  end)
end

-- Files that are gone -------------------------------------------------------------------------------------------------

--- A file that was deleted outside while its buffer is open is no instruction file any more: the server is told that it
--- is closed, until it is written again.
function M.look_for_deleted()
  local client = M.client()
  if not client or not client.initialized then
    return
  end
  for bufnr in pairs(client.attached_buffers) do
    local file = M.file(bufnr)
    if file and vim.uv.fs_stat(file) then
      vim.b[bufnr].briefing_on_disk = true
    elseif file and vim.b[bufnr].briefing_on_disk and not vim.bo[bufnr].modified then
      vim.b[bufnr].briefing_gone = true
      vim.lsp.buf_detach_client(bufnr, client.id)
    end
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local file = vim.b[bufnr].briefing_gone and M.file(bufnr)
    if file and vim.uv.fs_stat(file) then
      vim.b[bufnr].briefing_gone = nil
      vim.lsp.buf_attach_client(bufnr, client.id)
    end
  end
end

-- Stopping and starting again -----------------------------------------------------------------------------------------

---@param buffers integer[]
local function attach(buffers)
  for _, bufnr in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) and M.file(bufnr) then
      local _, err = start(bufnr)
      if err then
        vim.notify(err, vim.log.levels.WARN)
        return
      end
    end
  end
end

--- `on_exit` of `lsp/briefing.lua`.
---@param code integer
---@param signal integer
---@param id integer
function M.on_exit(code, signal, id)
  vim.schedule(function()
    local err = ('Briefing: the server has stopped (exit code %d, signal %d)'):format(code, signal)
    release(id, err)
    for failed, client in pairs(vim.deepcopy(pending)) do
      if client == id then
        failed(err)
      end
    end
    require('briefing.live').stopped(id)
  end)
  local client = vim.lsp.get_client_by_id(id)
  local buffers = again[id] or (client and vim.tbl_keys(client.attached_buffers)) or {}
  local wanted = again[id] ~= nil
  again[id] = nil
  local asked_to_stop = stopping[id] or (client and client._is_stopping) or (code == 0 and signal == 0)
  stopping[id] = nil
  if vim.v.exiting ~= vim.NIL or (asked_to_stop and not wanted) then
    return
  end
  if not wanted then
    local now = vim.uv.hrtime() / 1e9
    restarts = vim.tbl_filter(function(at)
      return now - at < WITHIN_S
    end, restarts)
    if #restarts >= RESTARTS then
      local said = 'Briefing: the server died %d times in %d s and is not restarted; '
      given_up = said:format(RESTARTS + 1, WITHIN_S) .. 'see :Briefing log, then :Briefing restart'
      told_problem = true
      vim.schedule(function()
        vim.notify(given_up, vim.log.levels.ERROR)
      end)
      return
    end
    table.insert(restarts, now)
  end
  vim.schedule(function()
    attach(buffers)
  end)
end

--- Stops the server and starts it again with the same buffers.
function M.restart()
  told_problem, restarts, given_up = false, {}, nil
  local client = M.client()
  if not client then
    if not M.tell_problem() then
      attach(vim.api.nvim_list_bufs())
    end
    return
  end
  stopping[client.id] = true
  again[client.id] = vim.tbl_keys(client.attached_buffers)
  client:stop()
  -- One that does not answer is ended.
  vim.defer_fn(function()
    if not client:is_stopped() then
      client:stop(true)
    end
  end, 2000)
end

return M
