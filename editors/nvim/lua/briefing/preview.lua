--- `:Briefing preview` and `compare`: the exact text a model gets, in a buffer that follows every change.
local M = {}

local view = require('briefing.view')
local words = require('briefing.words')

--- The exact texts. With several messages or harnesses each is introduced by a line, since they are not one text; the
--- same as `briefing show --format prompt --only instructions`.
---@param result briefing.Effective
---@return string
function M.text(result)
  local heads, texts = {}, {}
  for _, briefing in ipairs(result.briefings) do
    for _, message in ipairs(briefing.messages) do
      if (message.kind or 'instructions') == 'instructions' then
        table.insert(heads, ('===== %s · %s · %s =====\n'):format(briefing.harness, message.trigger, message.role))
        table.insert(texts, message.text or '')
      end
    end
  end
  if #texts == 1 then
    return texts[1]
  end
  local all = {}
  for at, text in ipairs(texts) do
    table.insert(all, heads[at] .. text .. '\n')
  end
  return table.concat(all)
end

--- What a preview is called: `briefing:/codex/home/me/project/main.rs`.
---@param spec string
---@param target integer
local function name_of(spec, target)
  local file = require('briefing.server').file(target)
  return 'briefing:/' .. spec .. (file and '/' .. file:gsub('^/', '') or '')
end

---@param buf integer
---@param text string
local function put(buf, text)
  -- A text that ends in a line end has no line after it.
  local ends = text:sub(-1) == '\n'
  local lines = vim.split(ends and text:sub(1, -2) or text, '\n', { plain = true })
  if vim.deep_equal(lines, vim.api.nvim_buf_get_lines(buf, 0, -1, false)) and vim.bo[buf].endofline == ends then
    return
  end
  local wins = vim.tbl_map(function(win)
    return { win, vim.api.nvim_win_call(win, vim.fn.winsaveview) }
  end, vim.fn.win_findbuf(buf))
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].endofline = ends
  vim.bo[buf].modified = false
  for _, win in ipairs(wins) do
    vim.api.nvim_win_call(win[1], function()
      vim.fn.winrestview(win[2])
      if vim.wo.diff then
        vim.cmd.diffupdate()
      end
    end)
  end
end

--- `BufReadCmd` of `briefing:/HARNESS/FILE`.
---@param buf integer
---@param name string
function M.read(buf, name)
  local spec, file = name:match('^briefing:/+([^/]+)(.*)$')
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.swapfile, bo.modifiable, bo.fixendofline = 'nofile', 'wipe', false, false, false
  bo.undolevels = -1
  if not spec then
    return vim.notify(('Briefing: there is no agent `%s`'):format(name), vim.log.levels.ERROR)
  end
  vim.b[buf].briefing_spec = spec
  if vim.bo[buf].filetype == '' then
    vim.bo[buf].filetype = 'briefing-prompt'
    pcall(vim.treesitter.start, buf, 'markdown')
  end
  local asked = 0
  local function refresh()
    asked = asked + 1
    local question = asked
    require('briefing').prompt(buf, {
      harness = spec,
      file = file ~= '' and file or nil,
    }, function(err, text, result)
      if not vim.api.nvim_buf_is_valid(buf) or question ~= asked then
        return
      end
      put(buf, text or err or '')
      local briefing = result and result.briefings[1]
      local about = briefing
          and ('%%#BriefingHarness# %s %%#BriefingSize#%s%%#BriefingHint# %s · read-only, live'):format(
            words.harness(briefing),
            #briefing.messages == 0 and 'loads nothing' or words.totals(briefing.totals),
            words.fidelity(briefing)
          )
        or '%#BriefingRefusal# no answer'
      for _, win in ipairs(vim.fn.win_findbuf(buf)) do
        view.window_options(win, { winbar = about .. '%<' })
      end
      vim.b[buf].briefing_ready = true
    end)
  end
  if not vim.b[buf].briefing_subscribed then
    vim.b[buf].briefing_subscribed = true
    local unsubscribe = require('briefing.live').subscribe(refresh)
    vim.api.nvim_create_autocmd('BufWipeout', { buffer = buf, once = true, callback = unsubscribe })
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true, desc = 'Briefing: close' })
  end
  refresh()
end

--- Opens the preview of one harness for a buffer.
---@param spec string  `codex` or `codex@0.104`
---@param target integer
---@param mods? table
---@return integer buf
function M.open(spec, target, mods)
  local buf = vim.fn.bufadd(name_of(spec, target))
  vim.b[buf].briefing_target = target
  view.show(buf, mods)
  return buf
end

--- Two previews in Neovim's diff mode.
---@param one string
---@param other string
---@param target integer
function M.compare(one, other, target)
  local left, right = vim.fn.bufadd(name_of(one, target)), vim.fn.bufadd(name_of(other, target))
  vim.b[left].briefing_target, vim.b[right].briefing_target = target, target
  vim.cmd({ cmd = 'sbuffer', args = { tostring(left) }, mods = { tab = vim.fn.tabpagenr() } })
  vim.cmd.diffthis()
  vim.cmd({ cmd = 'sbuffer', args = { tostring(right) }, mods = { vertical = true, split = 'belowright' } })
  vim.cmd.diffthis()
  vim.cmd.wincmd('p')
end

return M
