#!/usr/bin/env bash
# Installs the Debian package of a folder in a clean Debian, boots it, and serves a project there: the unit starts, the
# requirements are imported, the service is ready, an upgrade restarts it, and a removal leaves the project's data.
# Where no container can be booted, the program of the unit is started by hand, as its user. It needs root.
#
# Verifies: ORC-167
#
# DEBIAN names a Debian that debootstrap has made already, which is copied; SUITE and MIRROR say what to make otherwise.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
deb=$(ls "$1"/*_"$(dpkg --print-architecture)".deb)
for program in debootstrap systemd-nspawn; do
	command -v $program > /dev/null || { apt-get update && apt-get install -y debootstrap systemd-container; } > /dev/null
done
work=$(mktemp -d) root=$work/root
trap 'rm -rf "$work"' EXIT
if [ -n "${DEBIAN-}" ]; then
	cp -a "$DEBIAN" "$root"
else
	echo "== debootstrap ${SUITE:-bookworm}"
	debootstrap --include=git,ca-certificates "${SUITE:-bookworm}" "$root" "${MIRROR:-http://deb.debian.org/debian}" > "$work/log" ||
		{ tail "$work/log"; exit 1; }
fi
cp "$deb" "$root/root/orchestrator.deb"
install -m 755 "$here/check-deb-inside.sh" "$root/root/check.sh"
cat > "$root/etc/systemd/system/check.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c '/root/check.sh booted > /root/transcript 2>&1; echo $? > /root/code; systemctl poweroff --no-block'
[Install]
WantedBy=multi-user.target
UNIT
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../check.service "$root/etc/systemd/system/multi-user.target.wants/check.service"
timeout 300 systemd-nspawn --quiet --register=no --keep-unit --private-network --directory="$root" --boot > "$work/boot" 2>&1 || true
if [ ! -e "$root/root/code" ]; then
	echo "NOTE: no container can be booted here; the unit is NOT started by systemd"
	chroot "$root" /root/check.sh chroot > "$root/root/transcript" 2>&1 && code=0 || code=$?
	echo "$code" > "$root/root/code"
fi
cat "$root/root/transcript"
exit "$(cat "$root/root/code")"
