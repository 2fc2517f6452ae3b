--- `:Briefing` and its completion.
local M = {}

local server = require('briefing.server')
local words = require('briefing.words')

---@param text string
local function refuse(text)
  vim.notify('Briefing: ' .. text, vim.log.levels.ERROR)
end

---@return string[]
local function specs()
  local found = {}
  for _, harness in ipairs(require('briefing.live').harnesses()) do
    table.insert(found, harness.id)
    if #harness.editions > 1 then
      for _, edition in ipairs(harness.editions) do
        table.insert(found, harness.id .. '@' .. edition.name)
      end
    end
  end
  return found
end

--- Whether the server knows the harness; if it does not, says which there are.
---@param spec string
---@return boolean
local function known(spec)
  local ids = vim.tbl_map(function(harness)
    return harness.id
  end, require('briefing.live').harnesses())
  if #ids == 0 or vim.tbl_contains(ids, (spec:gsub('@.*', ''))) then
    return true
  end
  refuse(('there is no agent `%s`; known: %s'):format(spec, table.concat(ids, ', ')))
  return false
end

local SESSIONS = { 'main', 'subagent', 'cron', 'group', 'local' }

---@class briefing.Subcommand
---@field about string
---@field usage string
---@field most integer  arguments at most
---@field run fun(args: string[], target: integer, mods: table)
---@field complete? fun(): string[]|string  candidates, or a kind for getcompletion()

---@type table<string, briefing.Subcommand>
M.subcommands = {
  show = {
    about = 'what each harness loads, in which order, cut where',
    usage = 'show',
    most = 0,
    run = function(_, target, mods)
      require('briefing.show').open(target, mods)
    end,
  },
  preview = {
    about = 'the exact prompt of one harness, live',
    usage = 'preview HARNESS',
    most = 1,
    complete = specs,
    run = function(args, target, mods)
      local assumed = require('briefing.assume').get().harness
      local spec = args[1] or (assumed and assumed[1])
      if spec then
        return known(spec) and require('briefing.preview').open(spec, target, mods)
      end
      vim.ui.select(specs(), { prompt = 'The prompt of which agent?', format_item = words.spec }, function(choice)
        if choice then
          require('briefing.preview').open(choice, target, mods)
        end
      end)
    end,
  },
  why = {
    about = 'why a file is or is not loaded',
    usage = 'why [FILE]',
    most = 1,
    complete = function()
      return 'file'
    end,
    run = function(args, target, mods)
      local file = args[1] and server.absolute(args[1]) or server.file(target)
      if not file then
        return refuse(
          args[1] and ('`%s` cannot be resolved: the working directory was deleted'):format(args[1])
            or 'this buffer has no file; :Briefing why FILE'
        )
      end
      require('briefing.why').open(target, file, mods)
    end,
  },
  compare = {
    about = 'the prompts of two harnesses in diff mode',
    usage = 'compare A B',
    most = 2,
    complete = specs,
    run = function(args, target)
      if #args < 2 then
        return refuse('name two harnesses: :Briefing compare codex opencode')
      end
      if known(args[1]) and known(args[2]) then
        require('briefing.preview').compare(args[1], args[2], target)
      end
    end,
  },
  audit = {
    about = 'what the latest recorded session was told, or the one of a name',
    usage = 'audit [SESSION]',
    most = 1,
    run = function(args, target, mods)
      require('briefing.audit').open(target, args[1], mods)
    end,
  },
  agents = {
    about = 'the agents of a client: what each is told, and what a switch to it changes',
    usage = 'agents HARNESS',
    most = 1,
    complete = specs,
    run = function(args, target, mods)
      if not args[1] then
        return refuse('name a client: :Briefing agents opencode')
      end
      if known(args[1]) then
        require('briefing.agents').open(target, args[1], mods)
      end
    end,
  },
  steps = {
    about = 'a session step by step: what each adds, and what is gone',
    usage = 'steps HARNESS read FILE; compact; …',
    most = 99,
    complete = specs,
    run = function(args, target, mods)
      if not args[1] then
        return refuse('name a harness, and what happens: :Briefing steps codex read a.rs; compact')
      end
      if not known(args[1]) then
        return
      end
      local steps, named = require('briefing.steps').steps(table.concat(args, ' ', 2))
      if not steps then
        return refuse(named)
      end
      require('briefing.steps').open(target, args[1], steps, named, mods)
    end,
  },
  report = {
    about = 'how much of the text each file takes',
    usage = 'report',
    most = 0,
    run = function(_, target, mods)
      require('briefing.report').open(target, mods)
    end,
  },
  files = {
    about = 'all instruction files in the quickfix list',
    usage = 'files',
    most = 0,
    run = function(_, target)
      require('briefing.files').open(target)
    end,
  },
  fetch = {
    about = 'fetch the URLs that instructions name, after you confirm',
    usage = 'fetch',
    most = 0,
    run = function(_, target)
      require('briefing').fetch(target, {}, function(err)
        if err then
          vim.notify(err, vim.log.levels.ERROR)
        end
      end)
    end,
  },
  harness = {
    about = 'which harnesses to show',
    usage = 'harness [ID[@VERSION]… | mine | all | -]',
    most = 99,
    complete = function()
      return vim.list_extend({ 'mine', 'all', '-' }, specs())
    end,
    run = function(args)
      if #args > 0 then
        for _, spec in ipairs(args[1] == '-' and {} or args) do
          if spec ~= 'all' and spec ~= 'mine' and not known(spec) then
            return
          end
        end
        require('briefing.assume').set('harness', args[1] ~= '-' and args or nil)
      end
      M.tell()
    end,
  },
  cwd = {
    about = 'the directory that agents are started in',
    usage = 'cwd [DIR | -]',
    most = 1,
    complete = function()
      return 'dir'
    end,
    run = function(args)
      if args[1] == '-' then
        require('briefing.assume').set('cwd', nil)
      elseif args[1] then
        local dir = server.absolute(args[1])
        if not dir or vim.fn.isdirectory(dir) == 0 then
          return refuse(('`%s` is not a directory'):format(args[1]))
        end
        require('briefing.assume').set('cwd', dir)
      end
      M.tell()
    end,
  },
  session = {
    about = 'the kind of session',
    usage = 'session [KIND | -]',
    most = 1,
    complete = function()
      return SESSIONS
    end,
    run = function(args)
      if args[1] and args[1] ~= '-' and not vim.tbl_contains(SESSIONS, args[1]) then
        return refuse(('`%s` is not one of %s'):format(args[1], table.concat(SESSIONS, ', ')))
      end
      if args[1] then
        require('briefing.assume').set('session', args[1] ~= '-' and args[1] or nil)
      end
      M.tell()
    end,
  },
  undo = {
    about = 'take back the last fix that created files',
    usage = 'undo',
    most = 0,
    run = function()
      require('briefing.edits').undo()
    end,
  },
  restart = {
    about = 'stop the server and start it again',
    usage = 'restart',
    most = 0,
    run = function()
      server.restart()
    end,
  },
  log = {
    about = "open Neovim's LSP log, which has the server's messages",
    usage = 'log',
    most = 0,
    run = function(_, _, mods)
      local log = vim.lsp.log and vim.lsp.log.get_filename or vim.lsp.get_log_path
      vim.cmd({ cmd = 'split', args = { vim.fn.fnameescape(log()) }, mods = mods })
    end,
  },
}

