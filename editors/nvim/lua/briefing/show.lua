--- `:Briefing show`: the sources of each harness, what became of them, and how much of each reaches the model.
local M = {}

local assume = require('briefing.assume')
local view = require('briefing.view')
local words = require('briefing.words')

---@class briefing.ShowItem
---@field briefing briefing.Briefing
---@field source? briefing.Source
---@field key? string  What `w` expands, if not the source

---@type table<string, true>  Sources whose reasons are shown in full
local expanded = {}
--- Harnesses that are told nothing are one line, until somebody wants to know why.
local nothing_expanded = false

local WHEN = { session = 'at start', read = 'on read', attach = 'if attached', call = 'if called' }

---@param briefing briefing.Briefing
---@param source? briefing.Source
local function key(briefing, source)
  return table.concat({ briefing.harness, briefing.edition, source and (source.path or source.url) or '' }, '\0')
end

--- Whether a harness is told nothing, and nothing is wrong with that.
---@param briefing briefing.Briefing
local function silent(briefing)
  if briefing.refusal or briefing.totals.bytes > 0 then
    return false
  end
  for _, source in ipairs(briefing.sources) do
    if source.fate ~= 'missing' and source.fate ~= 'empty' then
      return false
    end
  end
  return true
end

---@param briefing briefing.Briefing
---@param source briefing.Source
---@param widths table<string, integer>
---@param out briefing.Line[]
local function source_lines(briefing, source, widths, out)
  local item = { briefing = briefing, source = source }
  local group = words.group(source.fate)
  local open = expanded[key(briefing, source)]
  local when = WHEN[source.trigger] or source.trigger
  table.insert(out, {
    key = key(briefing, source),
    item = item,
    { '  ' },
    { words.icon(source.fate) .. ' ' .. words.pad(words.fate(source.fate), widths.fate) .. '  ', group },
    { words.pad(words.ending(words.place(source, briefing.standpoint), widths.place), widths.place), 'BriefingPath' },
    widths.size > 0 and { '  ' .. words.pad(words.size(source), widths.size, true), 'BriefingSize' } or nil,
    widths.when > 0 and { '  ' .. words.pad(when, widths.when), 'BriefingReason' } or nil,
    widths.scope > 0 and { '  ' .. source.scope, 'BriefingReason' } or nil,
  })
  local function say(label, text)
    table.insert(out, {
      item = item,
      { '      ' },
      { open and words.pad(label, 6) .. ' ' or '↳ ', 'BriefingHint' },
      { text, 'BriefingReason' },
    })
  end
  if open or (source.fate ~= 'loaded' and source.fate ~= 'missing') then
    say('why', words.said(source.reason, briefing.standpoint))
  end
  if not open then
    return
  end
  if source.by then
    say('by', words.path(source.by, briefing.standpoint))
  end
  if source.limit then
    local limit = source.limit
    say(
      'limit',
      ('%s %s per %s, from %s'):format(
        words.grouped(limit.value),
        limit.unit,
        limit.per == 'chain' and 'all files' or 'file',
        limit.from == 'default' and 'default' or words.path(limit.from, briefing.standpoint)
      )
    )
  end
  for _, range in ipairs(source.kept) do
    if source.fate == 'truncated' then
      say('kept', ('bytes %s to %s'):format(words.grouped(range.start), words.grouped(range['end'])))
    end
  end
  for _, probe in ipairs(briefing.trace or {}) do
    if probe.path == source.path then
      say('asked', ('%s → %s  (%s)'):format(probe.asked, probe.answer, probe.rule))
    end
  end
end

--- One line of a warning; all of it where somebody asks why.
---@param text string
---@param width integer
---@param whole boolean
local function clipped(text, width, whole)
  if whole or vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  return vim.fn.strcharpart(text, 0, math.max(10, width - 1)) .. '…'
end

