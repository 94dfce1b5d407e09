package shell

// readers are programs that write nothing unless an option or an operand makes them.
var readers = map[string]tool{
	"ls": read(), "dir": read(), "vdir": read(), "cat": read(), "bat": read("--pager:!"), "head": read(), "tail": read(), "tac": read(),
	"rev": read(), "nl": read(), "zcat": read(), "bzcat": read(), "xzcat": read(), "zstdcat": read(),
	"less": read("o:> O:> --log-file:> --LOG-FILE:> k:! --lesskey-file:! --lesskey-src:!"), "more": read(), "most": read(),
	"grep": read(), "egrep": read(), "fgrep": read(), "zgrep": read(), "ggrep": read(),
	"rg": read("--pre:! --hostname-bin:! e: f: g: t: T: A: B: C: m: z --pre-glob:"),
	"ag": read("--pager:!"), "ack": read("--pager:! --output:"),
	"wc": read(), "sort": read("o:> --output:> T: S: k: t: --compress-program:! --temporary-directory:"), "cut": read(), "tr": read(),
	"diff": read(), "sdiff": read("o:> --output:>"), "cmp": read(), "comm": read(), "colordiff": read(), "diff3": read("--diff-program:!"),
	"uniq": {Reads, second, "f: s: w: --skip-fields: --skip-chars: --check-chars:@"}, "xxd": {Reads, second, "r c: g: l: n: o: s: p i u e b"},
	"file": read("C@ --compile@"), "stat": read(), "du": read(), "df": read(), "tree": read("o:> L: P: I: R! -o:>"), "pwd": read(),
	"realpath": read(), "readlink": read(), "basename": read(), "dirname": read(), "pathchk": read(), "locate": read(), "plocate": read(),
	"echo": read(), "true": read(), "false": read(), ":": read(), "test": read(), "exit": read(), "return": read(), "break": read(),
	"continue": read(), "shift": read(), "sleep": read(), "seq": read(), "yes": read(), "expr": read(),
	"whoami": read(), "id": read(), "groups": read(), "users": read(), "who": read(), "w": read(), "uname": read(), "arch": read(),
	"printenv": read(), "which": read(), "whereis": read(), "type": read(), "tty": read(), "logname": read(), "hash": {Ambiguous, none, ""},
	"ps": read(), "pgrep": read(), "top": read("w W@"), "free": read(), "uptime": read(), "vmstat": read(), "iostat": read(),
	"nproc": read(), "lscpu": read(), "lsblk": read(), "lsusb": read(), "lspci": read(), "lsof": read(), "lsmod": read(), "locale": read(),
	"getent": read(), "getconf": read(), "cal": read(), "ncal": read(),
	"netstat": read(), "ss": read("D:> --diag:>"), "dig": read(), "host": read(), "nslookup": read(), "ping": read(), "ping6": read(),
	"traceroute": read(), "ulimit": read(), "umask": read(), "times": read(), "jobs": read(), "dirs": read(),
	"history": read("w@ a@ c@ d:@"), "fg": read(), "bg": read(), "disown": read(),
	"md5sum": read(), "sha1sum": read(), "sha224sum": read(), "sha256sum": read(), "sha384sum": read(), "sha512sum": read(),
	"b2sum": read(), "b3sum": read(), "cksum": read(), "sum": read(), "md5": read(), "shasum": read(), "crc32": read(),
	"od": read(), "hexdump": read(), "hd": read(), "strings": read(), "column": read(), "paste": read(), "join": read(), "fold": read(),
	"fmt": read(), "pr": read(), "expand": read(), "unexpand": read(), "tsort": read(), "numfmt": read(),
	"shuf": read("o:> --output:> n: i: e r z"), "factor": read(),
	"jq": read("f: L:"), "gojq": read(), "bc": read(), "dc": {Ambiguous, none, ""}, "base64": read("o:> --output:> i: -output:>"),
	"base32": read(), "basenc": read(), "apropos": read(), "whatis": read(), "tldr": read(), "cloc": read("--out:> --report-file:>"),
	"tokei": read(), "scc": read("o:> --output:>"),
	"lsattr": read(), "getfacl": read(), "getfattr": read(), "namei": read(), "nm": read("--plugin:!"), "objdump": read(),
	"readelf": read(), "size": read(), "ldd": {Ambiguous, none, ""}, "zipinfo": read(), "look": read(), "tput": read(), "clear": read(),
	"journalctl": read("--vacuum-size:@ --vacuum-time:@ --rotate@ --vacuum-files:@ --cursor-file:>"),
	"dmesg":      read("c@ C@ --clear@ --read-clear@"),
	"gzcat":      read(), "zless": {Ambiguous, none, ""}, "zdiff": read(), "actionlint": {Ambiguous, none, ""}, "shellcheck": read(),
	"hadolint": read(), "yamllint": read(),
}

// read is the row of a reader; its options are only those that change what it does, or take a value.
func read(opts ...string) tool {
	if len(opts) == 0 {
		return tool{class: Reads}
	}
	return tool{class: Reads, opts: opts[0]}
}

// interpreters run programs; % marks what names one, and ! code that stands in the command.
var interpreters = map[string]string{
	"python": pythonOptions, "python2": pythonOptions, "python3": pythonOptions, "pypy": pythonOptions, "pypy3": pythonOptions, "ipython": pythonOptions,
	"node": nodeOptions, "nodejs": nodeOptions, "bun": nodeOptions, "deno": "", "tsx": nodeOptions, "ts-node": nodeOptions,
	"php": "r:! B:! R:! E:! f:% S:% m% i%", "lua": "e:! l:% i", "luajit": "e:! l:%", "osascript": "e:! l:", "Rscript": "e:!", "R": "e:!",
	"julia": "e:! E:! --eval:! --print:!", "groovy": "e:!", "scala": "e:!",
	"elixir": "e:! --eval:!", "erl": "-eval:!", "swift": "e:!", "ghc": "e:!", "runghc": "", "clojure": "e:! --eval:!", "tclsh": "",
	"expect": "c:!", "guile": "c:!", "racket": "e:!", "sbcl": "--eval:!", "gdb": "-ex:! --eval-command:! x:!", "m4": "", "jshell": "",
	"irb": "", "psql": "c:! --command:! f:% o:>", "mysql": "e:! --execute:!",
}

const (
	pythonOptions = "c:! m:% W: X: Q:"
	nodeOptions   = "e:! p:! --eval:! --print:! r: --require: --import:! --loader: --inspect= --test% --run:% --check%"
)

const curlOptions = "o:> --output:> O@ --remote-name@ --remote-name-all@ --output-dir: D:> --dump-header:> c:> --cookie-jar:> --trace:> --trace-ascii:> --stderr:> --libcurl:> " +
	"--hsts:> --alt-svc:> --etag-save:> K:! --config:! d:^ H: X:~ u: A: e: b: F:^ T:^ m: x: r: w: E: y: Y: C: Q:^ t: U: z: P: --data:^ --data-raw:^ --data-binary:^ --data-ascii:^ --header: --request:~ --upload-file:^ --quote:^ --mail-rcpt:^ --user: --url: --max-time: --connect-timeout: --retry: --write-out: --form:^ --form-string:^ --proxy: --cookie: --user-agent: --referer: --cacert: --cert: --key: --range: --data-urlencode:^ --json:^ --engine:!"
