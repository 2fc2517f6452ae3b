--- `:Briefing files`: the quickfix list of all instruction files, with what becomes of each.
local M = {}

local server = require('briefing.server')
local words = require('briefing.words')

--- Fates that lose text.
local LOSES = { truncated = true, dropped = true, shadowed = true, unreadable = true }

---@class briefing.Found
---@field path string
---@field fates [string, string, string][]  harness, fate, size

---@param found table<string, briefing.Found>
local function show(found)
  local items = {}
  for _, file in pairs(found) do
    local texts, loses = {}, false
    -- Files of agents that are not asked about are not listed.
    if #file.fates == 0 then
      goto continue
    end
    for _, fate in ipairs(file.fates) do
      loses = loses or LOSES[fate[2]] ~= nil
      local title = require('briefing.live').title(fate[1])
      local said = ('%s %s %s %s'):format(words.icon(fate[2]), title, words.fate(fate[2]), fate[3] or '')
      table.insert(texts, vim.trim(said))
    end
    table.insert(items, {
      filename = file.path,
      lnum = 1,
      type = loses and 'W' or 'I',
      text = table.concat(texts, ' · '),
    })
    ::continue::
  end
  table.sort(items, function(one, other)
    return one.filename < other.filename
  end)
  vim.fn.setqflist({}, ' ', { title = 'Briefing: instruction files', items = items })
  if #items == 0 then
    return vim.notify('Briefing: no harness finds an instruction file here')
  end
  vim.cmd('botright copen')
end

--- The files that the index knows, where the server tells them; else those of the answers for this buffer.
---@param target integer
function M.open(target)
  local function from_answers()
    require('briefing').effective(target, { text = false }, function(err, result)
      if not result then
        return vim.notify(err or '', vim.log.levels.ERROR)
      end
      local found = {}
      for _, briefing in ipairs(result.briefings) do
        for _, source in ipairs(briefing.sources) do
          if source.path and source.fate ~= 'missing' then
            found[source.path] = found[source.path] or { path = source.path, fates = {} }
            table.insert(found[source.path].fates, { briefing.harness, source.fate, words.size(source) })
          end
        end
      end
      show(found)
    end)
  end
  server.request(target, 'briefing/instructionFiles', nil, function(err, result)
    if err or type(result) ~= 'table' or type(result.files) ~= 'table' then
      return from_answers()
    end
    local found = {}
    for _, file in ipairs(result.files) do
      local path = file.path or (file.uri and vim.uri_to_fname(file.uri))
      if path then
        local fates = {}
        for _, harness in ipairs(file.harnesses or {}) do
          if harness.fate then
            table.insert(fates, { harness.harness, harness.fate, '' })
          end
        end
        found[path] = { path = path, fates = fates }
      end
    end
    show(found)
  end)
end

return M
