#!/usr/bin/env bash
# The step of action.yml: runs storectl, and hands its output to the workflow and to the summary of the job.
set -uo pipefail

PATH="$RUNNER_TEMP/storectl/bin:$PATH"
LABEL="${LABEL:-run $GITHUB_RUN_ID}"
# Several backups in one job, such as those of a matrix, need a key each.
export STORECTL_CI_JOB="${STORECTL_CI_JOB:-$LABEL $SECTIONS}"

if [ -n "$ARGS" ]; then
  # Splits at white space outside of quotes, and expands nothing: an argument stays text.
  args=()
  while IFS= read -r -d '' word; do args+=("$word"); done < <(node -e '
    const words = process.env.ARGS.match(/(?:"[^"]*"|[\x27][^\x27]*[\x27]|[^\s"\x27])+/g) ?? [];
    for (const word of words) process.stdout.write(`${word.replace(/["\x27]/g, "")}\0`);
  ')
else
  args=(backup create --label "$LABEL" --sections "$SECTIONS" --idempotency-from ci --quiet)
fi

output=$(storectl "${args[@]}")
code=$?

[ -n "$ARGS" ] || echo "backup-id=$output" >>"$GITHUB_OUTPUT"
delimiter="end-of-output-$RANDOM$RANDOM"
printf 'output<<%s\n%s\n%s\n' "$delimiter" "$output" "$delimiter" >>"$GITHUB_OUTPUT"
{
  # Without the values of flags: a title or a reason may be private.
  printf '### storectl %s: %s\n\n' "${args[*]:0:2}" "$([ $code -eq 0 ] && echo done || echo "exit code $code")"
  printf '```\n%s\n```\n' "${output//\`\`\`/}"
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
printf '%s\n' "$output"
exit $code
