---@meta

--- What the server answers; the fields are those of the wire.

---@class briefing.Effective
---@field version integer  Version of the index; grows with every change
---@field briefings briefing.Briefing[]  One for each agent

---@class briefing.Briefing
---@field harness string
---@field edition string
---@field fidelity 'exact'|'files'
---@field standpoint briefing.Standpoint
---@field target? string  The file the agent would read
---@field refusal? {path: string, message: string}  The harness itself would refuse to start
---@field messages briefing.Message[]
---@field sources briefing.Source[]
---@field totals briefing.Totals
---@field warnings {code: string, path?: string, message: string}[]
---@field trace? briefing.Probe[]

---@class briefing.Standpoint
---@field cwd string
---@field home string
---@field root? string
---@field session string
---@field env table<string, string>

---@class briefing.Message
---@field trigger 'session'|'read'
---@field role string
---@field kind? string  Absent: `instructions`
---@field name? string
---@field text? string  The exact text
---@field parts? string[]

---@class briefing.Source
---@field path? string
---@field url? string
---@field scope string
---@field trigger string
---@field fate string
---@field purpose string
---@field by? string  What shadowed or displaced it
---@field reason string
---@field size? {bytes: integer, utf16: integer, lines: integer}
---@field limit? {value: integer, unit: string, per: string, from: string}
---@field kept {start: integer, end: integer}[]  Byte ranges that reach the model
---@field message? integer
---@field part? integer

---@class briefing.Totals
---@field bytes integer
---@field utf16 integer
---@field tokens {value: integer, method: string}

---@class briefing.Report
---@field harness string
---@field edition string
---@field totals briefing.Totals
---@field frame integer  Bytes of headings and separators
---@field sources briefing.Share[]  Largest first

---@class briefing.Share
---@field name string
---@field fate string
---@field trigger string
---@field size? {bytes: integer, utf16: integer, lines: integer}
---@field injected integer  Bytes that reach the model
---@field share number  Per cent of all instruction bytes

---@class briefing.Probe
---@field path string
---@field asked string
---@field answer string
---@field rule string

---@class briefing.Opts
---@field harness? string|string[]  `id` or `id@version`; absent: what `:Briefing harness` chose, else every one
---@field cwd? string  Where the agent is started; absent: what `:Briefing cwd` chose, else the workspace folder
---@field session? string  The kind of session
---@field file? string  The file the agent would read, instead of the buffer's
---@field text? boolean  The exact texts (default: true)
---@field trace? boolean  Every probe (default: false)
---@field already_loaded? string[]  Files that were injected earlier in the session
---@field request? table  More fields of the request, as on the wire: `model`, `agent`, `options` …
---@field timeout_ms? integer  Default: 10000

---@alias briefing.Callback fun(err?: string, result?: briefing.Effective)
