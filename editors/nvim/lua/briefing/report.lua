--- `:Briefing report`: how the text is shared out among the files, per harness.
local M = {}

local view = require('briefing.view')
local words = require('briefing.words')

local BAR = 12

---@param share number  0 to 1
local function bar(share)
  local full = math.floor(share * BAR + 0.5)
  return ('█'):rep(full) .. ('░'):rep(BAR - full)
end

---@param target integer
---@param briefings briefing.Briefing[]
---@return briefing.Line[]
local function lines(target, briefings)
  local out = {
    { { 'Sizes for ', 'BriefingHint' }, { view.subject(target), 'BriefingTitle' } },
    {},
  }
  local widths = { place = 0, size = 0 }
  for _, briefing in ipairs(briefings) do
    for _, source in ipairs(briefing.sources) do
      widths.place = math.max(widths.place, vim.fn.strdisplaywidth(words.place(source, briefing.standpoint)))
      widths.size = math.max(widths.size, vim.fn.strdisplaywidth(words.size(source)))
    end
  end
  for _, briefing in ipairs(briefings) do
    local total = 0
    for _, source in ipairs(briefing.sources) do
      total = total + words.kept(source)
    end
    table.insert(out, {
      key = briefing.harness,
      { briefing.harness .. ' ' .. briefing.edition .. '  ', 'BriefingHarness' },
      { briefing.totals.bytes == 0 and 'told nothing' or words.totals(briefing.totals), 'BriefingSize' },
    })
    local sources = vim.tbl_filter(function(source)
      return source.size and source.size.bytes > 0
    end, briefing.sources)
    table.sort(sources, function(one, other)
      return words.kept(one) > words.kept(other)
    end)
    for _, source in ipairs(sources) do
      local share = total > 0 and words.kept(source) / total or 0
      local limit = source.limit
          and (' limit %s %s per %s'):format(words.grouped(source.limit.value), source.limit.unit, source.limit.per)
        or ''
      table.insert(out, {
        key = briefing.harness .. (source.path or source.url or ''),
        item = source,
        { '  ' .. bar(share), 'BriefingBar' },
        { (' %3d %%  '):format(math.floor(share * 100 + 0.5)), 'BriefingSize' },
        { words.pad(words.place(source, briefing.standpoint), widths.place) .. '  ', 'BriefingPath' },
        { words.pad(words.size(source), widths.size, true) .. ' ', words.group(source.fate) },
        { limit, 'BriefingReason' },
      })
    end
    table.insert(out, {})
  end
  table.remove(out)
  return out
end

local function draw(v)
  view.keys(v, { { '⏎', 'open' }, { 'q', 'close' } })
  view.ask(v, function(answered)
    require('briefing').effective(v.target, { text = false }, answered)
  end, function(result)
    view.put(v, lines(v.target, result.briefings))
  end)
end

---@param target integer
---@param mods? table
function M.open(target, mods)
  view.open('report', target, draw, {
    ['<CR>'] = {
      function(_, source)
        if source and source.path then
          view.edit(source.path)
        end
      end,
      'open the file',
    },
  }, mods)
end

return M
