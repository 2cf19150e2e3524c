#!/usr/bin/env bash
# start-service.sh FOLDER PORT: starts the service of this built clone with a store and a key to it, for a smoke test.
# Prints the lines STORECTL_BASE_URL=…, STORECTL_STORE_ID=… and STORECTL_API_KEY=…; the process id is in FOLDER/service.pid.
set -euo pipefail

database=$1/store.db
store=$(node bin/storectl.js service stores create --database "$database" --name Test --quiet)
key=$(node bin/storectl.js service keys create --database "$database" --store "$store" --preset ci-backup --quiet)
node bin/storectl.js service start --database "$database" --port "$2" >"$1/service.log" 2>&1 &
echo "$!" >"$1/service.pid"
printf 'STORECTL_BASE_URL=http://127.0.0.1:%s\nSTORECTL_STORE_ID=%s\nSTORECTL_API_KEY=%s\n' "$2" "$store" "$key"
