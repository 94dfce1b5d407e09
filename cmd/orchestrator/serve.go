package main

import (
	"errors"
	"os"
	"runtime"
	"time"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/daemon"
	"orchestrator/internal/daemon/duty"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/localservice"
	"orchestrator/internal/operator/storage"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	daemon.Options

	store               storage.Given
	logBudget           byteSize
	logFormat, logLevel string
	background          bool // started by up
}

// startLog begins the log of the service, and keeps that of one in the background from growing.
func (o *serveOptions) startLog() (log zerolog.Logger, flush func() error, err error) {
	if !o.background {
		return newLogger(os.Stderr, term.IsTerminal(int(os.Stderr.Fd())), o.logFormat, o.logLevel)
	}
	out, err := localservice.Become(datadir.Dir(o.Project.Data))
	if err != nil {
		return log, nil, err
	}
	return newLogger(out, false, o.logFormat, o.logLevel)
}

const serveLong = `Serve imports the requirement documents into the database and serves them over HTTP until it is
stopped.

The first start creates the folder --data (mode 0700) with the database state.db, tokens.json (hashes only), the
tokens tokens/pm.token, for the person who started it, and tokens/viewer.token, and the key audit.key, which signs the
log. Beside the requirements it creates the export and a signed checkpoint. It prints two curl lines to try, and how
to create tokens of the other roles. --demo-tokens creates one of each role in one folder, for a demonstration only.

If the requirement documents are in a git working tree, evidence is looked up there when it is given, before a
requirement becomes implemented, tested_pass or done, and every --recheck. It counts when the tip of --branch has it:
the cited lines of files, commits in its history, reports of tests on code that is still the same. What is checked out
does not matter. Evidence that does not count, or does not count any more, is shown as stale.

While it runs, it imports the requirement documents again when one changes, or when a file that matches a pattern
appears or disappears; it applies changes to tokens.json; and it writes the export after every commit.

It refuses to start, and says what to do, when the database is missing, empty, damaged, locked by another process,
older than the export beside it, or of another format. On SIGTERM and SIGINT it finishes the requests in flight,
writes the last export and exits with 0. If the disk cannot confirm a commit, or if the database is removed, replaced,
truncated or damaged while it is open, it confirms nothing more and exits with 1. On a full disk it serves reads, and
refuses changes with 507 until there is space.

ORCHESTRATOR_LLM_URL, ORCHESTRATOR_LLM_MODEL and, if it needs one, ORCHESTRATOR_LLM_KEY name an endpoint for chat
completions in OpenAI's format. It translates what the conductor's grammar does not understand. Without these
variables no text leaves the service.

Every flag can be set by the environment variable in brackets; the command line takes precedence.`

func serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the requirements over HTTP",
		Args:  cobra.NoArgs,
		Long:  serveLong,
		Example: `  orchestrator serve  # REQUIREMENTS.md in this folder, on 127.0.0.1:8080
  orchestrator serve --addr 127.0.0.1:0  # any free port; it is written to .orchestrator/addr
  orchestrator serve --requirements 'openspec/specs/*/spec.md'  # new files too, as they appear
  orchestrator serve --workflow rework  # a new project with rows that lead back from dead ends
  orchestrator serve --addr 0.0.0.0:8080 --allow-host ci.example.org
  orchestrator serve --addr unix:/run/orchestrator.sock       # for the clients of this machine`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.CheckData(cmd, cmd.Flags().Lookup("data").Value.String()); err != nil {
				return err
			}
			return o.serve(cmd)
		},
	}
	f := cmd.Flags()
	listenFlags(f, &o)
	cli.DataFlag(cmd, &o.Project.Data)
	storeflag.Add(cmd, &o.store)
	f.StringSliceVar(&o.Project.Requirements, "requirements", []string{"REQUIREMENTS.md"},
		"requirement document, or a quoted pattern such as 'docs/*.md'; may be given more than once")
	cli.ReadingFlags(cmd, &o.Project.Reading)
	exportFlags(f, &o)
	f.StringVar(&o.Project.Workflow, "workflow", "",
		"of a new project: v1, the literal table, or rework, which adds the way back from blocked, deferred, "+
			"needs_changes and tested_fail; later the pm switches it with orchestrator workflow (default v1)")
	evidenceFlags(f, &o)
	logFlags(f, &o)
	f.BoolVar(&o.Project.RequireIfMatch, "require-if-match", false, "refuse changes without If-Match (428)")
	limitFlags(f, &o)
	outputFlags(f, &o)
	processFlags(f, &o)
	replicaFlags(f, &o)
	serveSettings(cmd)
	return cli.WithEnv(cmd)
}

