#!/bin/sh
# What check-deb.sh runs in the clean Debian. $1 is booted where systemd runs there, and chroot otherwise.
set -eu
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
project=/var/lib/orchestrator/shop
say() { echo; echo "== $*"; }
as() { runuser -u orchestrator -- sh -c "cd $project && $*"; }
ready() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		if as orchestrator health 2> /tmp/why; then echo ready; return; fi
		sleep 1
	done
	cat /tmp/why
	[ "$1" = chroot ] || journalctl --no-pager -u orchestrator@shop
	return 1
}

say "$(. /etc/os-release && echo "$PRETTY_NAME"), $1"
dpkg -i /root/orchestrator.deb
id orchestrator
orchestrator --version

say a project
install -d -o orchestrator -g orchestrator -m 0750 $project
as "git init -q -b main && git config user.name pm && git config user.email pm@example.org"
as "printf '# Shop\n\n- **REQ-001**: A customer can log in.\n' > REQUIREMENTS.md && git add REQUIREMENTS.md && git commit -qm first"

say start
if [ "$1" = booted ]; then
	systemd-analyze verify orchestrator@shop.service
	systemctl enable --now orchestrator@shop.service
	systemctl show -p ActiveState,User,MainPID,WorkingDirectory orchestrator@shop.service
	systemd-analyze security --no-pager orchestrator@shop.service | tail -1
else
	install -d -o orchestrator -g orchestrator -m 0750 /run/orchestrator/shop
	as "ORCHESTRATOR_ADDR=unix:/run/orchestrator/shop/http ORCHESTRATOR_LOG_FORMAT=json orchestrator serve > /tmp/log 2>&1 & echo \$! > /tmp/pid"
fi
ready "$1"

say the first requirement
as orchestrator review
as "ls -l project_status.json project_status.checkpoint && stat -c '%a %U %n' .orchestrator .orchestrator/state.db .orchestrator/tokens/pm.token"
stat -c '%a %U %n' /run/orchestrator/shop/http
[ "$1" = chroot ] || journalctl --no-pager -o cat -u orchestrator@shop | grep -o '"message":.*' | head -8

say upgrade
if [ "$1" = booted ]; then
	before=$(systemctl show -p MainPID --value orchestrator@shop.service)
	dpkg -i /root/orchestrator.deb
	test "$before" != "$(systemctl show -p MainPID --value orchestrator@shop.service)"
	ready booted
else
	kill "$(cat /tmp/pid)"
fi

say removal
dpkg -r orchestrator
test ! -e /usr/bin/orchestrator
if [ "$1" = booted ] && systemctl is-active orchestrator@shop.service; then exit 1; fi
ls -A $project
