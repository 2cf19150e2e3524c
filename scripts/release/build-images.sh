#!/usr/bin/env bash
# build-images.sh VERSION: builds both images for this machine, tries them, and saves them in images/.
set -euo pipefail

mkdir -p images
for target in cli service; do
  docker build --target "$target" --tag "storectl-$target:$1" .
  docker save --output "images/storectl-$target-$(uname -m).tar" "storectl-$target:$1"
done
variables=(--env STORECTL_BASE_URL --env STORECTL_STORE_ID --env STORECTL_API_KEY)
bash scripts/release/smoke.sh "$1" docker run --rm --network host "${variables[@]}" "storectl-cli:$1"
test "$(docker run --rm --entrypoint storectl "storectl-service:$1" --version)" = "$1"
docker run --rm --entrypoint storectl "storectl-service:$1" service stores create --database /data/store.db --name Smoke
