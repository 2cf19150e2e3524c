#!/usr/bin/env bash
# smoke.sh VERSION COMMAND…: the program that COMMAND starts has this version, and takes a backup of a store of this clone.
set -euo pipefail

version=$1
shift
folder=$(mktemp -d)
# Nothing of the user who runs this is touched.
export STORECTL_CONFIG_DIR=$folder/config STORECTL_STATE_DIR=$folder/state
stop() {
  # It ends by itself, and writes until then.
  if kill "$(cat "$folder/service.pid")"; then
    while kill -0 "$(cat "$folder/service.pid")"; do sleep 0.1; done
  fi 2>/dev/null
  rm -rf "$folder"
}
trap stop EXIT

test "$("$@" --version)" = "$version"
bash scripts/release/start-service.sh "$folder" "${SMOKE_PORT:-4010}" >"$folder/connection"
set -a
. "$folder/connection"
set +a
# Until the service listens, it waits.
"$@" backup create --label smoke --sections store --quiet
