--- Notices when answers may have changed, and tells whoever looks: views, status lines, autocommands.
local M = {}

local server = require('briefing.server')

--- While somebody types, views follow at this pace.
local PACE_MS = 40

---@type table<fun(), true>
local subscribers = {}
---@class briefing.State
---@field line string       For the status line
---@field digest? table<string, string>  By harness, to see which have changed
---@field asked integer     The newest question
---@type table<integer, briefing.State>
local states = {}
local statusline_used = false
---@type table<integer, true>  Clients whose server says by itself that answers have changed
local announces = {}
---@type integer?  The index version that was seen last
local version
---@type uv.uv_timer_t?
local pace
---@type uv.uv_timer_t?
local poll
---@type integer?  Its interval
local poll_ms
---@type table[]  What the server knows about harnesses
local harnesses = {}
local asked_harnesses

-- Who looks -----------------------------------------------------------------------------------------------------------

--- Calls back whenever answers may have changed, until the returned function is called.
---@param callback fun()
---@return fun()
function M.subscribe(callback)
  subscribers[callback] = true
  M.watch()
  M.remember()
  return function()
    subscribers[callback] = nil
  end
end

local function listened()
  return #vim.api.nvim_get_autocmds({ event = 'User', pattern = 'BriefingChanged' }) > 0
end

local function looked_at()
  return next(subscribers) ~= nil or statusline_used or listened()
end

-- What happens --------------------------------------------------------------------------------------------------------

--- Answers may have changed.
function M.touch()
  if pace then
    return
  end
  pace = vim.defer_fn(function()
    pace = nil
    M.remember()
    for callback in pairs(vim.tbl_extend('force', {}, subscribers)) do
      callback()
    end
    M.states()
    require('briefing.marks').refresh()
  end, PACE_MS)
end

---@param client vim.lsp.Client
---@param bufnr integer
function M.attached(client, bufnr)
  server.ready(client)
  server.look_for_deleted()
  require('briefing.edits').watch(client)
  if asked_harnesses ~= client.id then
    asked_harnesses = client.id
    M.fetch_harnesses(bufnr)
  end
  require('briefing.cuts').attached(client, bufnr)
  -- The server's lenses and actions name commands that are run here.
  require('briefing.command')
  M.touch()
  M.watch()
end

---@param id integer
function M.stopped(id)
  announces[id] = nil
  version = nil
  M.touch()
end

vim.api.nvim_create_autocmd('LspNotify', {
  group = vim.api.nvim_create_augroup('briefing.live', {}),
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    local method = event.data.method
    if
      client
      and client.name == server.NAME
      and (method:match('^textDocument/did') or method:match('^workspace/did'))
    then
      M.touch()
    end
  end,
  desc = 'Briefing: the server was told something',
})
vim.api.nvim_create_autocmd({ 'BufEnter', 'FocusGained', 'BufWritePost', 'FileChangedShellPost' }, {
  group = 'briefing.live',
  callback = server.look_for_deleted,
  desc = 'Briefing: files that were deleted have no findings',
})
vim.api.nvim_create_autocmd({ 'BufWinEnter', 'FocusGained' }, {
  group = 'briefing.live',
  callback = function()
    if looked_at() then
      M.touch()
    end
  end,
  desc = 'Briefing: other buffers are looked at',
})
vim.api.nvim_create_autocmd('BufWipeout', {
  group = 'briefing.live',
  callback = function(event)
    states[event.buf] = nil
  end,
  desc = 'Briefing: a buffer is gone',
})

vim.lsp.handlers['briefing/didChangeInstructions'] = function(_, _, context)
  announces[context.client_id] = true
  M.touch()
end

--- Remembers the version before anything is asked, so that no change after an answer goes unnoticed.
function M.remember()
  local client = server.client()
  if client and client.initialized and not announces[client.id] and looked_at() then
    client:request('briefing/status', nil, function(_, status)
      version = status and status.version
    end)
  end
end

--- A server that announces nothing is asked for its version while somebody looks.
function M.watch()
  local interval = require('briefing.config').get().poll_ms
  if poll and poll_ms == interval then
    return
  elseif poll then
    poll:close()
  end
  local timer = assert(vim.uv.new_timer())
  poll, poll_ms = timer, interval
  timer:start(
    interval,
    interval,
    vim.schedule_wrap(function()
      local client = server.client()
      if not looked_at() or (client and announces[client.id]) then
        if poll == timer then
          poll:close()
          poll = nil
        end
        return
      end
      if not client or not client.initialized then
        return
      end
      client:request('briefing/status', nil, function(err, status)
        if err or not status then
          return
        end
        local before = version
        version = status.version
        if before and before ~= version then
          M.touch()
        end
      end)
    end)
  )
end

-- What is known about visible buffers ---------------------------------------------------------------------------------

