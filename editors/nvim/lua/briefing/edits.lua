--- Fixes that make files: says which, and takes them back with one command.
local M = {}

---@class briefing.Fix
---@field created string[]  Files that were not there before
---@field buffers table<integer, integer>  The state of each changed buffer before, as `:undo` numbers it

---@type briefing.Fix?
local last

---@param edit table?
---@return briefing.Fix?
local function before(edit)
  local changes = edit and edit.documentChanges
  if not changes then
    return nil
  end
  local fix = { created = {}, buffers = {} }
  for _, change in ipairs(changes) do
    if change.kind == 'create' then
      table.insert(fix.created, vim.uri_to_fname(change.uri))
    elseif change.textDocument then
      local file = vim.uri_to_fname(change.textDocument.uri)
      local bufnr = vim.fn.bufadd(file)
      if vim.fn.filereadable(file) == 1 then
        vim.fn.bufload(bufnr)
        fix.buffers[bufnr] = vim.api.nvim_buf_call(bufnr, vim.fn.undotree).seq_cur
      end
    end
  end
  return #fix.created > 0 and fix or nil
end

---@param fix briefing.Fix
local function after(fix)
  local made = vim.tbl_filter(function(file)
    return vim.uv.fs_stat(file) ~= nil or vim.fn.bufexists(file) == 1
  end, fix.created)
  if #made == 0 then
    return
  end
  last = { created = made, buffers = fix.buffers }
  local names = vim.tbl_map(function(file)
    return vim.fn.fnamemodify(file, ':~:.')
  end, made)
  vim.notify(('Briefing: created %s; :Briefing undo takes it back'):format(table.concat(names, ', ')))
end

--- Watches the fixes that a client applies.
---@param client vim.lsp.Client
function M.watch(client)
  if client.briefing_watched then
    return
  end
  client.briefing_watched = true
  local request = client.request
  client.request = function(self, method, params, handler, ...)
    if method ~= 'codeAction/resolve' or not handler then
      return request(self, method, params, handler, ...)
    end
    return request(self, method, params, function(err, action, ...)
      local fix = before(action and action.edit)
      local result = handler(err, action, ...)
      if fix then
        vim.schedule(function()
          after(fix)
        end)
      end
      return result
    end, ...)
  end
end

--- Takes back the last fix that made files: the files are deleted unless somebody has written to them since.
function M.undo()
  local fix = last
  if not fix then
    return vim.notify('Briefing: there is no fix that created a file')
  end
  last = nil
  for bufnr, state in pairs(fix.buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      vim.api.nvim_buf_call(bufnr, function()
        vim.cmd('silent undo ' .. state)
      end)
    end
  end
  for _, file in ipairs(fix.created) do
    local bufnr = vim.fn.bufnr('^' .. vim.fn.fnameescape(file) .. '$')
    local stat = vim.uv.fs_stat(file)
    -- The editor makes the file empty, and its text is that of the buffer.
    if stat and stat.size > 0 then
      local name = vim.fn.fnamemodify(file, ':~:.')
      vim.notify(('Briefing: %s was written since and stays'):format(name), vim.log.levels.WARN)
    else
      if bufnr > 0 then
        vim.api.nvim_buf_delete(bufnr, { force = true })
      end
      if stat then
        vim.uv.fs_unlink(file)
      end
    end
  end
end

return M
