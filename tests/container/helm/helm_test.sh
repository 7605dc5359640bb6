#!/usr/bin/env bash
# The Kubernetes chart, rendered with its own values, meets the restricted pod standard; the server knows every variable
# that it sets.  helm_test.sh BUILD_DIR.  77: Go and its libraries are not here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[[ -d /usr/share/gocode/src/github.com/Masterminds/sprig ]] && command -v go >/dev/null ||
  { echo "SKIPPED: Go is not here to render the chart"; exit 77; }
/usr/bin/python3 -c 'import yaml' 2>/dev/null || { echo "SKIPPED: python3-yaml is not installed"; exit 77; }
rendered=$(mktemp)
trap 'rm -f "$rendered"' EXIT
GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=${TMPDIR:-/tmp}/tryon-go-cache \
  go run "$here/render.go" "$here/../../../docker/helm/tryon" >"$rendered"
variables=$(/usr/bin/python3 "$here/check.py" <"$rendered")
options=$("$1/bin/tryon-server" --data /tmp --print-config)
for variable in $variables; do
  option=$(tr 'A-Z_' 'a-z-' <<<"${variable#TRYON_}")
  grep -q "^#\?;\?$option=" <<<"$options" || { echo "FAILED: the server has no option $option"; exit 1; }
done
