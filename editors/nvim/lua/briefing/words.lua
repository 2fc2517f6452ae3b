--- How sizes, paths and fates are said.
local M = {}

M.icons = {
  loaded = '●',
  listed = '◇',
  truncated = '◐',
  shadowed = '◌',
  dropped = '○',
  excluded = '○',
  empty = '∅',
  missing = '·',
  unreadable = '✗',
  pending = '…',
}

--- What became of a source, where the word for people is another one than the server's.
local fates = { truncated = 'cut', dropped = 'skipped', pending = 'not fetched' }

---@param fate string
---@return string
function M.fate(fate)
  return fates[fate] or fate
end

local fidelities = { exact = 'exact', unchecked = 'unchecked' }

--- How far an answer can be relied on.
---@param briefing briefing.Briefing
---@return string
function M.fidelity(briefing)
  return fidelities[briefing.fidelity] or 'not exact'
end

--- A harness and its edition, as people write them: `Codex 0.169`.
---@param of {harness: string, edition: string}
---@return string
function M.harness(of)
  return require('briefing.live').title(of.harness) .. ' ' .. of.edition
end

--- A harness as it is named in commands, as people write it: `Codex 0.104` of `codex@0.104`.
---@param spec string
---@return string
function M.spec(spec)
  local id, edition = spec:match('^([^@]+)@?(.*)$')
  return vim.trim(require('briefing.live').title(id) .. ' ' .. edition)
end

---@param fate string
---@return string
function M.icon(fate)
  return require('briefing.config').get().icons[fate] or M.icons[fate] or '?'
end

--- The highlight group of a fate.
---@param fate string
---@return string
function M.group(fate)
  return M.icons[fate] and 'Briefing' .. fate:sub(1, 1):upper() .. fate:sub(2) or 'BriefingReason'
end

--- 36008 is `36 008`.
---@param number integer
---@return string
function M.grouped(number)
  local digits = ('%d'):format(number)
  local head = #digits % 3
  local parts = head > 0 and { digits:sub(1, head) } or {}
  for at = head + 1, #digits, 3 do
    table.insert(parts, digits:sub(at, at + 2))
  end
  return table.concat(parts, ' ')
end

--- 8220 is `8.2k`.
---@param number integer
---@return string
function M.short(number)
  if number < 1000 then
    return ('%d'):format(number)
  end
  local text = number < 99500 and ('%.1f'):format(number / 1000):gsub('%.0$', '') or ('%.0f'):format(number / 1000)
  return text .. 'k'
end

--- How many bytes of a source reach the model.
---@param source briefing.Source
---@return integer
function M.kept(source)
  local sum = 0
  for _, range in ipairs(source.kept or {}) do
    sum = sum + range['end'] - range.start
  end
  return sum
end

--- `32 768 of 36 008 B`, or `10 B` when all of it reaches the model.
---@param source briefing.Source
---@return string
function M.size(source)
  if not source.size then
    return '—'
  end
  local all = M.grouped(source.size.bytes)
  if source.fate == 'loaded' or source.fate == 'empty' then
    return all .. ' B'
  end
  return ('%s of %s B'):format(M.grouped(M.kept(source)), all)
end

--- A path as people write it: below the start directory, below home, or absolute.
---@param path string
---@param standpoint? briefing.Standpoint
---@return string
function M.path(path, standpoint)
  local function below(base)
    base = base:gsub('/$', '')
    return path:sub(1, #base + 1) == base .. '/' and path:sub(#base + 2) or nil
  end
  local inside = standpoint and standpoint.cwd and below(standpoint.cwd)
  if inside then
    return inside
  end
  return M.home(path, standpoint and standpoint.home)
end

--- A path with `~` for the home directory.
---@param path string
---@param home? string
---@return string
function M.home(path, home)
  home = (home or vim.uv.os_homedir() or ''):gsub('/$', '')
  if home ~= '' and path == home then
    return '~'
  end
  return home ~= '' and path:sub(1, #home + 1) == home .. '/' and '~' .. path:sub(#home + 1) or path
end

--- A sentence whose paths are written as people write them.
---@param text string
---@param standpoint briefing.Standpoint
---@return string
function M.said(text, standpoint)
  return (text:gsub('%f[/%w]/[^%s,;:)`"]+', function(path)
    return M.path(path, standpoint)
  end))
end

--- What a source is called.
---@param source briefing.Source
---@param standpoint? briefing.Standpoint
---@return string
function M.place(source, standpoint)
  return source.path and M.path(source.path, standpoint) or source.url or '?'
end

--- `32 877 B ≈ 8 220 tokens`
---@param totals briefing.Totals
---@return string
function M.totals(totals)
  return ('%s B ≈ %s tokens'):format(M.grouped(totals.bytes), M.grouped(totals.tokens.value))
end

--- The end of a path that finds no room.
---@param path string
---@param width integer
---@return string
function M.ending(path, width)
  local length = vim.fn.strdisplaywidth(path)
  if length <= width then
    return path
  end
  return '…' .. vim.fn.strcharpart(path, vim.fn.strchars(path) - width + 1)
end

--- Pads to a display width.
---@param text string
---@param width integer
---@param right? boolean  aligned to the right
---@return string
function M.pad(text, width, right)
  local fill = (' '):rep(width - vim.fn.strdisplaywidth(text))
  return right and fill .. text or text .. fill
end

return M