// serve runs the service until the command ends.
func (o *serveOptions) serve(cmd *cobra.Command) error {
	place, err := storeflag.Place(cmd, o.Project.Data, o.store)
	if err != nil {
		return err
	}
	o.Project.Store = place
	if o.Project.ExportSync && !cmd.Flags().Changed("export-wait") {
		o.Project.ExportWait = syncedWait
	}
	log, flush, err := o.startLog()
	if err != nil {
		return err
	}
	o.Version = daemon.Version{Version: cli.BuildVersion, Commit: cli.Commit(), Go: runtime.Version()}
	o.Project.LogBudget, o.Project.EvidenceSaved = uint64(o.logBudget), setting.Saved(cmd, "evidence")
	if bar := output.NewBar(cmd.ErrOrStderr()); bar.IsSeen() && !o.background {
		o.Follow = bar.Follow
	}
	err = daemon.Serve(cmd.Context(), o.Options, log, func(s daemon.Started) {
		if !o.background {
			greet(cmd.OutOrStdout(), s)
		}
	})
	return errors.Join(err, flush())
}

// exportFlags adds the flags of the export.
func exportFlags(f *pflag.FlagSet, o *serveOptions) {
	exportflag.Add(f, &o.Project.Export, "file to which the state is written after each commit")
	f.DurationVar(&o.Project.ExportWait, "export-wait", 2*time.Millisecond,
		"how long a change waits for the export that contains it; one that does not come in time is not waited for")
	f.BoolVar(&o.Project.ExportSync, "export-sync", false,
		"wait until each export is on the disk, so that it is whole after a power cut; --export-wait is then 1s by "+
			"default")
}

// syncedWait is --export-wait with --export-sync, unless it was given: about as long as a slow disk takes to sync.
const syncedWait = time.Second

// processFlags adds the flags of how the process begins and ends.
func processFlags(f *pflag.FlagSet, o *serveOptions) {
	f.BoolVar(&o.Project.DemoTokens, "demo-tokens", false,
		"create a token for every role that has none of its own, in tokens/<role>.token; for a demonstration only: "+
			"whoever can read the folder can act in every role")
	f.DurationVar(&o.Drain, "drain", 10*time.Second, "how long requests in flight may take to finish after SIGTERM")
	f.BoolVar(&o.background, "background", false, "be the service that orchestrator up starts")
	f.Lookup("background").Hidden = true
}

// replicaFlags adds the flags of one of several replicas.
func replicaFlags(f *pflag.FlagSet, o *serveOptions) {
	f.DurationVar(&o.Project.Lease, "lease", duty.DefaultTTL,
		"how long the replica on duty may not be heard of before another takes over, where --store names a database")
	f.StringVar(&o.Project.Advertise, "advertise", "",
		"URL at which other replicas reach this one, such as https://one.example.org:8443 (default that of --addr)")
}

// serveSettings says which flags the settings stand in for, and which are paths.
func serveSettings(cmd *cobra.Command) {
	setting.Declare(cmd, "requirements", "family", "qualify", "export", "workflow", "evidence", "branch", "addr",
		"log-format", "log-level")
	setting.WorkAtRoot(cmd, "data", "store-file", "requirements", "export", "repo", "witness", "addr", "tls-cert",
		"tls-key", "metrics-token-file")
}

