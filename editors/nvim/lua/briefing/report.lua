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

--- What the server counts where it offers `briefing/contextReport`.
---@param effective briefing.Effective
---@return {reports: briefing.Report[]}
function M.count(effective)
  local reports = {}
  for _, briefing in ipairs(effective.briefings) do
    local total, injected = briefing.totals.bytes, 0
    local sources = {}
    for _, source in ipairs(briefing.sources) do
      local kept = words.kept(source)
      injected = injected + kept
      table.insert(sources, {
        name = source.path or source.url,
        fate = source.fate,
        trigger = source.trigger,
        size = source.size,
        injected = kept,
        share = total > 0 and kept / total * 100 or 0,
      })
    end
    table.sort(sources, function(one, other)
      return one.injected > other.injected
    end)
    table.insert(reports, {
      harness = briefing.harness,
      edition = briefing.edition,
      totals = briefing.totals,
      frame = math.max(0, total - injected),
      sources = sources,
    })
  end
  return { reports = reports }
end

---@param share number  per cent
---@param name string
---@param size string
---@param widths table<string, integer>
---@return briefing.Line
local function row(share, name, size, widths, group)
  return {
    { '  ' .. bar(share / 100), 'BriefingBar' },
    { (' %5.1f %%  '):format(share), 'BriefingSize' },
    { words.pad(name, widths.place) .. '  ', group or 'BriefingPath' },
    { words.pad(size, widths.size, true), 'BriefingSize' },
  }
end

local FRAME = 'headings and separators'

---@param target integer
---@param reports briefing.Report[]
---@return briefing.Line[]
local function lines(target, reports)
  local out = {
    { { 'Sizes for ', 'BriefingHint' }, { view.subject(target), 'BriefingTitle' } },
    {},
  }
  local root = require('briefing.server').root(require('briefing.server').file(target))
  local standpoint = { cwd = root, home = vim.uv.os_homedir() }
  local function size(source)
    local all = source.size and source.size.bytes or source.injected
    local kept = words.grouped(source.injected)
    -- A harness that trims a file loses nothing of it.
    if source.injected == all or source.fate == 'loaded' then
      return words.grouped(all) .. ' B'
    end
    return ('%s of %s B'):format(kept, words.grouped(all))
  end
  local widths = { place = #FRAME, size = 0 }
  for _, report in ipairs(reports) do
    for _, source in ipairs(report.sources) do
      if source.size then
        widths.place = math.max(widths.place, vim.fn.strdisplaywidth(words.path(source.name, standpoint)))
        widths.size = math.max(widths.size, vim.fn.strdisplaywidth(size(source)))
      end
    end
    widths.size = math.max(widths.size, #words.grouped(report.frame) + 2)
  end
  for _, report in ipairs(reports) do
    table.insert(out, {
      key = report.harness,
      { words.harness(report) .. '  ', 'BriefingHarness' },
      { report.totals.bytes == 0 and 'loads nothing' or words.totals(report.totals), 'BriefingSize' },
    })
    for _, source in ipairs(report.sources) do
      if source.size and source.size.bytes > 0 then
        local line = row(source.share, words.path(source.name, standpoint), size(source), widths)
        line.key = report.harness .. source.name
        -- What has no file of its own has a name that is no path.
        line.item = require('briefing.server').is_absolute(source.name) and { path = source.name } or nil
        table.insert(
          line,
          { '  ' .. (source.fate == 'loaded' and '' or words.fate(source.fate)), words.group(source.fate) }
        )
        table.insert(out, line)
      end
    end
    if report.frame > 0 then
      local share = report.frame / report.totals.bytes * 100
      table.insert(out, row(share, FRAME, words.grouped(report.frame) .. ' B', widths, 'BriefingReason'))
    end
    table.insert(out, {})
  end
  table.remove(out)
  return out
end

local function draw(v)
  view.keys(v, { { '⏎', 'open' }, { 'q', 'close' } })
  view.ask(v, function(answered)
    require('briefing').report(v.target, {}, answered)
  end, function(result)
    view.put(v, lines(v.target, result.reports))
  end)
end

---@param target integer
---@param mods? table
function M.open(target, mods)
  view.open('report', target, draw, view.opens, mods)
end

return M
