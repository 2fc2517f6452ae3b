-- Every quick fix of the cases in tests/cases, carried out by the real editor: it then shows what the case says.
local t = require('harness')
local it, eventually, same, write = t.it, t.eventually, t.same, t.write

local scratch = vim.uv.fs_realpath(vim.env.SCRATCH)
local home = vim.uv.fs_realpath(vim.env.HOME)
local cases = vim.fs.normalize(vim.env.PLUGIN .. '/../../tests/cases')

--- Where a path of a case is here: `/h` is the home directory.
---@param path string
---@return string
local function here(path)
  return (path:gsub('^/h%f[/%z]', home):gsub('^/([rst])%f[/%z]', scratch .. '/%1'))
end

--- The same for each path in a sentence.
---@param words string
---@return string
local function said(words)
  return (words:gsub('%f[/%w](/[hrst]/%S*)', here))
end

---@param line string  as a case writes it
---@return string
local function plain(line)
  return (
    line
      :gsub('\\(.)(%b{})', function(letter, code)
        return letter == 'u' and vim.fn.nr2char(tonumber(code:sub(2, -2), 16)) or nil
      end)
      :gsub('\\([\\s])', { ['\\'] = '\\', s = ' ' })
  )
end

---@class test.Edit
---@field what 'replace'|'create'|'rename'|'delete'
---@field path string
---@field to? string
---@field from? integer[]  line, column, line, column
---@field text string[]

---@class test.Fix
---@field file string
---@field line? integer
---@field harnesses string[]
---@field kind string
---@field title string
---@field edits test.Edit[]

---@class test.Section
---@field head string
---@field text string