---@param bufnr integer
---@param briefings briefing.Briefing[]
---@param with_text boolean
local function learn(bufnr, briefings, with_text)
  local state = states[bufnr]
  local line = M.line(briefings)
  local digest, changed = {}, {}
  for _, briefing in ipairs(briefings) do
    local key = ('%s %s'):format(briefing.harness, briefing.edition)
    digest[key] = vim.fn.sha256(vim.json.encode({ briefing.messages, briefing.sources, briefing.refusal }))
    if not state.digest or state.digest[key] ~= digest[key] then
      table.insert(changed, briefing.harness)
    end
  end
  local fewer = state.digest and vim.tbl_count(state.digest) > #briefings
  state.digest = with_text and digest or nil
  if state.line ~= line then
    state.line = line
    vim.cmd.redrawstatus({ bang = true })
  end
  if with_text and (#changed > 0 or fewer) then
    vim.api.nvim_exec_autocmds('User', {
      pattern = 'BriefingChanged',
      modeline = false,
      data = { bufnr = bufnr, harnesses = changed },
    })
  end
end

--- Asks for every buffer that is looked at, if anybody wants to know.
function M.states()
  local with_text = listened()
  if not with_text and not statusline_used then
    return
  end
  local seen = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local bufnr = vim.api.nvim_win_get_buf(win)
    if not seen[bufnr] and server.file(bufnr) and server.client() then
      seen[bufnr] = true
      local state = states[bufnr] or { line = '', asked = 0 }
      states[bufnr] = state
      state.asked = state.asked + 1
      local question = state.asked
      require('briefing').effective(bufnr, { text = with_text }, function(_, result)
        if result and states[bufnr] == state and state.asked == question then
          learn(bufnr, result.briefings, with_text)
        end
      end)
    end
  end
end

--- `Codex 8.2k◐ OpenClaw 3k`: tokens by harness, with the worst fate if something is lost.
---@param briefings briefing.Briefing[]
---@return string
function M.line(briefings)
  local words = require('briefing.words')
  local parts = {}
  for _, briefing in ipairs(briefings) do
    local worst = briefing.refusal and words.icon('unreadable') or ''
    for _, fate in ipairs({ 'truncated', 'dropped', 'unreadable' }) do
      for _, source in ipairs(briefing.sources) do
        -- A file that is left out for its place alone is as it should be; one that finds no room is lost.
        if source.fate == fate and (fate ~= 'dropped' or source.limit) then
          worst = words.icon(fate)
        end
      end
    end
    if briefing.totals.bytes > 0 or worst ~= '' then
      table.insert(
        parts,
        ('%s %s%s'):format(M.title(briefing.harness), words.short(briefing.totals.tokens.value), worst)
      )
    end
  end
  if #parts > 3 then
    parts = { parts[1], parts[2], parts[3], '+' .. #parts - 3 }
  end
  return table.concat(parts, ' ')
end

---@param bufnr integer
---@return string
function M.statusline(bufnr)
  if not statusline_used then
    statusline_used = true
    M.touch()
    M.watch()
  end
  return states[bufnr] and states[bufnr].line or ''
end

-- What the server knows -----------------------------------------------------------------------------------------------

--- The harnesses, those that are used here first.
---@param result table
---@return table[]
local function mine_first(result)
  local rank = {}
  for at, used in ipairs(vim.tbl_get(result, 'roster', 'mine') or {}) do
    rank[used.harness] = at
  end
  local known = {}
  for at, harness in ipairs(result.harnesses) do
    rank[harness.id] = rank[harness.id] or 1000 + at
    table.insert(known, harness)
  end
  table.sort(known, function(one, other)
    return rank[one.id] < rank[other.id]
  end)
  return known
end

---@param bufnr integer
---@param callback? fun()
function M.fetch_harnesses(bufnr, callback)
  server.request(bufnr, 'briefing/harnesses', nil, function(_, result)
    if result then
      -- Whatever is on the screen calls them by their titles from now on.
      if #harnesses == 0 then
        M.touch()
      end
      harnesses = mine_first(result)
      require('briefing.cuts').harnesses(harnesses)
    end
    if callback then
      callback()
    end
  end)
end

--- What people call a harness; its id until the server has said it.
---@param id string
---@return string
function M.title(id)
  for _, harness in ipairs(harnesses) do
    if harness.id == id then
      return harness.title
    end
  end
  return id
end

--- Every harness the server knows. Waits a moment for a server that has just started.
---@return table[]
function M.harnesses()
  if #harnesses == 0 then
    local done = false
    M.fetch_harnesses(vim.api.nvim_get_current_buf(), function()
      done = true
    end)
    vim.wait(3000, function()
      return done
    end, 5)
  end
  return harnesses
end

return M
