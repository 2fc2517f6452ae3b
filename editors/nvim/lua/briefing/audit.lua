--- `:Briefing audit [SESSION]`: what a recorded session was told, step by step.
local M = {}

local server = require('briefing.server')
local view = require('briefing.view')
local words = require('briefing.words')

--- A text that reached the model, or is gone.
---@param mark string
---@param group string
---@param text table
---@param remark string
---@return briefing.Line
local function row(mark, group, text, remark)
  local name = text.path and vim.fn.fnamemodify(text.path, ':~:.') or text.name
  return {
    item = { path = text.path },
    { '  ' .. mark .. ' ', group },
    { name .. '  ', 'BriefingPath' },
    { text.size.bytes > 0 and ('%s B  '):format(words.grouped(text.size.bytes)) or '', 'BriefingSize' },
    { remark, 'BriefingReason' },
  }
end

---@param text table
---@return string
local function remark(text)
  if text.how == 'unknown' then
    return 'not in the record'
  elseif text.how == 'reconstructed' then
    return 'not in the record; from the files, which have not changed since'
  end
  return text.fate == 'truncated' and 'cut' or text.sameAsDisk == false and 'the file is another now' or ''
end

---@param audit table
---@return briefing.Line[]
local function lines(audit)
  local out = {
    { { ('%s %s'):format(audit.agent, audit.version or ''), 'BriefingTitle' }, { '  ' .. audit.id, 'BriefingHint' } },
    {},
  }
  for at, step in ipairs(audit.steps) do
    local name = step.name and vim.fn.fnamemodify(step.name, ':~:.') or ''
    table.insert(out, { key = tostring(at), { ('%d. %s %s'):format(at - 1, step.kind, name), 'BriefingHarness' } })
    for _, text in ipairs(step.given) do
      table.insert(out, row(text.how == 'unknown' and '?' or '+', words.group(text.fate), text, remark(text)))
    end
    for _, text in ipairs(step.gone) do
      table.insert(out, row('-', 'BriefingReason', text, 'no longer in context'))
    end
  end
  for at, verdict in ipairs(audit.verdicts) do
    if at == 1 then
      table.insert(out, {})
    end
    table.insert(out, { { verdict.message, 'BriefingHint' } })
  end
  return out
end

---@param target integer
---@param session? string
---@param mods? table
function M.open(target, session, mods)
  local function draw(v)
    view.keys(v, { { '⏎', 'open' }, { 'q', 'close' } })
    local root = require('briefing.assume').get().cwd or server.root(server.file(target)) or server.cwd()
    view.ask(v, function(answered)
      server.request(target, 'briefing/audit', {
        session = session,
        cwd = root and vim.uri_from_fname(root) or nil,
      }, answered)
    end, function(result)
      view.put(v, lines(result.sessions[1]))
    end)
  end
  view.open('audit', target, draw, view.opens, mods)
end

return M
