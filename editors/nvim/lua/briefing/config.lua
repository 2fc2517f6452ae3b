--- The user's settings, from `vim.g.briefing`; there is no `setup()`.
local M = {}

---@class briefing.Config
---@field binary? string     The program; absent: beside the plugin, then on PATH
---@field window? 'split'|'vsplit'|'float'|'tab'  Where views open
---@field icons? table<string, string>  An icon by fate, over the defaults
---@field cuts? boolean      Fade lost text and note where it begins
---@field codelens? boolean  Show code lenses in instruction files
---@field marks? boolean     Mark lines that one of several agents does not get
---@field hints? boolean     Show inlay hints in instruction files
---@field poll_ms? integer   How often a server that sends no change notifications is asked, while somebody looks

---@type briefing.Config
local defaults = {
  window = 'split',
  icons = {},
  cuts = true,
  codelens = true,
  hints = true,
  marks = true,
  poll_ms = 1000,
}

local kinds = {
  binary = 'string',
  window = 'string',
  icons = 'table',
  cuts = 'boolean',
  codelens = 'boolean',
  hints = 'boolean',
  marks = 'boolean',
  poll_ms = 'number',
}
local windows = { split = true, vsplit = true, float = true, tab = true }

--- The settings in force and what is wrong with the user's.
---@return briefing.Config config
---@return string[] problems
function M.read()
  local config, problems = vim.deepcopy(defaults), {}
  local user = vim.g.briefing
  if user == nil then
    return config, problems
  end
  if type(user) ~= 'table' then
    return config, { ('vim.g.briefing: a table is expected, not %s'):format(type(user)) }
  end
  for key, value in pairs(user) do
    if not kinds[key] then
      table.insert(problems, ('vim.g.briefing: there is no setting `%s`'):format(key))
    elseif type(value) ~= kinds[key] then
      table.insert(problems, ('vim.g.briefing.%s: a %s is expected, not %s'):format(key, kinds[key], type(value)))
    elseif key == 'window' and not windows[value] then
      table.insert(problems, ('vim.g.briefing.window: `%s` is none of split, vsplit, float, tab'):format(value))
    else
      config[key] = value
    end
  end
  table.sort(problems)
  return config, problems
end

local told = false

--- The settings in force; what is wrong is told once.
---@return briefing.Config
function M.get()
  local config, problems = M.read()
  if #problems > 0 and not told then
    told = true
    vim.notify('Briefing: ' .. table.concat(problems, '\n'), vim.log.levels.WARN)
  end
  return config
end

return M
