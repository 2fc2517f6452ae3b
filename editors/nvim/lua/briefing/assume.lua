--- What is assumed of the agent: which harness, started where, in which kind of session.
local M = {}

---@class briefing.Assumed
---@field harness? string[]
---@field cwd? string
---@field session? string
local assumed = {}

---@return briefing.Assumed
function M.get()
  return vim.deepcopy(assumed)
end

--- Sets one assumption (`nil`: none) and tells the server and whoever looks.
---@param what 'harness'|'cwd'|'session'
---@param value? any
function M.set(what, value)
  assumed[what] = value
  require('briefing.server').configure()
  require('briefing.live').touch()
end

--- The same as settings of the server, so that its diagnostics follow.
---@return table
function M.settings()
  local settings = { harnesses = assumed.harness, cwd = assumed.cwd }
  if assumed.session then
    settings.sessions = {}
    for _, harness in ipairs(require('briefing.live').harnesses()) do
      settings.sessions[harness.id] = assumed.session
    end
  end
  return settings
end

--- In words, for a person.
---@return string
function M.words()
  local words = {}
  if assumed.harness then
    table.insert(words, table.concat(assumed.harness, ', '))
  end
  if assumed.cwd then
    table.insert(words, 'started in ' .. require('briefing.words').home(assumed.cwd))
  end
  if assumed.session then
    table.insert(words, assumed.session .. ' session')
  end
  return #words > 0 and table.concat(words, ' · ')
    or 'the harnesses of the settings · started in the workspace folder · main session'
end

return M