---@param briefing briefing.Briefing
---@param widths table<string, integer>
---@param out briefing.Line[]
local function briefing_lines(briefing, widths, out)
  local count = 0
  for _, message in ipairs(briefing.messages) do
    count = count + ((message.kind or 'instructions') == 'instructions' and 1 or 0)
  end
  local told = count == 0 and 'loads nothing'
    or ('%d %s, %s'):format(count, count == 1 and 'message' or 'messages', words.totals(briefing.totals))
  table.insert(out, {
    key = key(briefing),
    item = { briefing = briefing },
    { words.harness(briefing), 'BriefingHarness' },
    { '  ' .. told, 'BriefingSize' },
    { '  ' .. words.fidelity(briefing), 'BriefingReason' },
  })
  if briefing.refusal then
    table.insert(out, {
      item = { briefing = briefing, source = { path = briefing.refusal.path, kept = {}, fate = 'unreadable' } },
      { '  ✗ refuses to start: ' .. briefing.refusal.message, 'BriefingRefusal' },
    })
  end
  for _, source in ipairs(briefing.sources) do
    source_lines(briefing, source, widths, out)
  end
  -- Warnings of one kind are one line; `w` shows all of them, and all of their words.
  local kinds, order = {}, {}
  for _, warning in ipairs(briefing.warnings) do
    if not kinds[warning.code] then
      kinds[warning.code] = {}
      table.insert(order, warning.code)
    end
    table.insert(kinds[warning.code], warning)
  end
  for _, code in ipairs(order) do
    local group = kinds[code]
    local which = key(briefing, { url = '\1' .. code })
    local open = expanded[which] ~= nil
    local label = ('  ⚠ %s%s  '):format(code, #group > 1 and ' ×' .. #group or '')
    for at, warning in ipairs(open and group or { group[1] }) do
      local source = { path = warning.path, url = '\1' .. code, kept = {}, fate = 'warning' }
      local text = words.said(warning.message:gsub('%s+', ' '), briefing.standpoint)
      table.insert(out, {
        key = at == 1 and which or nil,
        item = { briefing = briefing, source = source, key = which },
        { at == 1 and label or (' '):rep(vim.fn.strdisplaywidth(label)), 'BriefingWarning' },
        { clipped(text, widths.window - vim.fn.strdisplaywidth(label) - 1, open), 'BriefingReason' },
      })
    end
  end
  table.insert(out, {})
end

--- The least that is left of a path.
local PLACE = 20

--- Drops the columns that find no room beside a path, the least important first, and shortens paths to what is left.
---@param widths table<string, integer>
local function fit(widths)
  local function rest()
    local taken = 2 + 2 + widths.fate + 2
    for _, column in ipairs({ 'size', 'when', 'scope' }) do
      taken = taken + (widths[column] > 0 and widths[column] + 2 or 0)
    end
    return widths.window - taken
  end
  for _, column in ipairs({ 'scope', 'when', 'size' }) do
    if rest() < math.min(widths.place, PLACE) then
      widths[column] = 0
    end
  end
  widths.place = math.max(8, math.min(widths.place, rest()))
end

--- The lines of the view.
---@param target integer
---@param briefings briefing.Briefing[]
---@param width integer  of the window
---@return briefing.Line[]
function M.lines(target, briefings, width)
  local widths = { fate = 6, place = 4, size = 17, when = 8, scope = 5, window = width }
  local quiet, loud = {}, {}
  for _, briefing in ipairs(briefings) do
    table.insert((silent(briefing) and not nothing_expanded) and quiet or loud, briefing)
  end
  for _, briefing in ipairs(loud) do
    for _, source in ipairs(briefing.sources) do
      local function widen(column, text)
        widths[column] = math.max(widths[column], vim.fn.strdisplaywidth(text))
      end
      widen('fate', words.fate(source.fate))
      widen('place', words.place(source, briefing.standpoint))
      widen('size', words.size(source))
      widen('when', WHEN[source.trigger] or source.trigger)
      widen('scope', source.scope)
    end
  end
  fit(widths)
  local out = {}
  local file = require('briefing.server').file(target)
  table.insert(out, {
    { file and 'What agents load before they read ' or 'What agents load at ', 'BriefingHint' },
    { view.subject(target), 'BriefingTitle' },
  })
  if briefings[1] then
    table.insert(out, {
      { 'started in ' .. words.home(briefings[1].standpoint.cwd), 'BriefingHint' },
      { next(assume.get()) and ' · assuming ' .. assume.words() or '', 'BriefingHint' },
    })
  end
  local attached = vim.lsp.get_clients({ name = 'briefing', bufnr = target })[1]
  if file and not attached and vim.bo[target].modified then
    -- Plugins for large files do that.
    local note = 'what is not saved here is not counted: the server is not attached to this buffer'
    table.insert(out, { { note, 'BriefingWarning' } })
  end
  table.insert(out, {})
  if #loud > 0 then
    local columns = {
      '  ' .. words.pad('', widths.fate + 2),
      words.pad('file', widths.place),
    }
    local function column(name, text, right)
      if widths[name] > 0 then
        table.insert(columns, words.pad(text, widths[name], right))
      end
    end
    column('size', 'reaches the model', true)
    column('when', 'when')
    column('scope', 'scope')
    table.insert(out, { { table.concat(columns, '  '), 'BriefingHint' } })
  end
  for _, briefing in ipairs(loud) do
    briefing_lines(briefing, widths, out)
  end
  if #quiet > 0 then
    local names = vim.tbl_map(function(briefing)
      return words.harness(briefing)
    end, quiet)
    table.insert(out, {
      key = 'nothing',
      item = { nothing = true },
      { 'Load nothing: ', 'BriefingHint' },
      { table.concat(names, ', '), 'BriefingHarness' },
    })
  elseif #loud > 0 then
    table.remove(out)
  end
  return out
end

---@param v briefing.View
local function draw(v)
  view.keys(v, {
    { '⏎', 'open' },
    { 'c', 'cut' },
    { 'w', 'why' },
    { 'p', 'prompt' },
    { 'd', 'diff' },
    { 'r', 'refresh' },
    { 'q', 'close' },
  })
  view.ask(v, function(answered)
    require('briefing').effective(v.target, { text = false, trace = next(expanded) ~= nil }, answered)
  end, function(result)
    local win = vim.fn.bufwinid(v.buf)
    local width = win > 0 and vim.api.nvim_win_get_width(win) or vim.o.columns
    view.put(v, M.lines(v.target, result.briefings, width))
  end)
end

--- The first byte of a source that does not reach the model.
---@param source briefing.Source
---@return integer? offset
function M.cut(source)
  if source.fate == 'loaded' then
    return nil
  end
  local at = 0
  for _, range in ipairs(source.kept) do
    if range.start > at then
      return at
    end
    at = math.max(at, range['end'])
  end
  return source.size and at < source.size.bytes and at or nil
end

---@param item? briefing.ShowItem
---@return briefing.Source?
local function file_of(item)
  local source = item and item.source
  if not source or not source.path then
    vim.notify('Briefing: there is no file on this line')
    return nil
  end
  return source
end

local keys = {
  ['<CR>'] = {
    function(v, item)
      if item and item.nothing then
        nothing_expanded = true
        return draw(v)
      end
      local source = file_of(item)
      if source then
        view.edit(source.path)
      end
    end,
    'open the file',
  },
  c = {
    function(_, item)
      local source = file_of(item)
      if not source then
        return
      end
      local offset = M.cut(source)
      if not offset then
        return vim.notify('Briefing: all of this file reaches the model')
      end
      view.edit(source.path, offset)
    end,
    'go to where the model stops reading',
  },
  w = {
    function(v, item)
      if item and item.nothing then
        nothing_expanded = true
        return draw(v)
      elseif item and item.source then
        local which = item.key or key(item.briefing, item.source)
        expanded[which] = not expanded[which] or nil
      elseif item then
        -- On a harness: all of its sources, or none.
        local any = false
        for _, source in ipairs(item.briefing.sources) do
          any = any or expanded[key(item.briefing, source)] ~= nil
        end
        for _, source in ipairs(item.briefing.sources) do
          expanded[key(item.briefing, source)] = not any or nil
        end
        nothing_expanded = false
      end
      draw(v)
    end,
    'why',
  },
  p = {
    function(v, item)
      if item and item.briefing then
        local spec = item.briefing.harness .. '@' .. item.briefing.edition
        require('briefing.preview').open(spec, v.target, { split = 'aboveleft' })
      end
    end,
    'the exact prompt of this harness',
  },
  d = {
    function(v, item)
      if not item or not item.briefing then
        return
      end
      local one = item.briefing.harness
      local title = require('briefing.live').title
      local others = vim.tbl_filter(
        function(id)
          return id ~= one
        end,
        vim.tbl_map(function(harness)
          return harness.id
        end, require('briefing.live').harnesses())
      )
      local asked = { prompt = ('Compare %s with'):format(title(one)), format_item = title }
      vim.ui.select(others, asked, function(other)
        if other then
          require('briefing.preview').compare(one, other, v.target)
        end
      end)
    end,
    'compare with another harness',
  },
  r = { draw, 'refresh' },
}
keys['<Tab>'] = keys.w

---@param target integer
---@param mods? table
function M.open(target, mods)
  view.open('show', target, draw, keys, mods)
end

return M
