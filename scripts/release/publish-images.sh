#!/usr/bin/env bash
# publish-images.sh VERSION: pushes the images in images/, one tag for all machines. IMAGE_REGISTRY is registry and owner, as
# in registry.example/owner; REGISTRY_USER and REGISTRY_TOKEN may push there.
set -euo pipefail

docker login "${IMAGE_REGISTRY%%/*}" --username "$REGISTRY_USER" --password-stdin <<<"$REGISTRY_TOKEN"
for target in cli service; do
  parts=()
  for file in images/storectl-"$target"-*.tar; do
    machine=${file##*-}
    part=$IMAGE_REGISTRY/storectl-$target:$1-${machine%.tar}
    docker load --input "$file"
    docker tag "storectl-$target:$1" "$part"
    docker push "$part"
    parts+=("$part")
  done
  docker buildx imagetools create --tag "$IMAGE_REGISTRY/storectl-$target:$1" "${parts[@]}"
done
