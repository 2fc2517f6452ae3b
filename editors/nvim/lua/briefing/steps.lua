--- `:Briefing steps HARNESS STEP…`: what each step adds to the context, what is not sent again, and what is gone.
local M = {}

local server = require('briefing.server')
local view = require('briefing.view')
local words = require('briefing.words')

local FILES = { read = true, edit = true, write = true, mention = true }
local NAMES = { skill = true, command = true, agent = true, subagent = true }
local ALONE = { compact = true, resume = true }

--- One step, or what is wrong with it.
---@param text string
---@return table? step
---@return string? problem
local function step(text)
  local word, value = text:match('^(%S+)%s*(.-)$')
  if ALONE[word] and value == '' then
    return { [word] = true }
  elseif value and value ~= '' and (FILES[word] or word == 'run') then
    local path = server.absolute(value)
    if not path then
      return nil, ('`%s` cannot be resolved: the working directory was deleted'):format(value)
    end
    local uri = vim.uri_from_fname(path)
    return word == 'run' and { shell = '', cwd = uri } or { [word] = uri }
  elseif value and value ~= '' and NAMES[word] then
    return { [word] = value }
  end
  return nil, ('`%s` is not a step; see :help :Briefing-steps'):format(text)
end

--- The steps of a text such as `read a.rs; compact; read b.rs + read c.rs`, each with its words.
---@param text string
---@return table[]? steps
---@return string[]|string named  or what is wrong
function M.steps(text)
  local steps, named = {}, { 'start' }
  for turn in vim.gsplit(text, ';', { plain = true, trimempty = true }) do
    turn = vim.trim(turn)
    if turn ~= '' then
      local together = {}
      for one in vim.gsplit(turn, ' + ', { plain = true }) do
        local found, problem = step(vim.trim(one))
        if not found then
          return nil, problem or ''
        end
        table.insert(together, found)
      end
      table.insert(steps, #together == 1 and together[1] or { together = together })
      table.insert(named, turn)
    end
  end
  return steps, named
end

---@param mark string
---@param group string
---@param source table
---@param standpoint table
---@param reason string
---@return briefing.Line
local function row(mark, group, source, standpoint, reason)
  return {
    item = { path = source.path },
    { '  ' .. mark .. ' ', group },
    { words.place(source, standpoint) .. '  ', 'BriefingPath' },
    { reason, 'BriefingReason' },
  }
end

---@param unfolded table
---@param named string[]
---@param standpoint table
---@return briefing.Line[]
local function lines(unfolded, named, standpoint)
  local out = { { { 'Session of ', 'BriefingHint' }, { words.harness(unfolded), 'BriefingTitle' } }, {} }
  for at, turn in ipairs(unfolded.steps) do
    local sent = 0
    for _, message in ipairs(turn.messages) do
      sent = sent + #(message.text or '')
    end
    table.insert(out, {
      key = tostring(at),
      { ('%d. %s  '):format(at - 1, named[at]), 'BriefingHarness' },
      { sent > 0 and ('adds %s B'):format(words.grouped(sent)) or 'adds nothing', 'BriefingSize' },
    })
    for _, source in ipairs(turn.sources) do
      if source.fate ~= 'missing' then
        local reaches = vim.tbl_contains({ 'loaded', 'truncated', 'listed' }, source.fate)
        table.insert(out, row(reaches and '+' or '=', words.group(source.fate), source, standpoint, source.reason))
      end
    end
    for _, source in ipairs(turn.gone) do
      table.insert(out, row('-', 'BriefingReason', source, standpoint, 'no longer in the context'))
    end
    if turn.doubt then
      table.insert(out, { { '  not exact: ' .. turn.doubt, 'BriefingHint' } })
    end
    table.insert(out, {})
  end
  table.remove(out)
  return out
end

---@param target integer
---@param harness string
---@param steps table[]
---@param named string[]
---@param mods? table
function M.open(target, harness, steps, named, mods)
  local function draw(v)
    view.keys(v, { { '⏎', 'open' }, { 'q', 'close' } })
    local root = require('briefing.assume').get().cwd or server.root(server.file(target)) or server.cwd()
    local standpoint = { cwd = root, home = vim.uv.os_homedir() }
    view.ask(v, function(answered)
      server.request(target, 'briefing/session', {
        harness = harness,
        cwd = root and vim.uri_from_fname(root) or nil,
        steps = #steps > 0 and steps or vim.empty_dict(),
        include = { 'text' },
      }, answered)
    end, function(result)
      view.put(v, lines(result, named, standpoint))
    end)
  end
  view.open('steps', target, draw, view.opens, mods)
end

return M