---@param path string
---@return test.Section[]
local function sections(path)
  local found = {} ---@type test.Section[]
  for line in io.lines(path) do
    local head = line:match('^%-%- (.*) %-%-$')
    if head then
      table.insert(found, { head = head, text = '' })
    elseif found[1] then
      found[#found].text = found[#found].text .. line:gsub('^\\%-%- ', '-- ') .. '\n'
    end
  end
  return found
end

--- The edits that stand below the title of an action.
---@param fix test.Fix
---@param line string
local function add(fix, line)
  local edit = fix.edits[#fix.edits]
  local place, a, b, c, d = line:match('^  (/%S+) (%d+):(%d+)%-(%d+):(%d+)$')
  local what, path, to = line:match('^  (%l+) (/%S+)(.*)$')
  if place then
    local from = vim.tbl_map(tonumber, { a, b, c, d })
    table.insert(fix.edits, { what = 'replace', path = here(place), from = from, text = {} })
  elseif what then
    local target = to:match('^ to (/%S+)$')
    table.insert(fix.edits, { what = what, path = here(path), to = target and here(target), text = {} })
  elseif vim.startswith(line, '    +') then
    table.insert(edit.text, plain(line):sub(7))
  end
end

--- What a case offers.
---@param of test.Section[]
---@return test.Fix[]
local function fixes(of)
  local found = {} ---@type test.Fix[]
  for _, section in ipairs(of) do
    local file, harnesses = section.head:match('^@actions (%S+) ?(%S*)$')
    local workspace = section.head:match('^@workspace (%S+)$')
    local line = file and file:match(':(%d+)$')
    for said_line in section.text:gmatch('[^\n]+') do
      local kind, title = said_line:match('^(%l[%l.]*).-  (%S.*)$')
      if kind and (file or workspace) then
        table.insert(found, {
          file = here(file and file:gsub(':%d+$', '') or workspace .. '/main.rs'),
          line = tonumber(line),
          harnesses = vim.split(harnesses and harnesses ~= '' and harnesses or 'codex', ','),
          kind = kind,
          title = said(title),
          edits = {},
        })
      elseif found[1] then
        add(found[#found], said_line)
      end
    end
  end
  return found
end

--- Puts the files of a case on the disk.
---@param of test.Section[]
local function unpack_case(of)
  for _, dir in ipairs({ scratch .. '/r', scratch .. '/s', scratch .. '/t', home }) do
    vim.fn.delete(dir, 'rf')
    vim.fn.mkdir(dir, 'p')
  end
  for _, name in ipairs({ 'r', 's', 't' }) do
    write(('%s/%s/main.rs'):format(scratch, name), 'fn main() {}\n')
  end
  for _, section in ipairs(of) do
    local name, value = section.head:match('^@env (%S-)=(.*)$')
    local path, how = section.head:match('^(/%S*) ?(.*)$')
    if name then
      vim.env[name] = here(value)
    elseif path and how == '| git' then
      write(here(path) .. '.git/HEAD', 'ref: refs/heads/main\n')
      vim.fn.mkdir(here(path) .. '.git/objects', 'p')
      vim.fn.mkdir(here(path) .. '.git/refs', 'p')
    elseif path and how:match('^%->') then
      vim.fn.mkdir(vim.fs.dirname(here(path)), 'p')
      assert(vim.uv.fs_symlink(how:match('^%-> (.*)$'), here(path)))
    elseif path and vim.endswith(path, '/') then
      vim.fn.mkdir(here(path), 'p')
    elseif path and how == '| raw' then
      local raw = section.text:gsub('\n$', ''):gsub('\\x(%x%x)', function(byte)
        return string.char(tonumber(byte, 16))
      end)
      write(here(path), (raw:gsub('\\n', '\n')))
    elseif path then
      local text = section.text
      write(here(path), text:rep(tonumber(how:match('^%* (%d+)$') or 1)))
    end
  end
end

---@param path string
---@return string
local function shown(path)
  local buf = vim.fn.bufnr('^' .. vim.fn.escape(path, '[]{}') .. '$')
  if buf > 0 and vim.api.nvim_buf_is_loaded(buf) then
    return t.text(buf) .. '\n'
  end
  return t.read(path)
end

--- The byte before a place of a text; columns count characters.
---@param text string
---@param line integer
---@param column integer
---@return integer
local function offset(text, line, column)
  local at = 0
  for _ = 2, line do
    at = text:find('\n', at + 1, true)
  end
  return at + vim.str_byteindex(text:sub(at + 1):match('^[^\n]*'), 'utf-32', column - 1)
end

--- What a file is once its edits are made; a case does not say whether the last line of an edit ends.
---@param before string
---@param edits test.Edit[]
---@return string[]
local function afterwards(before, edits)
  local texts = { before }
  for index = #edits, 1, -1 do
    local edit, next_texts = edits[index], {}
    local inserted = table.concat(edit.text, '\n')
    for _, text in ipairs(texts) do
      local first, last = offset(text, edit.from[1], edit.from[2]), offset(text, edit.from[3], edit.from[4])
      for _, ending in ipairs(#edit.text > 0 and { '', '\n' } or { '' }) do
        table.insert(next_texts, text:sub(1, first) .. inserted .. ending .. text:sub(last + 1))
      end
    end
    texts = next_texts
  end
  return texts
end

--- Waits until the editor shows what the fix is meant to do.
---@param fix test.Fix
---@param before table<string, string>
local function done(fix, before)
  local replaced = {} ---@type table<string, test.Edit[]>
  for _, edit in ipairs(fix.edits) do
    if edit.what == 'replace' then
      replaced[edit.path] = vim.list_extend(replaced[edit.path] or {}, { edit })
    elseif edit.what == 'create' then
      local wanted = table.concat(edit.text, '\n')
      -- A long text is not written out in a case.
      wanted = wanted:gsub('\n… %d+ lines$', '')
      eventually(edit.path .. ' with its text', function()
        return vim.uv.fs_stat(edit.path) and vim.startswith(shown(edit.path), wanted)
      end)
    elseif edit.what == 'rename' then
      eventually(edit.to .. ' in the place of ' .. edit.path, function()
        return vim.uv.fs_stat(edit.to) and not vim.uv.fs_stat(edit.path)
      end)
    else
      same(edit.what, 'delete')
      eventually(edit.path .. ' is gone', function()
        return not vim.uv.fs_stat(edit.path)
      end)
    end
  end
  for path, edits in pairs(replaced) do
    local wanted = afterwards(before[path], edits)
    local ok, problem = pcall(eventually, 'the text of ' .. path, function()
      -- Neovim 0.11 leaves an empty line behind what it adds at the end.
      return vim.list_contains(wanted, shown(path)) or vim.list_contains(wanted, (shown(path):gsub('\n\n$', '\n')))
    end)
    if not ok then
      error(('%s\n%s\n--- wanted\n%s'):format(problem, shown(path), wanted[1]))
    end
  end
end

--- Whoever is asked says yes.
---@diagnostic disable-next-line: duplicate-set-field
vim.ui.select = function(items, _, on_choice)
  on_choice(items[1])
end

---@param fix test.Fix
local function apply(fix)
  -- Some findings are only for those who want them.
  local severities = { ['missing-path'] = 'hint', ['missing-script'] = 'hint', ['stripped-comment'] = 'hint' }
  -- The agent is started beside the file, or beside the harness's own folder.
  local cwd = fix.file:match('^(.-/[rst])/%.') or vim.fs.dirname(fix.file)
  local settings = { harnesses = fix.harnesses, severities = severities, cwd = cwd }
  vim.lsp.config('briefing', { settings = { briefing = settings } })
  vim.cmd.edit(vim.fn.fnameescape(fix.file))
  local buf = vim.api.nvim_get_current_buf()
  local client = eventually('attached', function()
    local found = vim.lsp.get_clients({ name = 'briefing', bufnr = buf })[1]
    return found and found.initialized and found
  end)
  local last = vim.api.nvim_buf_line_count(buf)
  local from = fix.line or 1
  local to = fix.line or last
  local range = { start = { from, 0 }, ['end'] = { to, #vim.api.nvim_buf_get_lines(buf, to - 1, to, false)[1] } }
  vim.api.nvim_win_set_cursor(0, { from, 0 })
  local before = {}
  for _, edit in ipairs(fix.edits) do
    if edit.what == 'replace' then
      before[edit.path] = shown(edit.path)
    end
  end
  local context = { only = { fix.kind }, diagnostics = {} }
  local params = vim.lsp.util.make_given_range_params(range.start, range['end'], buf, client.offset_encoding)
  params.context = context
  -- The server asks for its settings first.
  eventually('the offer of ' .. fix.title, function()
    local offered = client:request_sync('textDocument/codeAction', params, 10000, buf)
    return vim.iter(offered and offered.result or {}):any(function(action)
      return action.title == fix.title
    end)
  end)
  vim.lsp.buf.code_action({
    apply = true,
    range = range,
    context = context,
    filter = function(action)
      return action.title == fix.title
    end,
  })
  done(fix, before)
  local others = vim.tbl_filter(function(notice)
    return not vim.startswith(notice, 'Briefing: created ')
  end, t.notices)
  same(others, {}, 'notices')
  client:stop(true)
  eventually('the server is gone', function()
    return client:is_stopped() and #vim.lsp.get_clients({ name = 'briefing' }) == 0
  end)
end

local seen = {} ---@type table<string, true>
local found = vim.fs.find(function(name)
  return vim.endswith(name, '.txt')
end, { path = cases .. '/actions', type = 'file', limit = math.huge })
vim.list_extend(
  found,
  vim.fs.find(function(name)
    return vim.endswith(name, '.txt')
  end, { path = cases .. '/findings', type = 'file', limit = math.huge })
)
table.sort(found)
for _, path in ipairs(found) do
  local of = sections(path)
  for _, fix in ipairs(fixes(of)) do
    local what = fix.title:gsub('%S*/', '')
    for _, edit in ipairs(fix.edits) do
      seen[edit.what] = true
    end
    it(('%s: %s'):format(fix.kind, what), function()
      t.tidy()
      unpack_case(of)
      apply(fix)
      vim.env.CODEX_HOME = nil
    end)
  end
end

it('files are made, renamed and taken away, and texts are changed', function()
  same(vim.tbl_count(seen), 4, 'kinds of edits')
end)

t.finish()
