package shell

// readers are programs that write nothing unless an option or an operand makes them.
var readers = tools{
	{"ack", Reads, none, "--pager:! --output:"},
	{"actionlint", Ambiguous, none, ""},
	{"ag", Reads, none, "--pager:!"},
	{"base64", Reads, none, "o:> --output:> i: -output:>"},
	{"bat", Reads, none, "--pager:!"},
	{"cloc", Reads, none, "--out:> --report-file:>"},
	{"dc", Ambiguous, none, ""},
	{"diff3", Reads, none, "--diff-program:!"},
	{"dmesg", Reads, none, "c@ C@ --clear@ --read-clear@"},
	{"file", Reads, none, "C@ --compile@"},
	{"hash", Ambiguous, none, ""},
	{"history", Reads, none, "w@ a@ c@ d:@"},
	{"journalctl", Reads, none, "--vacuum-size:@ --vacuum-time:@ --rotate@ --vacuum-files:@ --cursor-file:>"},
	{"jq", Reads, none, "f: L:"},
	{"ldd", Ambiguous, none, ""},
	{"less", Reads, none, lessOptions},
	{"more", Reads, none, lessOptions}, // which it is in places
	{"nm", Reads, none, "--plugin:!"},
	{"rg", Reads, none, "--pre:! --hostname-bin:! e: f: g: t: T: A: B: C: m: z --pre-glob:"},
	{"scc", Reads, none, "o:> --output:>"},
	{"sdiff", Reads, none, "o:> --output:>"},
	{"shuf", Reads, none, "o:> --output:> n: i: e r z"},
	{"sort", Reads, none, "o:> --output:> T: S: k: t: --compress-program:! --temporary-directory:"},
	{"ss", Reads, none, "D:> --diag:>"},
	{"top", Reads, none, "w W@"},
	{"tree", Reads, none, "o:> L: P: I: R! -o:>"},
	{"uniq", Reads, second, "f: s: w: --skip-fields: --skip-chars: --check-chars:@"},
	{"xxd", Reads, second, "r c: g: l: n: o: s: p i u e b"},
	{"zless", Ambiguous, none, ""},
}

// interpreters run programs; % marks what names one, and ! code that stands in the command.
var interpreters = table[string]{
	{"R", "e:!"},
	{"Rscript", "e:!"},
	{"bun", nodeOptions},
	{"clojure", "e:! --eval:!"},
	{"deno", ""},
	{"elixir", "e:! --eval:!"},
	{"erl", "-eval:!"},
	{"expect", "c:!"},
	{"gdb", "-ex:! --eval-command:! x:!"},
	{"ghc", "e:!"},
	{"groovy", "e:!"},
	{"guile", "c:!"},
	{"ipython", pythonOptions},
	{"irb", ""},
	{"jshell", ""},
	{"julia", "e:! E:! --eval:! --print:!"},
	{"lua", "e:! l:% i"},
	{"luajit", "e:! l:%"},
	{"m4", ""},
	{"mysql", "e:! --execute:!"},
	{"node", nodeOptions},
	{"nodejs", nodeOptions},
	{"osascript", "e:! l:"},
	{"php", "r:! B:! R:! E:! f:% S:% m% i%"},
	{"psql", "c:! --command:! f:% o:>"},
	{"pypy", pythonOptions},
	{"pypy3", pythonOptions},
	{"python", pythonOptions},
	{"python2", pythonOptions},
	{"python3", pythonOptions},
	{"racket", "e:!"},
	{"runghc", ""},
	{"sbcl", "--eval:!"},
	{"scala", "e:!"},
	{"swift", "e:!"},
	{"tclsh", ""},
	{"ts-node", nodeOptions},
	{"tsx", nodeOptions},
}

const (
	lessOptions   = "o:> O:> --log-file:> --LOG-FILE:> k:! --lesskey-file:! --lesskey-src:! --lesskey-content:!"
	pythonOptions = "c:! m:% W: X: Q:"
	nodeOptions   = "e:! p:! --eval:! --print:! r: --require: --import:! --loader: --inspect= --test% --run:% --check%"
)
