#!/usr/bin/env bash
# The Dockerfile's steps without Docker: a fresh environment, its size, then one mail through it as an unprivileged user
# that can write nowhere but /tmp. Run as root from the repository; about five minutes.
#   deploy/try_image.sh
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/src" && cp -r pyproject.toml README.md LICENSE NOTICE model training service migrations "$work/src"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-cache-dir "$work/src[postgres]"
"$work/venv/bin/pip" uninstall -q -y pip
rm -rf "$work/src"
find "$work/venv" -name __pycache__ -prune -exec rm -rf {} +
bytes=$(du -sb "$work/venv" | cut -f1)
echo "environment: $((bytes / 1000000)) MB"
test "$bytes" -lt 250000000
if "$work/venv/bin/python" -c 'import torch' 2>/dev/null; then echo "torch is in the image"; exit 1; fi
chmod -R a-w "$work/venv"
state=$(mktemp -d) && chmod 777 "$state" # stands for PostgreSQL, which is outside the image
setpriv --reuid 10001 --regid 10001 --clear-groups env -i PYTHONDONTWRITEBYTECODE=1 PATH="$work/venv/bin:/usr/bin:/bin" \
    REFUND_ROUTER_DATABASE_URL="sqlite:///$state/router.db" \
    bash -c 'cd / && test ! -w '"$work/venv"' && refund-router db upgrade && refund-router classify "Refund the delivery fee, not the cake."'
rm -rf "$state"
