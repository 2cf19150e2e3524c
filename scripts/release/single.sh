#!/usr/bin/env bash
# single.sh VERSION: makes the single executable for this machine, tries it, and puts it into release/.
set -euo pipefail

program=$(node scripts/build-single.mjs | tail -n 1)
program=${program//\\//}
bash scripts/release/smoke.sh "$1" "$PWD/$program"
mkdir -p release
ending=${program#single/storectl}
cp "$program" "release/storectl-$1-$(node -p 'process.platform + "-" + process.arch')$ending"
