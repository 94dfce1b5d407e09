package main

import (
	"errors"
	"os"
	"runtime"
	"time"

	"orchestrator/internal/daemon"
	"orchestrator/internal/datadir"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	daemon.Options

	logBudget           byteSize
	logFormat, logLevel string
}

const serveLong = `Serve imports the requirement documents into the database and serves them over HTTP until it is
told to stop.

The first start creates everything: the folder --data (mode 0700) with the database state.db, tokens.json (hashes
only), the tokens tokens/pm.token, for who started it, and tokens/viewer.token, and the key audit.key that signs the
log, and beside the requirements the export with a signed checkpoint. It prints two curl lines that work as printed,
and how tokens of the other roles are made. --demo-tokens makes one of each role, side by side: for a demonstration
only.

Where the requirement documents lie in a git working tree, evidence is looked up there when it is given, before a
requirement becomes done, and from time to time: files and lines at the commit that is named, at HEAD or in the working
tree, commits that a branch or tag has, tests in their report. What changes under a requirement makes it stale.

While it runs it imports the requirement documents again when one changes, or when one that matches a pattern is new
or gone, takes new and revoked tokens when tokens.json changes, and writes the export after every commit.

It refuses to start, and says what to do, when the database is missing, empty, damaged, locked by another process,
older than the export beside it, or of another format. SIGTERM and SIGINT let requests under way finish, write the
last export and exit 0. A commit that the disk cannot confirm, and a database that is removed, replaced, cut or damaged
while it is open, end the process with exit code 1; nothing is confirmed after that. On a full disk it serves reads, and
refuses changes with 507 until there is room.

ORCHESTRATOR_LLM_URL, ORCHESTRATOR_LLM_MODEL and, where one is needed, ORCHESTRATOR_LLM_KEY name an endpoint for
chat completions as OpenAI has them. It is asked what the conductor's grammar does not understand. Without it no word
leaves the service.

Every flag can be set by the environment variable in brackets; the command line wins.`

func serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the requirements over HTTP",
		Args:  cobra.NoArgs,
		Long:  serveLong,
		Example: `  orchestrator serve                                          # REQUIREMENTS.md in this folder, on 127.0.0.1:8080
  orchestrator serve --addr 127.0.0.1:0                       # any free port; it is written to .orchestrator/addr
  orchestrator serve --requirements 'openspec/specs/*/spec.md' # new files are taken in as they appear
  orchestrator serve --workflow rework                        # with rows that lead back from dead ends
  orchestrator serve --addr 0.0.0.0:8080 --allow-host ci.example.org`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, flush, err := newLogger(os.Stderr, o.logFormat, o.logLevel)
			if err != nil {
				return err
			}
			o.Version = daemon.Version{Version: buildVersion, Commit: commit(), Go: runtime.Version()}
			o.Project.LogBudget = uint64(o.logBudget)
			err = daemon.Serve(cmd.Context(), o.Options, log, func(s daemon.Started) { greet(cmd.OutOrStdout(), s) })
			return errors.Join(err, flush())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 takes a free one")
	f.StringVar(&o.Project.Data, "data", datadir.Default, "folder of the database and the tokens")
	f.StringSliceVar(&o.Project.Requirements, "requirements", []string{"REQUIREMENTS.md"},
		"requirement document, or a quoted pattern such as 'docs/*.md'; may be given more than once")
	readingFlags(cmd, &o.Project.Reading)
	f.StringVar(&o.Project.Export, "export", "project_status.json", "file that shows the state after each commit")
	f.DurationVar(&o.Project.ExportWait, "export-wait", 50*time.Millisecond,
		"how long a change waits for the export that contains it; 0 answers at once")
	f.StringVar(&o.Project.Workflow, "workflow", "v1",
		"v1, the literal table, or rework, which adds the way back from blocked, deferred, needs_changes and "+
			"tested_fail")
	evidenceFlags(f, &o)
	logFlags(f, &o)
	f.BoolVar(&o.Project.RequireIfMatch, "require-if-match", false, "refuse changes without If-Match (428)")
	limitFlags(f, &o)
	f.StringSliceVar(&o.AllowHosts, "allow-host", nil,
		"further name that clients may use in Host; localhost, loopback addresses and the host of --addr are always "+
			"allowed")
	f.StringVar(&o.MetricsTokenFile, "metrics-token-file", "",
		"file with a token that /metrics then needs; without it /metrics is open")
	outputFlags(f, &o)
	f.BoolVar(&o.Project.DemoTokens, "demo-tokens", false,
		"make a token for every role that has none of its own, in tokens/<role>.token; for a demonstration only: "+
			"who can read the folder can act in every role")
	f.DurationVar(&o.Drain, "drain", 10*time.Second, "how long requests under way may take to finish after SIGTERM")
	return withEnv(cmd)
}

// outputFlags say what the service writes of what it does.
func outputFlags(f *pflag.FlagSet, o *serveOptions) {
	f.StringVar(&o.logFormat, "log-format", "auto", "json, console, or auto: console on a terminal")
	f.StringVar(&o.logLevel, "log-level", "info", "debug (logs plain reads too), info, warn or error")
	f.BoolVar(&o.Project.Deterministic, "deterministic", false,
		"durations in the conductor's traces are 0: the same request, tools and store give the same bytes")
}

// limitFlags say how much a token may ask for.
func limitFlags(f *pflag.FlagSet, o *serveOptions) {
	f.Float64Var(&o.Project.RateLimit, "rate-limit", 100,
		"requests a second that each token may make in the long run; 0 is no limit")
	f.IntVar(&o.Project.RateBurst, "rate-burst", 200, "requests that each token may make at once")
	o.logBudget = defaultLogBudget
	f.Var(&o.logBudget, "log-budget",
		"how much each actor may add to the database on a day, such as 512MiB; 0 is no limit")
}

// logFlags say how the log is signed.
func logFlags(f *pflag.FlagSet, o *serveOptions) {
	f.StringVar(&o.Project.Origin, "origin", "",
		"name of the log in its checkpoints, such as example.org/project; chosen at the first start (default "+
			"orchestrator/ and random letters)")
	f.StringVar(&o.Project.AcceptNewKey, "accept-new-key", "",
		"reason why the log gets another key than the one it names; put on record")
	f.StringVar(&o.Project.Witness, "witness", "witness.json",
		"file of orchestrator audit witness, which the database is compared with at the start, if there is one")
	f.StringVar(&o.Project.AcceptRollback, "accept-rollback", "",
		"reason to go on from a database that lacks records which the export or a checkpoint knows of; put on record")
}

// evidenceFlags say what is made of evidence.
func evidenceFlags(f *pflag.FlagSet, o *serveOptions) {
	f.StringVar(&o.Project.Evidence, "evidence", "",
		"verify looks evidence up in the git repository, record keeps it as it is given (default verify where the "+
			"first document lies in a git working tree)")
	f.StringVar(&o.Project.Repo, "repo", "",
		"folder in the git working tree that evidence is looked up in; paths in evidence begin at its top (default "+
			"the folder of the first document)")
	f.DurationVar(&o.Project.Recheck, "recheck", 10*time.Second,
		"how often all evidence is looked at again; 0 only when a review or a move to done asks for it")
}
