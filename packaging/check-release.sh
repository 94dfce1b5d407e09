#!/usr/bin/env bash
# Builds a release twice, in two folders and with two caches, and requires the same digests. PLATFORMS narrows it.
#
# Verifies: ORC-167
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d) && trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
commit=$(git rev-parse HEAD) # it may move on meanwhile
for copy in one another/that/lies/deeper; do
	mkdir -p "$work/$copy/tree"
	git archive "$commit" | tar -x -C "$work/$copy/tree"
	GOCACHE="$work/$copy/cache" "$work/$copy/tree/packaging/release.sh" "$work/$copy/dist"
	rm -rf "$work/$copy/cache"
done
diff "$work/one/dist/SHA256SUMS" "$work/another/that/lies/deeper/dist/SHA256SUMS"
echo "two builds, one digest for each of $(wc -l < "$work/one/dist/SHA256SUMS") files"
