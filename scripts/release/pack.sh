#!/usr/bin/env bash
# Packs a built clone into release/: the package of npm, and the list of its parts (SBOM).
set -euo pipefail

mkdir -p release
npm pack --ignore-scripts --pack-destination release
cp dist/sbom.cdx.json release/
