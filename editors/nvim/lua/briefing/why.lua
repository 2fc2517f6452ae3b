--- `:Briefing why FILE`: what became of an instruction file in each harness, and what was asked about it.
local M = {}

local server = require('briefing.server')
local view = require('briefing.view')
local words = require('briefing.words')

--- When an agent is asked: an instruction file is not read for its own sake.
---@param file string
---@param target integer
---@return string
local function about(file, target)
  local read = server.file(target)
  if not read or read == file then
    return 'at the start of a session, or when an agent reads a file beside it'
  end
  return 'when an agent reads ' .. view.subject(target)
end

---@param file string
---@param explanations table[]
---@return briefing.Line[]
local function lines(file, target, explanations)
  local out = {
    { { 'Why ', 'BriefingHint' }, { words.home(file), 'BriefingTitle' } },
    { { about(file, target), 'BriefingHint' } },
    {},
  }
  for _, explanation in ipairs(explanations) do
    local fate = explanation.fate
    local item = { path = file }
    table.insert(out, {
      key = explanation.harness,
      item = item,
      { words.harness(explanation) .. '  ', 'BriefingHarness' },
      fate and { words.icon(fate) .. ' ' .. words.fate(fate), words.group(fate) }
        or { '– not looked at', 'BriefingReason' },
    })
    local standpoint = { cwd = server.root(file) }
    table.insert(out, { item = item, { '  ' .. words.said(explanation.reason, standpoint), 'BriefingReason' } })
    for _, probe in ipairs(explanation.probes) do
      table.insert(out, {
        item = { path = probe.path },
        { '  asked ', 'BriefingHint' },
        { probe.asked .. ' → ' .. probe.answer, 'BriefingPath' },
        { '  ' .. words.said(probe.rule, standpoint), 'BriefingReason' },
      })
    end
    table.insert(out, {})
  end
  table.remove(out)
  return out
end

---@param target integer
---@param file string
---@param mods? table
function M.open(target, file, mods)
  local function draw(v)
    view.keys(v, { { '⏎', 'open' }, { 'q', 'close' } })
    local assumed = require('briefing.assume').get()
    local read = server.file(target)
    local root = not read and (assumed.cwd or server.cwd()) or assumed.cwd
    view.ask(v, function(answered)
      server.request(target, 'briefing/explain', {
        textDocument = { uri = vim.uri_from_fname(file) },
        -- An instruction file is not read for its own sake: the question is then about the start of a session.
        target = read and read ~= file and vim.uri_from_fname(read) or nil,
        cwd = root and vim.uri_from_fname(root) or nil,
        harness = assumed.harness,
      }, answered)
    end, function(result)
      view.put(v, lines(file, target, result.explanations))
    end)
  end
  view.open('why', target, draw, view.opens, mods)
end

return M
