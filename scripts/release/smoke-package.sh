#!/usr/bin/env bash
# smoke-package.sh TARBALL VERSION: the package takes a backup when it is installed alone, and runs the demo with its engines.
set -euo pipefail

# A relative path would be taken for a repository of GitHub.
package=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

npm install --prefix "$folder/alone" --ignore-scripts --omit=optional --no-audit --no-fund "$package"
test "$(ls "$folder/alone/node_modules")" = storectl
bash scripts/release/smoke.sh "$2" "$folder/alone/node_modules/.bin/storectl"

npm install --prefix "$folder/whole" --ignore-scripts --no-audit --no-fund "$package"
STORECTL_STATE_DIR=$folder/state "$folder/whole/node_modules/.bin/storectl" --demo backup create --label smoke --sections store
