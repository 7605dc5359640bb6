#!/usr/bin/env bash
# The API as others see it: buf's rules, what was released stays readable, and clients written from the proto files
# alone, in Python and in Node (which has nothing but the server's reflection), drape the same bytes as ours.
# api_test.sh BUILD_DIR lint|clients|http.  77: the tools are not here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) root=$(cd "$(dirname "$0")/../.." && pwd)
buf=$here/node_modules/.bin/buf
fail() { echo "FAILED: $*"; exit 1; }

lint() {
  [[ -x $buf ]] || { echo "SKIPPED: buf is not installed (scripts/install-test-tools)"; exit 77; }
  "$buf" lint "$root/proto" || fail "buf lint"
  "$buf" breaking "$root/proto" --against "$root/tests/api/released.binpb" || fail "what was released would break"
}

serve() { # BIN: a server; its address is $address, its folder $work
  bin=$1 work=$(mktemp -d)
  "$bin/tryon-server" --data "$work/data" --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --workers 1 \
    --port-file "$work/port" 2>"$work/log" &
  server=$! gateway=
  trap 'kill $gateway "$server" 2>/dev/null; wait $gateway "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
  for _ in $(seq 100); do [[ -s $work/port ]] && break; sleep 0.1; done
  address=127.0.0.1:$(cat "$work/port")
}

clients() {
  [[ -d $here/node_modules/@grpc ]] || { echo "SKIPPED: grpc-js is not installed (scripts/install-test-tools)"; exit 77; }
  /usr/bin/python3 -c 'import grpc' 2>/dev/null || { echo "SKIPPED: python3-grpcio is not installed"; exit 77; }
  serve "$1/bin"
  "$bin/tryon" --server "$address" drape --garment template:t_shirt --size M --resolution 30 --out "$work/own" \
    >"$work/own.log" || (($? == 4)) || { cat "$work/own.log"; fail "tryon"; }
  /usr/bin/python3 "$root/client/examples/python/drape.py" --server "$address" --template t_shirt --size M \
    --resolution 30 --out "$work/python" || fail "the Python client"
  NODE_PATH=$here/node_modules node "$root/client/examples/node/drape.js" "$address" t_shirt M "$work/node" 30 ||
    fail "the Node client"
  for client in python node; do
    cmp "$work/own/garment.glb" "$work/$client/garment.glb" || fail "$client drapes something else"
  done
  # An error reaches them in words, with its reason and remedy.
  /usr/bin/python3 "$root/client/examples/python/drape.py" --server "$address" --template kilt --out "$work/no" \
    >"$work/error" 2>&1 && fail "a template that is not there was drafted"
  for part in "reason: TEMPLATE_UNKNOWN" "remedy: "; do
    grep -q "$part" "$work/error" || { cat "$work/error"; fail "the error says too little"; }
  done
}

# Drapes by HTTP and JSON through the gateway, which knows the API's annotations and nothing else.
http() {
  [[ -d $here/node_modules/@bufbuild/protobuf ]] ||
    { echo "SKIPPED: protobuf-es is not installed (scripts/install-test-tools)"; exit 77; }
  command -v protoc >/dev/null && command -v curl >/dev/null || { echo "SKIPPED: no protoc or no curl"; exit 77; }
  serve "$1/bin"
  (cd "$root/proto" && find . -name '*.proto' -print0 |
    xargs -0 protoc -I . --include_imports --descriptor_set_out="$work/tryon.protoset") || fail "protoc"
  NODE_PATH=$here/node_modules node "$root/client/examples/http/gateway.js" "$work/tryon.protoset" "$address" \
    127.0.0.1:0 >"$work/gateway" &
  gateway=$!
  for _ in $(seq 100); do [[ -s $work/gateway ]] && break; sleep 0.1; done
  /usr/bin/python3 "$here/http_client.py" "$(cat "$work/gateway")" "$work/http.sha256" || fail "the HTTP client"
  "$bin/tryon" --server "$address" drape --garment template:t_shirt --size M --resolution 30 --out "$work/own" \
    >"$work/own.log" || (($? == 4)) || { cat "$work/own.log"; fail "tryon"; }
  sha256sum <"$work/own/garment.glb" | cut -c1-64 | cmp - "$work/http.sha256" || fail "HTTP drapes something else"
}

case $2 in
  lint) lint ;;
  clients) clients "$(cd "$1" && pwd)" ;;
  http) http "$(cd "$1" && pwd)" ;;
  *) fail "lint, clients or http" ;;
esac
