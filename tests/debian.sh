# Programs of another Debian than the machine's, unpacked into a directory of their own: for editors and for mdBook.
# Sourced by scripts that set `set -euo pipefail`.
arch=$(uname -m)-linux-gnu

# Packages of another suite with all their libraries, unpacked into a directory of their own; apt checks the signatures. A package with a
# comma before it comes without libraries.
# usage: unpack SUITE DIRECTORY PACKAGE[=VERSION]…
unpack() {
  local suite=$1 root=$2 state=$2/.apt
  shift 2
  local mirror=${DEB_MIRROR:-$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -oE 'https?://[^ ]+/debian/?( |$)' | sed -n '1s/ *$//p')}
  [ -n "$mirror" ] || { echo "no Debian mirror in the apt sources: set DEB_MIRROR" >&2; return 1; }
  rm -rf "$root"
  mkdir -p "$state"/{lists/partial,cache/archives/partial,etc/preferences.d,dpkg} "$root/rootfs"
  : >"$state/dpkg/status"
  echo "deb [arch=$(dpkg --print-architecture) signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" \
    >"$state/sources.list"
  cat >"$state/apt.conf" <<C
Dir::Etc "$state/etc"; Dir::Etc::sourcelist "$state/sources.list"; Dir::Etc::sourceparts "/dev/null";
Dir::Etc::main "/dev/null"; Dir::Etc::parts "/dev/null";
Dir::State "$state"; Dir::State::lists "$state/lists"; Dir::State::status "$state/dpkg/status"; Dir::Cache "$state/cache";
Acquire::Check-Valid-Until "false"; Acquire::Languages "none"; Acquire::Retries "3";
APT::Install-Recommends "false"; APT::Sandbox::User "root"; Debug::NoLocking "true";
C
  APT_CONFIG=$state/apt.conf apt-get -q update
  if [ "${1#,}" != "$1" ]; then
    (cd "$state/cache/archives" && APT_CONFIG=$state/apt.conf apt-get -q download "${1#,}")
  else
    APT_CONFIG=$state/apt.conf apt-get -q -y --download-only install "$@" ||
      # The suite moves on; then whatever it has now is tested.
      APT_CONFIG=$state/apt.conf apt-get -q -y --download-only install "${@%%=*}"
  fi
  local deb
  for deb in "$state"/cache/archives/*.deb; do dpkg-deb -x "$deb" "$root/rootfs"; done
  rm -rf "$state"
}

# Gives a program of such a directory its own loader and libraries. usage: adopt ROOT PROGRAM COPY
adopt() {
  local libs=$1/rootfs/usr/lib/$arch loader
  loader=$(echo "$libs"/ld-linux-*.so.*)
  cp "$2" "$3"
  patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libs:$1/rootfs/lib/$arch" "$3"
}
