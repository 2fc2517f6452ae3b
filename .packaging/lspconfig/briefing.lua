---@brief
---
--- Briefing shows exactly what a coding agent (Codex, Claude Code, OpenCode, …) is told before it touches a file: which AGENTS.md,
--- CLAUDE.md and their like are loaded, in what order, and where they are cut.
---
--- Any file may be what an agent reads next, so the server is asked about every file. The plugin in `editors/nvim` of Briefing's
--- repository has views of its own besides.

---@type vim.lsp.Config
return {
  cmd = { 'briefing', 'lsp' },
  root_markers = { '.git' },
  -- An answer may be asked for right after an edit of another buffer.
  flags = { debounce_text_changes = 0 },
}
