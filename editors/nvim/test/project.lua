--- A project with instruction files, and what somebody does in it.
local M = {}
local t = require('harness')
local eventually, same, text, write = t.eventually, t.same, t.text, t.write

M.root = vim.uv.fs_realpath(vim.env.SCRATCH) .. '/project'
M.agents, M.nested, M.source = M.root .. '/AGENTS.md', M.root .. '/src/AGENTS.md', M.root .. '/src/main.rs'
local rules = {}
for number = 1, 700 do
  table.insert(rules, ('- rule %d: say why, not what, and keep every function short enough\n'):format(number))
end
M.long = table.concat(rules)
write(vim.env.HOME .. '/.codex/AGENTS.md', 'Be brief.\n')
write(M.root .. '/.git/HEAD', 'ref: refs/heads/main\n')
write(M.agents, 'Write tests.\n')
write(M.nested, 'Sources live here.\n')
write(M.source, 'fn main() {}\n')
vim.cmd.cd(M.root)

--- How often the server is asked for changes; hardly ever, where a test is about what is noticed without.
function M.poll(ms)
  vim.g.briefing = vim.tbl_extend('force', vim.g.briefing, { poll_ms = ms })
  require('briefing.live').watch()
end

function M.client()
  local found = vim.lsp.get_clients({ name = 'briefing' })[1]
  return found and found.initialized and found or nil
end

function M.edit(path)
  vim.cmd.edit(vim.fn.fnameescape(path))
  local buf = vim.api.nvim_get_current_buf()
  eventually('attached to ' .. path, function()
    return M.client() and vim.lsp.buf_is_attached(buf, M.client().id)
  end)
  return buf
end

--- The text of the view or preview whose name has this part, once it contains `part`.
function M.shows(name, part)
  return eventually(('%s in %s'):format(part, name), function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      local full = vim.api.nvim_buf_get_name(buf)
      if full:find(name, 1, true) and text(buf):find(part, 1, true) then
        return text(buf)
      end
    end
  end)
end

function M.buffer(name)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf):find(name, 1, true) then
      return buf
    end
  end
end

function M.press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'mx', false)
end

--- Puts the cursor of the current window on the first line with this part.
function M.on_line(part)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find(part, 1, true) then
      return vim.api.nvim_win_set_cursor(0, { row, 0 })
    end
  end
  error('no line with ' .. part .. ' in\n' .. text())
end

function M.effective(buf, opts)
  local err, result, calls = nil, nil, 0
  require('briefing').effective(buf, opts, function(e, r)
    err, result, calls = e, r, calls + 1
  end)
  eventually('an answer', function()
    return calls > 0
  end)
  same(calls, 1, 'calls')
  return err, result
end

function M.command_line(...)
  local got = vim.system({ vim.env.BRIEFING, 'show', ... }, { cwd = M.root }):wait()
  assert(got.code == 0, got.stderr)
  return got.stdout
end

--- Everything of a buffer, byte for byte.
function M.bytes(buf)
  return text(buf) .. (vim.bo[buf].endofline and '\n' or '')
end

return M