--- Says what is assumed.
function M.tell()
  vim.notify('Briefing shows ' .. require('briefing.assume').words())
end

---@return string[]
local function names()
  local found = vim.tbl_keys(M.subcommands)
  table.sort(found)
  return found
end

---@param args table  as Neovim hands them to a user command
function M.run(args)
  local name = args.fargs[1] or 'show'
  local subcommand = M.subcommands[name]
  if not subcommand then
    return refuse(('there is no `%s`; there are %s'):format(name, table.concat(names(), ', ')))
  end
  local rest = vim.list_slice(args.fargs, 2)
  if #rest > subcommand.most then
    return refuse(('too many arguments; :Briefing %s'):format(subcommand.usage))
  end
  subcommand.run(rest, require('briefing.view').current_target(), args.smods)
end

---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local typed = vim.split(line:sub(1, position):gsub('^.-Briefing%s+', ''), '%s+')
  if #typed <= 1 then
    return vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, names())
  end
  local subcommand = M.subcommands[typed[1]]
  if not subcommand or not subcommand.complete or #typed - 1 > subcommand.most then
    return {}
  end
  local candidates = subcommand.complete()
  if type(candidates) == 'string' then
    return vim.fn.getcompletion(lead, candidates)
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

--- Commands that the server puts into code lenses and actions, for the client to run.
for name in pairs(M.subcommands) do
  vim.lsp.commands['briefing.' .. name] = function(command)
    local fargs = { name }
    for _, argument in ipairs(command.arguments or {}) do
      if type(argument) == 'string' then
        table.insert(fargs, argument:match('^file:') and vim.uri_to_fname(argument) or argument)
      end
    end
    M.run({ fargs = vim.list_slice(fargs, 1, M.subcommands[name].most + 1), smods = {} })
  end
end

return M
