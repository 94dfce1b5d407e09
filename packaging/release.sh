#!/usr/bin/env bash
# Builds what is released into a folder: archives of static programs, Debian packages, SBOMs, and their digests.
# The same commit, version and Go give the same bytes, in whichever folder. Called by make release; needs GNU tar.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
: "${VERSION:?}" "${PLATFORMS:?}" "${GO:=go}"
MAINTAINER=${MAINTAINER-} LICENSE=${LICENSE-} HOMEPAGE=${HOMEPAGE-}
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C TZ=UTC CGO_ENABLED=0 SOURCE_DATE_EPOCH=$epoch
stage=$(mktemp -d) && trap 'rm -rf "$stage"' EXIT

# A Debian version begins with a digit, and has no hyphen of its own.
case $VERSION in
v[0-9]*) deb_version=${VERSION#v} ;;
[0-9]*.*) deb_version=$VERSION ;;
*) deb_version="0.0.0~git$(date -u -d "@$epoch" +%Y%m%d).$VERSION" ;;
esac
deb_version=${deb_version//-/.}

# build OS ARCH FOLDER: the two programs.
build() {
	GOOS=$1 GOARCH=$2 $GO build -trimpath -buildvcs=false -ldflags \
		"-s -w -buildid= -X $module/cmd/orchestrator/cli.BuildVersion=$VERSION" -o "$3/orchestrator" ./cmd/orchestrator
	GOOS=$1 GOARCH=$2 $GO build -trimpath -buildvcs=false -ldflags "-s -w -buildid=" -o "$3/orchestrator-hook" \
		./cmd/orchestrator-hook
}

# archive NAME: a folder of the stage as NAME.tar.gz.
archive() {
	tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=go-w,u+rw,a+rX \
		-C "$stage" -cf - "$1" | gzip -n9 > "$out/$1.tar.gz"
}

# package ARCH FOLDER: a Debian package of the programs in FOLDER.
package() {
	local root=$stage/deb-$1
	install -d "$root/usr/bin" "$root/usr/lib/systemd/system" "$root/usr/share/doc/orchestrator"
	cp "$2/orchestrator" "$2/orchestrator-hook" "$root/usr/bin"
	cp packaging/orchestrator@.service "$root/usr/lib/systemd/system"
	packaging/completions.sh "$stage/native/orchestrator" "$root/usr/share" vendor-completions
	cp CHANGELOG.md "$root/usr/share/doc/orchestrator"
	[ -z "$licence_file" ] || cp "$licence_file" "$root/usr/share/doc/orchestrator/copyright"
	find "$root" -type d -exec chmod 755 {} + && find "$root" -type f -exec chmod go-w,a+r {} +
	{
		sed -e "s|@STAGE@|$root|" -e "s|@DATE@|$(date -u -d "@$epoch" +%FT%TZ)|" packaging/nfpm.yaml
		[ -z "$LICENSE" ] || printf 'license: %s\n' "$LICENSE"
		[ -z "$HOMEPAGE" ] || printf 'homepage: %s\n' "$HOMEPAGE"
	} > "$stage/nfpm.yaml"
	ARCH=$1 DEB_VERSION=$deb_version MAINTAINER=$MAINTAINER "$NFPM_TOOL" package --config "$stage/nfpm.yaml" --packager deb \
		--target "$out/orchestrator_${deb_version}_$1.deb" > /dev/null
}

module=$($GO list -m)
licence_file=$(ls LICENSE LICENSE.* COPYING 2> /dev/null | head -1 || true)
rm -f "$out"/*
build "$($GO env GOHOSTOS)" "$($GO env GOHOSTARCH)" "$stage/native"
$GO build -trimpath -o "$stage/sbom" ./cmd/sbom
for platform in $PLATFORMS; do
	os=${platform%/*} arch=${platform#*/} name=orchestrator-$VERSION-${platform/\//-}
	echo "building $name"
	build "$os" "$arch" "$stage/$name"
	"$stage/sbom" -scripts internal/httpapi/web/asset/third-party/manifest.json "$VERSION" \
		"$stage/$name/orchestrator" "$stage/$name/orchestrator-hook" > "$out/$name.cdx.json"
	packaging/completions.sh "$stage/native/orchestrator" "$stage/$name/share" site-functions
	cp CHANGELOG.md "$stage/$name"
	[ -z "$licence_file" ] || cp "$licence_file" "$stage/$name"
	archive "$name"
	if [ "$os" = linux ] && [ -n "$MAINTAINER" ]; then package "$arch" "$stage/$name"; fi
done
[ -n "$MAINTAINER" ] || echo "NOTE: no Debian package was made, since it must name who maintains it: make release MAINTAINER='Name <address>'"
[ -n "$LICENSE" ] || echo "NOTE: no licence is named in what was made: make release LICENSE=SPDX-ID"
(cd "$out" && sha256sum -- * > "$stage/SHA256SUMS" && mv "$stage/SHA256SUMS" .)
ls -l "$out" | awk 'NR > 1 { printf "%10d  %s\n", $5, $9 }'
