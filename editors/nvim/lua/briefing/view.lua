--- A window with lines that are drawn from an answer, and drawn again when the answer changes.
local M = {}

local server = require('briefing.server')

local ns = vim.api.nvim_create_namespace('briefing.view')

---@alias briefing.Segment [string, string?]  A text and its highlight group

---@class briefing.Line
---@field [integer] briefing.Segment
---@field key? string  Keeps the cursor where it is when lines move
---@field item? any    What keys act on

---@class briefing.View
---@field buf integer
---@field kind string
---@field target integer  The buffer it is about
---@field lines briefing.Line[]
---@field draw fun(view: briefing.View)  Asks, and calls `put`
---@field asked integer   The newest question
---@field lost table<integer, {key: string, row: integer}>  By window: what the cursor was on and the answer had not

---@type table<integer, briefing.View>
local views = {}

--- The file or buffer a view is about, for people.
---@param bufnr integer
---@return string
function M.subject(bufnr)
  local file = server.file(bufnr)
  return file and vim.fn.fnamemodify(file, ':~:.') or 'the start of a session'
end

--- The view in a buffer.
---@param buf? integer
---@return briefing.View?
function M.of(buf)
  return views[buf or vim.api.nvim_get_current_buf()]
end

--- The buffer that a command is about: the view's, if it is given in a view.
---@return integer
function M.current_target()
  local buf = vim.api.nvim_get_current_buf()
  local view = views[buf]
  if view and vim.api.nvim_buf_is_valid(view.target) then
    return view.target
  end
  local preview = vim.b[buf].briefing_target
  if preview and vim.api.nvim_buf_is_valid(preview) then
    return preview
  end
  return buf
end

---@param win integer
---@param options table<string, any>
function M.window_options(win, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { win = win, scope = 'local' })
  end
end

--- Shows a buffer the way the modifiers of the command say, else the way the settings say.
---@param buf integer
---@param mods? table  as in the argument of a user command
---@return integer win
function M.show(buf, mods)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
      vim.api.nvim_set_current_win(win)
      return win
    end
  end
  mods = mods or {}
  local said = mods.vertical or mods.horizontal or (mods.tab and mods.tab >= 0) or (mods.split and mods.split ~= '')
  local window = said and 'split' or require('briefing.config').get().window
  if window == 'float' then
    local width, height = math.floor(vim.o.columns * 0.9), math.floor(vim.o.lines * 0.7)
    return vim.api.nvim_open_win(buf, true, {
      relative = 'editor',
      width = width,
      height = height,
      col = math.floor((vim.o.columns - width) / 2),
      row = math.floor((vim.o.lines - height) / 2) - 1,
      border = 'rounded',
      title = ' Briefing ',
    })
  end
  local split = { vertical = mods.vertical, horizontal = mods.horizontal }
  split.split = mods.split ~= '' and mods.split or (not said and window ~= 'tab' and 'botright') or nil
  if mods.tab and mods.tab >= 0 then
    split.tab = mods.tab
  elseif window == 'tab' then
    split.tab = vim.fn.tabpagenr()
  elseif window == 'vsplit' then
    split.vertical = true
  end
  vim.cmd({ cmd = 'sbuffer', args = { tostring(buf) }, mods = split })
  return vim.api.nvim_get_current_win()
end

--- The view of a kind that this tab page shows.
---@param kind string
---@return briefing.View?
local function in_this_tab(kind)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local view = views[vim.api.nvim_win_get_buf(win)]
    if view and view.kind == kind then
      return view
    end
  end
end

---@param kind string
---@return string
local function free_name(kind)
  local name, number = 'briefing-view://' .. kind, 1
  while vim.fn.bufexists(name) == 1 do
    number = number + 1
    name = ('briefing-view://%s/%d'):format(kind, number)
  end
  return name
end

--- Opens a view, or the one of that kind which is already there in this tab page.
---@param kind string
---@param target integer
---@param draw fun(view: briefing.View)
---@param keys table<string, {[1]: fun(view: briefing.View, item?: any), [2]: string}>
---@param mods? table
---@return briefing.View
function M.open(kind, target, draw, keys, mods)
  local view = in_this_tab(kind)
  local buf = view and view.buf
  if not view then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, free_name(kind))
    view = { buf = buf, kind = kind, target = target, lines = {}, draw = draw, asked = 0, lost = {} }
    views[buf] = view
    vim.bo[buf].bufhidden = 'wipe'
    vim.bo[buf].modifiable = false
    vim.bo[buf].filetype = 'briefing'
    local unsubscribe = require('briefing.live').subscribe(function()
      view.draw(view)
    end)
    vim.api.nvim_create_autocmd({ 'WinResized', 'VimResized' }, {
      group = vim.api.nvim_create_augroup('briefing.view.' .. buf, {}),
      callback = function(event)
        local is_resized = event.event == 'VimResized'
        for _, win in ipairs(vim.v.event.windows or {}) do
          is_resized = is_resized or vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf
        end
        if is_resized then
          view.draw(view)
        end
      end,
      desc = 'Briefing: as many columns as there is room for',
    })
    vim.api.nvim_create_autocmd('BufWipeout', {
      buffer = buf,
      once = true,
      callback = function()
        unsubscribe()
        views[buf] = nil
        pcall(vim.api.nvim_del_augroup_by_name, 'briefing.view.' .. buf)
      end,
    })
    for lhs, key in pairs(keys) do
      vim.keymap.set('n', lhs, function()
        key[1](view, M.item(view))
      end, { buffer = buf, nowait = true, desc = 'Briefing: ' .. key[2] })
    end
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'Briefing: close' })
  end
  view.target, view.draw = target, draw
  local win = M.show(buf, mods)
  M.window_options(win, {
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    list = false,
    spell = false,
    wrap = true,
    linebreak = true,
    breakindent = true,
    breakindentopt = 'shift:2',
    cursorline = true,
    winfixheight = true,
  })
  view.draw(view)
  return view
