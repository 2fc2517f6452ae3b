--- `:Briefing agents HARNESS`: the agents of a client; the one that is picked with what it is told, and what a
--- switch to it changes.
local M = {}

local server = require('briefing.server')
local view = require('briefing.view')
local words = require('briefing.words')

---@param mark string
---@param layer table
---@return briefing.Line
local function row(mark, layer)
  local size = layer.bytes and ('%s B'):format(words.grouped(layer.bytes)) or "the client's own"
  return { { ('  %s %s %s  '):format(mark, layer.kind, layer.name or ''), 'BriefingPath' }, { size, 'BriefingSize' } }
end

---@param agent table
---@return briefing.Line[]
local function lines(agent)
  local out = { { { agent.name .. '  ', 'BriefingTitle' }, { agent.kind .. '  ' .. agent.fidelity, 'BriefingHint' } } }
  for _, key in ipairs({ 'from', 'model', 'tools' }) do
    if agent[key] then
      table.insert(out, { { ('  %s '):format(key), 'BriefingHint' }, { agent[key] } })
    end
  end
  for _, layer in ipairs(agent.layers) do
    table.insert(out, row('+', layer))
  end
  for mark, files in pairs({ ['+'] = agent.given, ['-'] = agent.notGiven }) do
    for _, file in ipairs(files) do
      table.insert(out, {
        item = { path = file.path },
        { ('  %s %s  '):format(mark, file.path), 'BriefingPath' },
        { file.reason, 'BriefingReason' },
      })
    end
  end
  if agent.switch then
    table.insert(out, { { '  a switch to it', 'BriefingHint' } })
    for _, layer in ipairs(agent.switch.adds) do
      table.insert(out, row('  +', layer))
    end
    for _, layer in ipairs(agent.switch.removes) do
      table.insert(out, row('  -', layer))
    end
  end
  return out
end

---@param target integer
---@param harness string
---@param mods? table
function M.open(target, harness, mods)
  local root = server.root(server.file(target)) or server.cwd()
  local asked = { harness = harness, cwd = root and vim.uri_from_fname(root) or nil }
  server.request(target, 'briefing/agents', asked, function(err, result)
    if err or #result.agents == 0 then
      return vim.notify(err or ('which agents %s has is not known'):format(harness), vim.log.levels.WARN)
    end
    vim.ui.select(result.agents, {
      prompt = 'Which agent?',
      format_item = function(agent)
        return ('%s  %s'):format(agent.name, agent.kind)
      end,
    }, function(agent)
      if agent then
        view.open('agents', target, function(v)
          view.keys(v, { { '⏎', 'open' }, { 'q', 'close' } })
          view.put(v, lines(agent))
        end, view.opens, mods)
      end
    end)
  end)
end

return M
