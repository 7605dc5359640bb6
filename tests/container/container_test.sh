#!/usr/bin/env bash
# The images, as a user runs them: read-only, without capabilities, as nobody; a garment is draped through each.
# container_test.sh BUILD_DIR.  77: containers cannot be run here, so nothing was tested.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
# shellcheck source=tests/container/engine.sh
source "$root/tests/container/engine.sh" "$build/containers"
why=$(engine_absent)
[[ -z $why ]] || { echo "SKIPPED: no containers here: $why"; exit 77; }
base_image 2>"$engine_home/base.log" || { echo "SKIPPED: no base image:"; tail -3 "$engine_home/base.log"; exit 77; }

fail() { echo "FAILED: $*"; exit 1; }
work=$(mktemp -d)
forget() {
  podman rm -f -t 0 tryon-one tryon-api tryon-worker >/dev/null 2>&1 || true
  podman volume rm -f tryon-one tryon-two >/dev/null 2>&1 || true
}
trap 'forget; close_engine; rm -rf "$work"' EXIT
forget

build_image() {
  buildah build --isolation chroot --format docker --layers -f docker/Dockerfile --target "$1" -t "localhost/tryon-$1" \
    --build-arg BASE=localhost/debian:bookworm-slim --build-arg PROGRAMS=gathered --build-arg VERSION=test . \
    >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "image $1 was not built"; }
}
megabytes() { podman image inspect -f '{{.Size}}' "localhost/tryon-$1" | awk '{printf "%d", $1 / 1e6}'; }

context=$work/context
mkdir -p "$context"
"$root/docker/gather" "$build/bin" "$context/build/image"
cp -r "$root/docker" "$root/.dockerignore" "$context"
cd "$context"
for image in server worker single; do build_image "$image"; echo "image $image: $(megabytes "$image") MB"; done
cd "$root"

(($(megabytes server) <= 200)) || fail "the server's image is larger than 200 MB"
for image in server worker single; do
  [[ $(podman image inspect -f '{{.Config.User}}' localhost/tryon-$image) == 65532:65532 ]] || fail "$image runs as root"
  [[ $(podman image inspect -f '{{index .Labels "org.opencontainers.image.version"}}' localhost/tryon-$image) == test ]] ||
    fail "$image has no version"
done
podman run --rm --no-healthcheck --entrypoint /bin/sh localhost/tryon-single -c \
  'for tool in cc gcc g++ c++ make cmake ninja git; do command -v $tool && exit 1; done; exit 0' || fail "build tools inside"
podman run --rm --no-healthcheck --entrypoint /bin/sh localhost/tryon-single -c \
  'cat /usr/share/doc/tryon/sbom.spdx.json' >"$work/sbom.json"
for library in libgrpc++ libopen3d libembree; do
  grep -q "\"name\": \"$library" "$work/sbom.json" || fail "the list of what is inside does not name $library"
done

# As Kubernetes' restricted pods run: nothing but the volume and /tmp can be written.
closed=(--no-healthcheck --network host --read-only --cap-drop ALL --security-opt no-new-privileges --tmpfs /tmp
        --memory 4g --pids-limit 512)
start() { # NAME IMAGE VOLUME ARGS...
  podman run -d --name "$1" "${closed[@]}" -v "$3:/var/lib/tryon" "localhost/tryon-$2" "${@:4}" >/dev/null
}
port_of() { # NAME: the API's port, once it serves
  for _ in $(seq 200); do
    local port
    port=$(podman logs "$1" 2>&1 | sed -n 's/.*"event":"serving","port":"\([0-9]*\)".*/\1/p')
    [[ -n $port ]] && { echo "$port"; return; }
    sleep 0.1
  done
  podman logs "$1"
  fail "$1 does not serve"
}
drape() { # PORT OUT
  local status=0
  "$build/bin/tryon" --server "127.0.0.1:$1" drape --resolution 30 --out "$2" >"$2.log" 2>&1 || status=$?
  ((status == 0 || status == 4)) || { cat "$2.log"; fail "no drape through the container"; }
  [[ -s $2/garment.glb && -s $2/metrics.json && -s $2/preview_front.png ]] || fail "the drape left no meshes or pictures"
}

start tryon-one single tryon-one --data /var/lib/tryon --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --workers 1
port=$(port_of tryon-one)
podman exec tryon-one /usr/bin/tryon-health --address "127.0.0.1:$port" || fail "the probe says that it is not healthy"
status=0
podman exec tryon-one /usr/bin/tryon-health --address 127.0.0.1:1 --timeout 0.5 2>/dev/null || status=$?
((status == 2)) || fail "the probe does not see that nobody listens: exit $status"
drape "$port" "$work/one"
podman stop -t 20 tryon-one >/dev/null
[[ $(podman inspect -f '{{.State.ExitCode}}' tryon-one) == 0 ]] || fail "SIGTERM did not end the server in order"
echo "single: served, drapes, stops in order"

start tryon-api server tryon-two --data /var/lib/tryon --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --workers 0
port=$(port_of tryon-api)
start tryon-worker worker tryon-two --data /var/lib/tryon
drape "$port" "$work/two"
cmp "$work/one/garment.glb" "$work/two/garment.glb" || fail "one and two containers drape differently"
podman stop -t 20 tryon-worker tryon-api >/dev/null
echo "server and worker apart: drape the same bytes"
