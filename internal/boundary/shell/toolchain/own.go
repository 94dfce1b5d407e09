package toolchain

// own lists the commands of orchestrator that read or propose, in the order of their names: the service, which decides
// what becomes of a proposal, knows who sends it by its token. They find the service and that token themselves. So no
// row has an option that names another service, another token or the folder of another project, and only commands that
// read have --as. All others are in persons.
var own = []Row{
	{Name: "orchestrator", Opts: "--help h --version v", Reads: true},
	{Name: "orchestrator accept", Words: Any, Opts: ownServer + " --reason: --yes", Reads: true},
	{Name: "orchestrator adopt", Opts: ownServer + " --approve --commit: --exclude: o:> --out:> --report:",
		Reads: true},
	{Name: "orchestrator apply", Words: Any, Opts: ownServer + " --dry-run --sha256:", Needs: "--dry-run",
		Reads: true},
	{Name: "orchestrator approve", Words: Any, Opts: ownServer + " --reason: --yes", Reads: true},
	{Name: "orchestrator ask", Words: Any, Opts: ownServer + " --answer-within: --forms --rephrase", Reads: true},
	{Name: "orchestrator attach", Words: Any, Opts: ownServer + " --commit: --dry-run --tests:", Reads: true},
	{Name: "orchestrator audit", Opts: ownHelp, Reads: true},
	{Name: "orchestrator audit bundle", Opts: ownServer + " o:> --output:>", Reads: true},
	{Name: "orchestrator audit verify", Words: Local, Opts: ownVerify, Reads: true},
	{Name: "orchestrator block", Words: Any, Opts: ownServer + ownMoves, Reads: true},
	{Name: "orchestrator boundary", Opts: ownHelp, Reads: true},
	{Name: "orchestrator boundary decisions", Opts: ownBoundary + " --limit: --since: --violations", Reads: true},
	{Name: "orchestrator boundary explain", Words: Any, Opts: ownBoundary + " --client:", Reads: true},
	{Name: "orchestrator boundary export", Opts: ownBoundary, Reads: true},
	{Name: "orchestrator boundary log", Opts: ownBoundary + " f --follow n: --lines: --since:", Reads: true},
	{Name: "orchestrator boundary readiness", Opts: ownBoundary, Reads: true},
	{Name: "orchestrator boundary replay", Words: Any, Opts: ownBoundary + " --policy:", Reads: true},
	{Name: "orchestrator boundary report", Opts: ownBoundary + " --since:", Reads: true},
	{Name: "orchestrator boundary status", Opts: ownBoundary, Reads: true},
	{Name: "orchestrator boundary tools", Words: Any, Opts: ownBoundary + " --since:", Reads: true},
	{Name: "orchestrator change", Words: Any, Opts: ownServer + ownMoves + " --from: --if-match: --status:",
		Reads: true},
	{Name: "orchestrator claim", Words: Any, Opts: ownServer + " --field: --for: --release --renew",
		Reads: true},
	{Name: "orchestrator completion", Opts: ownHelp, Reads: true},
	{Name: "orchestrator completion bash", Opts: ownHelp, Reads: true},
	{Name: "orchestrator completion fish", Opts: ownHelp, Reads: true},
	{Name: "orchestrator completion zsh", Opts: ownHelp, Reads: true},
	{Name: "orchestrator conduct", Words: Any, Opts: ownServer + " --plan", Needs: "--plan", Reads: true},
	{Name: "orchestrator config", Opts: ownServer + ownReading + " --addr: --allow-host: --branch: " +
		"--deterministic --evidence: --export: --log-format: --log-level: --metrics-token-file: --recheck: " +
		"--repo: --requirements: --tls-cert: --tls-key: --workflow:", Reads: true},
	{Name: "orchestrator defer", Words: Any, Opts: ownServer + ownMoves, Reads: true},
	{Name: "orchestrator design", Words: Any, Opts: ownServer + ownParts + " --decision: --interface: --risk: " +
		"--summary:", Reads: true},
	{Name: "orchestrator doctor", Opts: ownServer + ownReading + " --branch: --export: --requirements:", Reads: true},
	{Name: "orchestrator drive", Opts: ownServer + " --max-steps: --parallel: --plan --requirement: --role:",
		Needs: "--plan", Reads: true},
	{Name: "orchestrator gate", Opts: ownServer + " --allow-stale --export: --format: --require: " +
		"--require-covers --rules: --since: --strict-import", Reads: true},
	{Name: "orchestrator health", Opts: ownServer, Reads: true},
	{Name: "orchestrator help", Words: Any, Opts: ownHelp, Reads: true},
	{Name: "orchestrator history", Words: Any, Opts: ownServer + " --as: --limit:", Reads: true},
	{Name: "orchestrator implement", Words: Any, Opts: ownServer + ownParts + " --commit: --notes: --summary:",
		Reads: true},
	{Name: "orchestrator import", Words: Any, Opts: ownServer + ownReading + " --check --dry-run " +
		"--requirements:", Reads: true},
	{Name: "orchestrator list", Words: Any, Opts: ownServer + " --as: --limit: --role: --status: --suspect " +
		"--text: --waiting-for:", Reads: true},
	{Name: "orchestrator mcp", Opts: ownHelp, Reads: true},
	{Name: "orchestrator next", Words: Any, Opts: ownServer + " --as:", Reads: true},
	{Name: "orchestrator note", Words: Any, Opts: ownServer + "", Reads: true},
	{Name: "orchestrator open", Opts: ownServer + " --print", Needs: "--print", Reads: true},
	{Name: "orchestrator prompts", Words: Any, Opts: ownHelp + " --data:", Reads: true},
	{Name: "orchestrator rename", Words: Any, Opts: ownServer + " --all --dry-run --qualify: --reason: " +
		"--yes", Reads: true},
	{Name: "orchestrator reopen", Words: Any, Opts: ownServer + ownMoves, Reads: true},
	{Name: "orchestrator review", Words: Any, Opts: ownServer + " --format: --older-than: --order: --sort: " +
		"--status: --waiting-for:", Reads: true},
	{Name: "orchestrator schedules", Opts: ownHelp, Reads: true},
	{Name: "orchestrator schedules list", Opts: ownServer + " --all", Reads: true},
	{Name: "orchestrator show", Words: Any, Opts: ownServer + " --as:", Reads: true},
	{Name: "orchestrator status", Opts: ownServer + " --as:", Reads: true},
	{Name: "orchestrator test", Words: Any, Opts: ownServer + ownMoves + ownParts + " --notes: --plan:", Reads: true},
	{Name: "orchestrator token", Opts: ownHelp, Reads: true},
	{Name: "orchestrator token list", Opts: ownHelp + " --data: --json", Reads: true},
	{Name: "orchestrator tools", Opts: ownHelp, Reads: true},
	{Name: "orchestrator tools check", Opts: ownHelp + " --data:", Reads: true},
	{Name: "orchestrator tools list", Opts: ownHelp + " --data: --json", Reads: true},
	{Name: "orchestrator tools show", Words: Any, Opts: ownHelp + " --data:", Reads: true},
	{Name: "orchestrator trace", Words: Any, Opts: ownServer + ownReading + " --check --exclude: --repo: " +
		"--requirements:", Reads: true},
	{Name: "orchestrator usage", Opts: ownServer + " --actor: --requirement: --since:", Reads: true},
	{Name: "orchestrator verify", Words: Local, Opts: ownVerify, Reads: true},
	{Name: "orchestrator version", Opts: ownHelp + " --json", Reads: true},
	{Name: "orchestrator watch", Opts: ownServer + " --as: --interval: --kind: --once --requirement: --role: --since:", Reads: true},
	{Name: "orchestrator webhook", Opts: ownHelp, Reads: true},
	{Name: "orchestrator webhook list", Opts: ownHelp + " --data: --json", Reads: true},
	{Name: "orchestrator whoami", Opts: ownServer + " --as:", Reads: true},
	{Name: "orchestrator workflow", Opts: ownServer + " --reason:", Reads: true},
}

// Options that several commands have.
const (
	ownHelp     = "h --help"
	ownServer   = ownHelp + " --json --timeout:"
	ownMoves    = " --dry-run --evidence: --reason:"
	ownParts    = " --dry-run --file: --from:"
	ownReading  = " --assign --family: --qualify: --strict"
	ownBoundary = ownHelp + " --json --root:"
	ownVerify   = ownServer + " --against: --allow-rollback --export: --git --key:"
)
