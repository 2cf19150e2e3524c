#!/usr/bin/env bash
# publish-release.sh TAG: makes the release with everything in release/ and its checksums, and moves the tag of the action, as
# v0 for v0.1.0, to it.
set -euo pipefail

(cd release && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
gh release create "$1" release/* --verify-tag --generate-notes
git tag --force "${1%%.*}" "$1^{commit}"
git push --force origin "refs/tags/${1%%.*}"
