# Runs mdBook: the machine's own, or Debian's in a directory of its own below target/. usage: bash docs/mdbook.sh ARGUMENT…
set -euo pipefail
cd "$(dirname "$0")/.."
if command -v mdbook >/dev/null; then exec mdbook "$@"; fi
root=$PWD/target/mdbook
if [ ! -x "$root/mdbook" ]; then
  command -v patchelf >/dev/null || { echo 'docs/mdbook.sh: install mdbook, or patchelf with which Debian'\''s is made to run here' >&2; exit 1; }
  . tests/debian.sh
  unpack forky "$root" 'mdbook=0.5.*' >target/mdbook.log 2>&1 || { cat target/mdbook.log; exit 1; }
  # Debian's has its icons outside of the program; it is led to those of the package, by a path of the same length.
  icons=/usr/share/nodejs/@fortawesome/fontawesome-free/svgs
  ln -sfn "rootfs$icons" "$root/icons"
  LC_ALL=C sed -i "s|$icons|$(printf '/proc/self/cwd%19s%s' '' target/mdbook/icons | tr ' ' /)|" "$root/rootfs/usr/bin/mdbook"
  adopt "$root" "$root/rootfs/usr/bin/mdbook" "$root/mdbook"
fi
exec "$root/mdbook" "$@"
