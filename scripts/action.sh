#!/usr/bin/env bash
# The step of action.yml: installs storectl and takes a backup. STORECTL_PACKAGE replaces the version of this action, for tests.
set -uo pipefail

folder=$RUNNER_TEMP/storectl
version=$(node -p 'require(process.env.GITHUB_ACTION_PATH + "/package.json").version')
label=${LABEL:-run $GITHUB_RUN_ID}
# Several backups in one job, such as those of a matrix, need a key each.
export STORECTL_CI_JOB=${STORECTL_CI_JOB:-$label $SECTIONS}

backup() {
  npm install --prefix "$folder" --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error \
    "${STORECTL_PACKAGE:-storectl@$version}" >&2 || return
  "$folder/node_modules/.bin/storectl" backup create \
    --label "$label" --sections "$SECTIONS" --idempotency-from ci --quiet >"$folder/backup-id"
}

# What is printed may be text of the store, and a line of it would be a command to the runner.
token=$(node -p 'require("node:crypto").randomBytes(16).toString("hex")')
mkdir -p "$folder"
: >"$folder/backup-id"
printf '::stop-commands::%s\n' "$token"
backup 2>&1 | tee "$folder/messages"
code=${PIPESTATUS[0]}
cat "$folder/backup-id"
printf '\n::%s::\n' "$token"

escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$1"; }
{
  if [ "$code" -eq 0 ]; then
    printf 'backup-id<<%s\n%s\n%s\n' "$token" "$(cat "$folder/backup-id")" "$token" >>"$GITHUB_OUTPUT"
    printf '### Backup taken\n\n<pre>\n%s\n</pre>\n' "$(escape "$folder/backup-id")"
  else
    printf '### No backup: exit code %s\n\n<pre>\n%s\n</pre>\n' "$code" "$(escape "$folder/messages")"
  fi
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$code"
