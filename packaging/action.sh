#!/usr/bin/env bash
# The two steps of action.yml. Inputs come as variables and never as text of a script, so that nothing in them is run.
set -euo pipefail
bin=${RUNNER_TEMP:?}/orchestrator-bin

install_release() {
	case "$(uname -s)-$(uname -m)" in
	Linux-x86_64) platform=linux-amd64 ;;
	Linux-aarch64 | Linux-arm64) platform=linux-arm64 ;;
	Darwin-x86_64) platform=darwin-amd64 ;;
	Darwin-arm64) platform=darwin-arm64 ;;
	*) echo "::error::there is no release for $(uname -s) $(uname -m)" && exit 2 ;;
	esac
	[[ $VERSION =~ ^[A-Za-z0-9._+~-]+$ ]] || { echo "::error::the version of the action is no version" && exit 2; }
	local name=orchestrator-$VERSION-$platform.tar.gz from=${RELEASES:-$SERVER/$REPOSITORY/releases/download/$VERSION}
	cd "$(mktemp -d)"
	curl -fsSL --retry 3 -O "$from/$name" -O "$from/SHA256SUMS"
	awk -v name="$name" '$2 == name' SHA256SUMS > wanted
	test -s wanted || { echo "::error::SHA256SUMS of $VERSION does not list $name" && exit 2; }
	if command -v sha256sum > /dev/null; then sha256sum -c wanted; else shasum -a 256 -c wanted; fi
	tar -xzf "$name" --strip-components=1
	install -m 755 orchestrator "$bin"
}

case $1 in
install)
	mkdir -p "$bin"
	if [ -n "$VERSION" ]; then
		install_release
	else
		cd "$SOURCE"
		CGO_ENABLED=0 go build -trimpath -o "$bin/orchestrator" ./cmd/orchestrator
	fi
	;;
run)
	read -r -a words <<< "$COMMAND"
	case "${words[0]-}" in
	gate | import | trace | verify) ;;
	*) echo "::error::the action runs gate, import, trace and verify, not '${words[0]-}'" && exit 2 ;;
	esac
	exec "$bin/orchestrator" "${words[@]}"
	;;
esac
