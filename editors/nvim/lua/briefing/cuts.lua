--- In instruction files: fades what the model never sees, and notes where that begins.
local M = {}

local ns = vim.api.nvim_create_namespace('briefing.cuts')
local PREFIX = '^n?vim%.lsp%.' .. require('briefing.server').NAME .. '%.'

--- Above syntax, below search.
local PRIORITY = 160

---@type table<string, true>  Names of files that some harness reads
local instruction_names = {}
---@type vim.lpeg.Pattern[]  Patterns of such files, for whole paths
local instruction_patterns = {}

---@param known table[]
function M.harnesses(known)
  for _, harness in ipairs(known) do
    for _, name in ipairs(harness.instructionFiles) do
      if name:find('[*?%[{]') then
        table.insert(instruction_patterns, vim.glob.to_lpeg('**/' .. name))
      else
        instruction_names[vim.fs.basename(name)] = true
      end
    end
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.lens(bufnr)
  end
end

--- Whether some harness reads files of this name, or a rule in a folder like this.
---@param file string
---@return boolean
function M.is_instructions(file)
  return instruction_names[vim.fs.basename(file)]
    or vim.iter(instruction_patterns):any(function(pattern)
      return pattern:match(file) ~= nil
    end)
end

--- The namespaces of the server's diagnostics, pushed and pulled.
---@return integer[]
local function namespaces()
  local found = {}
  for id, about in pairs(vim.diagnostic.get_namespaces()) do
    if about.name:match(PREFIX) then
      table.insert(found, id)
    end
  end
  return found
end

---@param diagnostic vim.Diagnostic
---@return boolean
local function lost(diagnostic)
  local tags = diagnostic._tags or vim.tbl_get(diagnostic, 'user_data', 'lsp', 'tags')
  return type(tags) == 'table'
    and (tags.unnecessary or vim.tbl_contains(tags, vim.lsp.protocol.DiagnosticTag.Unnecessary))
end

--- What stands at the end of the line where text begins to be lost.
---@param diagnostic vim.Diagnostic
---@param last integer  last line of the buffer
---@return string
local function note(diagnostic, last)
  -- What none of the agents loads is faded for all of them together, and names none.
  local harness = vim.tbl_get(diagnostic, 'user_data', 'lsp', 'data', 'harness')
  local who = type(harness) == 'string' and require('briefing.live').title(harness) .. ' ' or ''
  if diagnostic.lnum == 0 and diagnostic.col == 0 and diagnostic.end_lnum >= last then
    return ('○ %s(%s) loads nothing of this file'):format(who == '' and 'No agent ' or who, diagnostic.code)
  end
  local to = diagnostic.end_lnum >= last and 'the end' or ('line %d'):format(diagnostic.end_lnum + 1)
  return ('✂ %s from here to %s'):format(who == '' and 'Cut' or who .. 'cuts', to)
end

---@param id integer
---@param what string
---@return boolean
local function shown(id, what)
  local own = vim.diagnostic.config(nil, id) or {}
  local all = vim.diagnostic.config() or {}
  local value = own[what]
  if value == nil then
    value = all[what]
  end
  return value ~= nil and value ~= false
end

--- Faded text is not underlined as well: thousands of curls under text that is merely lost help nobody.
---@param id integer
local function plain(id)
  if require('briefing.config').get().cuts and (vim.diagnostic.config(nil, id) or {}).underline == nil then
    vim.diagnostic.config({ underline = false }, id)
  end
end

local UNDERLINES = {
  'DiagnosticUnderlineError',
  'DiagnosticUnderlineWarn',
  'DiagnosticUnderlineInfo',
  'DiagnosticUnderlineHint',
}

---@param bufnr integer
---@param diagnostic vim.Diagnostic
---@param group string
local function paint(bufnr, diagnostic, group)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local to = math.min(diagnostic.end_lnum, last)
  local line = vim.api.nvim_buf_get_lines(bufnr, to, to + 1, false)[1] or ''
  vim.api.nvim_buf_set_extmark(bufnr, ns, math.min(diagnostic.lnum, last), diagnostic.col, {
    end_row = to,
    end_col = diagnostic.end_lnum > last and #line or math.min(diagnostic.end_col, #line),
    hl_group = group,
    priority = PRIORITY,
    strict = false,
  })
end

---@param bufnr integer
function M.draw(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  vim.api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
  local config = require('briefing.config').get()
  if not config.cuts or not vim.diagnostic.is_enabled({ bufnr = bufnr }) then
    return
  end
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local hints = vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) and M.offers('inlayHintProvider')
  -- Everything else is underlined as Neovim would, unless the user wants no underlines.
  local underlines = (vim.diagnostic.config() or {}).underline ~= false
  for _, id in ipairs(namespaces()) do
    plain(id)
    -- The server's inlay hints, or Neovim's virtual text, say the same.
    local noted = hints or shown(id, 'virtual_text') or shown(id, 'virtual_lines')
    for _, diagnostic in ipairs(vim.diagnostic.get(bufnr, { namespace = id })) do
      if lost(diagnostic) then
        paint(bufnr, diagnostic, 'BriefingLost')
        if not noted then
          vim.api.nvim_buf_set_extmark(bufnr, ns, math.min(diagnostic.lnum, last), 0, {
            virt_text = { { ' ' .. note(diagnostic, last) .. ' ', 'BriefingCut' } },
            virt_text_pos = 'eol',
            hl_mode = 'combine',
          })
        end
      elseif underlines then
        paint(bufnr, diagnostic, UNDERLINES[diagnostic.severity])
      end
    end
  end
end

vim.api.nvim_create_autocmd('DiagnosticChanged', {
  group = vim.api.nvim_create_augroup('briefing.cuts', {}),
  callback = function(event)
    M.draw(event.buf)
  end,
  desc = 'Briefing: fade what the model never sees',
})

---@param provider string
---@return boolean
function M.offers(provider)
  local client = require('briefing.server').client()
  return client ~= nil and client.initialized and client.server_capabilities[provider] ~= nil
end

---@param client vim.lsp.Client
---@param bufnr integer
function M.attached(client, bufnr)
  plain(vim.lsp.diagnostic.get_namespace(client.id))
  M.lens(bufnr)
end

--- Code lenses and inlay hints are on in instruction files.
---@param bufnr integer
function M.lens(bufnr)
  local file = require('briefing.server').file(bufnr)
  if not file or not M.is_instructions(file) then
    return
  end
  require('briefing.marks').draw(bufnr)
  local config = require('briefing.config').get()
  if config.hints and M.offers('inlayHintProvider') then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
    -- What was drawn before has notes that the hints say as well.
    M.draw(bufnr)
  end
  if config.codelens and M.offers('codeLensProvider') then
    if vim.lsp.codelens.enable then
      vim.lsp.codelens.enable(true, { bufnr = bufnr })
    else
      vim.lsp.codelens.refresh({ bufnr = bufnr })
    end
  end
end

return M