end

--- The key line above a view: `<CR> open  c cut …`
---@param view briefing.View
---@param keys [string, string][]
function M.keys(view, keys)
  local parts = vim.tbl_map(function(key)
    return ('%%#BriefingKey#%s%%#BriefingHint# %s'):format(key[1], key[2])
  end, keys)
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    M.window_options(win, { winbar = ' ' .. table.concat(parts, '  ') .. '%<' })
  end
end

--- What is under the cursor.
---@param view briefing.View
---@return any
function M.item(view)
  local line = view.lines[vim.api.nvim_win_get_cursor(0)[1]]
  return line and line.item
end

--- Runs a question whose answer is only wanted while it is the newest one and the view is there.
---@param view briefing.View
---@param ask fun(answered: fun(err?: string, result?: any))
---@param put fun(result: any)
function M.ask(view, ask, put)
  view.asked = view.asked + 1
  local question = view.asked
  ask(function(err, result)
    if views[view.buf] ~= view or view.asked ~= question then
      return
    end
    if result then
      put(result)
    else
      local lines = {}
      for _, line in ipairs(vim.split(err or 'Briefing: no answer', '\n')) do
        table.insert(lines, { { line, 'BriefingRefusal' } })
      end
      M.put(view, lines)
    end
  end)
end

--- Draws. The cursor stays on what it was on, also when that is gone for one answer and comes back with the next.
---@param view briefing.View
---@param lines briefing.Line[]
function M.put(view, lines)
  local wins = vim.fn.win_findbuf(view.buf)
  local stay = {}
  for _, win in ipairs(wins) do
    local row = vim.api.nvim_win_get_cursor(win)[1]
    local lost = view.lost[win]
    stay[win] = lost and lost.row == row and lost.key or (view.lines[row] or {}).key
  end
  local texts = {}
  for row, line in ipairs(lines) do
    local parts = {}
    for _, segment in ipairs(line) do
      table.insert(parts, (segment[1]:gsub('\n', ' ')))
    end
    texts[row] = table.concat(parts):gsub('%s+$', '')
  end
  local first = #view.lines == 0
  view.lines = lines
  vim.bo[view.buf].modifiable = true
  vim.api.nvim_buf_set_lines(view.buf, 0, -1, false, texts)
  vim.bo[view.buf].modifiable = false
  vim.bo[view.buf].modified = false
  vim.api.nvim_buf_clear_namespace(view.buf, ns, 0, -1)
  local at
  for row, line in ipairs(lines) do
    local col = 0
    for _, segment in ipairs(line) do
      local to = math.min(col + #segment[1], #texts[row])
      if segment[2] and to > col then
        vim.api.nvim_buf_set_extmark(view.buf, ns, row - 1, col, { end_col = to, hl_group = segment[2] })
      end
      col = col + #segment[1]
    end
    at = at or (line.item and row)
    for _, win in ipairs(wins) do
      if line.key and line.key == stay[win] then
        vim.api.nvim_win_set_cursor(win, { row, vim.api.nvim_win_get_cursor(win)[2] })
        stay[win] = nil
      end
    end
  end
  view.lost = {}
  for win, key in pairs(stay) do
    view.lost[win] = { key = key, row = vim.api.nvim_win_get_cursor(win)[1] }
  end
  for _, win in ipairs(wins) do
    if first and at then
      vim.api.nvim_win_set_cursor(win, { at, 0 })
    end
    M.fit(win, #lines)
  end
end

--- A split below is as high as what it shows, within limits, once.
---@param win integer
---@param lines integer
function M.fit(win, lines)
  if vim.w[win].briefing_fitted or vim.api.nvim_win_get_config(win).relative ~= '' then
    return
  end
  vim.w[win].briefing_fitted = true
  if vim.api.nvim_win_get_width(win) == vim.o.columns and #vim.api.nvim_tabpage_list_wins(0) > 1 then
    local most = math.max(8, math.floor(vim.o.lines * 0.6))
    vim.api.nvim_win_set_height(win, math.max(6, math.min(lines + 1, most)))
  end
end

--- Opens a file beside a view, in the window the view was opened from.
---@param path string
---@param offset? integer  a byte of the file
function M.edit(path, offset)
  local view_win = vim.api.nvim_get_current_win()
  local win = vim.fn.win_getid(vim.fn.winnr('#'))
  local ok = win ~= 0
    and win ~= view_win
    and vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ''
    and vim.api.nvim_win_get_config(win).relative == ''
  if not ok then
    win = nil
    for _, other in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if vim.bo[vim.api.nvim_win_get_buf(other)].buftype == '' and not win then
        win = other
      end
    end
  end
  if win then
    vim.api.nvim_set_current_win(win)
    if vim.api.nvim_buf_get_name(0) ~= path then
      local done, problem = pcall(vim.cmd.edit, vim.fn.fnameescape(path))
      if not done then
        return vim.notify(tostring(problem), vim.log.levels.ERROR)
      end
    end
  else
    vim.cmd.split(vim.fn.fnameescape(path))
  end
  if offset then
    vim.cmd("normal! m'")
    vim.cmd({ cmd = 'goto', count = offset + 1 })
    vim.cmd('normal! zz')
  end
end

--- The key of a view whose items have the path of a file.
M.opens = {
  ['<CR>'] = {
    function(_, item)
      if item and item.path then
        M.edit(item.path)
      end
    end,
    'open the file',
  },
}

return M
