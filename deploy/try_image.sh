#!/usr/bin/env bash
# The Dockerfile's steps without Docker: a fresh environment, slimmed, its size, its bill of materials; then the service as
# an unprivileged user that can write nowhere but a temporary folder, as in a container with a read-only root.
# Run as root from the repository; some minutes.
#   [PYTHON=/usr/bin/python3] deploy/try_image.sh
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
setpriv --reuid 10001 --regid 10001 --clear-groups env "$("$PYTHON" -c 'import sys; print(sys.executable)')" -c '' \
    || { echo "every user must be able to run $PYTHON; name another one in PYTHON"; exit 2; }
work=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/src" && cp -r pyproject.toml README.md LICENSE NOTICE model training service migrations "$work/src"
"$PYTHON" -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir --no-compile "$work/src[postgres]"
deploy/slim.sh "$work/venv"
rm -rf "$work/src"
bytes=$(du -sb "$work/venv" | cut -f1)
echo "environment: $((bytes / 1000000)) MB"
du -sm "$work"/venv/lib/python*/site-packages/* | sort -rn | head -12
test "$bytes" -lt 250000000
if "$work/venv/bin/python" -c 'import torch' 2>/dev/null; then echo "torch is in the image"; exit 1; fi

"$PYTHON" -m venv "$work/bill"
"$work/bill/bin/pip" install -q --no-cache-dir 'cyclonedx-bom==7.*'
"$work/bill/bin/cyclonedx-py" environment --output-reproducible -o "$work/venv/sbom.cdx.json" "$work/venv/bin/python"
python3 - "$work/venv/sbom.cdx.json" <<'CHECK'
import json, sys
names = {part["name"] for part in json.load(open(sys.argv[1]))["components"]}
print(f"bill of materials: {len(names)} packages")
assert {"onnxruntime", "fastapi", "psycopg"} <= names, names
assert not {"torch", "pip", "huggingface_hub"} & names, names
CHECK

find "$work/venv" -name __pycache__ -prune -exec rm -rf {} + # what these checks imported as root
chmod -R a-w "$work/venv"
state="$work/state" && mkdir "$state" && chmod 777 "$state" # stands for PostgreSQL, which is outside the image, and /tmp
router=(setpriv --reuid 10001 --regid 10001 --clear-groups env -i PYTHONDONTWRITEBYTECODE=1 ORT_DISABLE_TELEMETRY=1
    TMPDIR="$state" PATH="$work/venv/bin:/usr/bin:/bin" REFUND_ROUTER_DATABASE_URL="sqlite:///$state/router.db"
    REFUND_ROUTER_CHECK_AT_START=off REFUND_ROUTER_HOST=0.0.0.0 REFUND_ROUTER_PORT=18080)
cd /
"${router[@]}" test ! -w "$work/venv"
"${router[@]}" refund-router db upgrade
key=$("${router[@]}" refund-router keys create first --role admin 2>/dev/null)
"${router[@]}" refund-router serve & server=$!
for _ in $(seq 600); do curl -sf -o /dev/null http://127.0.0.1:18080/readyz && break; sleep 0.5; done
curl -sf http://127.0.0.1:18080/v1/emails -H "Authorization: Bearer $key" -H 'content-type: application/json' \
    -d '{"text": "Refund the delivery fee, not the cake."}' | tee "$state/answer"
echo
grep -q '"label":"refund_fee"' "$state/answer"
echo "the image's environment serves"