// listenFlags adds the flags of the address.
func listenFlags(f *pflag.FlagSet, o *serveOptions) {
	f.StringVar(&o.Addr, "addr", "127.0.0.1:8080",
		"address to listen on: HOST:PORT, of which port 0 takes a free one, or unix:PATH for a socket")
	f.StringVar(&o.TLSCert, "tls-cert", "",
		"PEM file with the certificate and its chain, to answer with TLS alone; it is read again when it changes")
	f.StringVar(&o.TLSKey, "tls-key", "", "PEM file with the private key of --tls-cert")
	f.StringVar(&o.MetricsTokenFile, "metrics-token-file", "",
		"file with a token that /metrics then needs; without it /metrics is open")
	f.StringSliceVar(&o.AllowHosts, "allow-host", nil,
		"further name that clients may use in Host; localhost, loopback addresses and the host of --addr are always "+
			"allowed")
}

// outputFlags adds the flags of logs and traces.
func outputFlags(f *pflag.FlagSet, o *serveOptions) {
	f.StringVar(&o.logFormat, "log-format", "auto", "json, console, or auto: console on a terminal")
	f.StringVar(&o.logLevel, "log-level", "info", "debug (logs successful reads too), info, warn or error")
	f.BoolVar(&o.Project.Deterministic, "deterministic", false,
		"durations in the conductor's traces are 0: the same request, tools and store give the same bytes")
}

// limitFlags adds the flags that limit a token.
func limitFlags(f *pflag.FlagSet, o *serveOptions) {
	f.Float64Var(&o.Project.RateLimit, "rate-limit", 100,
		"requests a second that each token may make in the long run, and each address on the pages that need no token; 0 is no limit")
	f.IntVar(&o.Project.RateBurst, "rate-burst", 200, "requests that each token, and each address, may make at once")
	f.DurationVar(&o.StaleReads, "stale-reads", 0,
		"how old the state may be that reads are answered from, where several replicas serve the project; 0 asks the "+
			"database for each")
	o.logBudget = defaultLogBudget
	f.Var(&o.logBudget, "log-budget",
		"how much each actor may add to the database in a day, such as 512MiB; 0 is no limit")
}

// logFlags adds the flags of the audit log and its signature.
func logFlags(f *pflag.FlagSet, o *serveOptions) {
	f.StringVar(&o.Project.Origin, "origin", "",
		"name of the log in its checkpoints, such as example.org/project; chosen at the first start (default "+
			"orchestrator/ and random letters)")
	f.StringVar(&o.Project.AcceptNewKey, "accept-new-key", "",
		"reason to sign the log with another key than the one that it names; it is recorded")
	f.StringVar(&o.Project.Witness, "witness", "witness.json",
		"state file of orchestrator audit witness; if it exists, the database is compared with it at the start")
	f.StringVar(&o.Project.AcceptRollback, "accept-rollback", "",
		"reason to continue from a database that is older than the export or a checkpoint; it is recorded")
}

// evidenceFlags adds the flags of evidence.
func evidenceFlags(f *pflag.FlagSet, o *serveOptions) {
	f.StringVar(&o.Project.Evidence, "evidence", "",
		"verify looks evidence up in the git repository, record stores it as it is given (default verify if the "+
			"first document is in a git working tree)")
	f.StringVar(&o.Project.Repo, "repo", "",
		"folder in the git working tree that evidence is looked up in; paths in evidence begin at its top (default "+
			"the folder of the first document)")
	f.StringVar(&o.Project.Branch, "branch", "",
		"branch whose tip decides what counts as evidence, such as main or origin/main; it is recorded (default the "+
			"one recorded last; at the first start the one that HEAD names)")
	f.DurationVar(&o.Project.Recheck, "recheck", 10*time.Second,
		"how often all evidence is looked up again; 0 only for reviews and moves to done")
}
