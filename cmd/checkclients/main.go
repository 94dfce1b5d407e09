// Command checkclients runs the agent clients themselves against the hook of the boundary: each is installed from
// npm, and driven by a scripted model on loopback, without a network, a key or an account. The first session has no
// hook, and must write: otherwise nothing that a later one does not write would mean anything.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"orchestrator/cmd/checkclients/check"
	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/sandbox"
)

func main() { os.Exit(execute(os.Args[1:])) }

func execute(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	code := 1
	if err == nil && sandbox.Isolated() {
		code, err = o.inside(ctx)
	} else if err == nil {
		code, err = o.outside(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkclients:", err)
		return 1
	}
	return code
}

// options are what a person asks for.
type options struct {
	only            string
	session         string
	newest          bool
	update          bool
	json            bool
	keep            bool
	tools, programs string
	limit           time.Duration
	story           string // the file for the transcript of one life; "" is none
	drive           bool   // that life is driven
	mcp             bool   // the MCP server is checked, and nothing else
	run             string // inside: TITLE@VERSION,…
}

func parseOptions(args []string) (options, error) {
	var o options
	var which string
	f := flag.NewFlagSet("checkclients", flag.ContinueOnError)
	f.StringVar(&o.only, "client", "", "check this client alone")
	f.StringVar(&o.session, "session", "", "run this session alone, such as enforce")
	f.StringVar(&which, "clients", "pinned", "which versions: pinned, or latest for the newest of npm")
	f.BoolVar(&o.update, "update", false,
		"rewrite the calls in internal/agentclient/testdata; with -drive, what the client says of its usage")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.keep, "keep", false, "keep the sessions, and say where")
	f.StringVar(&o.story, "transcript", "", "write one requirement's life, in enforce, to this file, and check nothing")
	f.BoolVar(&o.drive, "drive", false,
		"have orchestrator drive bring one requirement to done with the client, and print what happened")
	f.BoolVar(&o.mcp, "mcp", false, "check what orchestrator mcp install registers, and nothing else")
	f.StringVar(&o.tools, "tools", ".tools/clients", "where clients are put")
	f.StringVar(&o.programs, "programs", "bin", "where orchestrator and orchestrator-hook are")
	f.DurationVar(&o.limit, "limit", 3*time.Minute, "the longest that one session may take")
	f.StringVar(&o.run, "run", "", "what is checked inside the network namespace; used by the program itself")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if which != "pinned" && which != "latest" {
		return o, fmt.Errorf("-clients is pinned or latest, not %q", which)
	}
	o.newest = which == "latest"
	for _, folder := range []*string{&o.tools, &o.programs} {
		whole, err := filepath.Abs(*folder)
		if err != nil {
			return o, err
		}
		*folder = whole
	}
	return o, nil
}

// longest is how long all sessions together may take.
const longest = time.Hour

// goldens is where the calls are kept, seen from the root of the repository.
const goldens = "internal/agentclient/testdata"

// outside does what needs a network, and goes on in a network namespace.
func (o *options) outside(ctx context.Context) (int, error) {
	var run []string
	for _, c := range client.All() {
		if o.only != "" && o.only != c.Name && o.only != c.Title() {
			continue
		}
		for _, version := range o.versions(ctx, c) {
			run = append(run, c.Title()+"@"+version)
		}
	}
	if len(run) == 0 {
		return 1, fmt.Errorf("there is no client %q", o.only)
	}
	return sandbox.Isolate(ctx, append(os.Args[1:], "-run", strings.Join(run, ",")))
}

// versions installs the versions of a client that are to be checked. One that cannot be installed is said, and stays
// in the table.
func (o *options) versions(ctx context.Context, c *client.Client) []string {
	versions := c.Versions
	if o.newest {
		newest, err := c.Newest(ctx)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", c.Title(), err)
			newest = "unknown"
		}
		versions = []string{newest}
	}
	for _, version := range versions {
		if err := c.Install(ctx, o.tools, version); err != nil {
			fmt.Fprintf(os.Stderr, "%s %s: %v\n", c.Title(), version, err)
		}
	}
	return versions
}

// inside checks the clients one after the other.
func (o *options) inside(ctx context.Context) (int, error) {
	if err := sandbox.LoopbackUp(); err != nil {
		return 1, err
	}
	work, err := os.MkdirTemp("", "checkclients-")
	if err != nil {
		return 1, err
	}
	if o.keep {
		fmt.Fprintln(os.Stderr, "the sessions are kept in", work)
	} else {
		defer os.RemoveAll(work)
	}
	bed := &check.Bed{Programs: o.programs, Clients: o.tools, Goldens: goldens, Work: work, Limit: o.limit,
		Update: o.update}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if o.story != "" || o.drive {
		return o.tell(ctx, bed)
	}
	var columns []column
	look, names := o.column, check.Checks()
	if o.mcp {
		look, names = o.servers, check.ServerChecks()
	}
	for one := range strings.SplitSeq(o.run, ",") {
		columns = append(columns, look(ctx, bed, one))
	}
	if o.json {
		err = writeJSON(os.Stdout, columns)
	} else {
		writeTable(os.Stdout, names, columns)
	}
	if failed(columns) {
		return 1, err
	}
	return 0, err
}

// tell writes the transcript of the first client that is asked for.
func (o *options) tell(ctx context.Context, bed *check.Bed) (int, error) {
	one, _, _ := strings.Cut(o.run, ",")
	title, version, _ := strings.Cut(one, "@")
	c, found := client.Find(title)
	if !found {
		return 1, fmt.Errorf("there is no client %s", title)
	}
	if why := bed.Missing(c, version); why != "" {
		return 1, fmt.Errorf("%s: %s", one, why)
	}
	tell := bed.Tell
	if o.drive {
		tell = bed.Drive
	}
	text, told := tell(ctx, c, version)
	if err := o.write(text); err != nil {
		return 1, err
	}
	if told != nil {
		return 1, told
	}
	return 0, nil
}

// write writes a transcript to the file that was asked for, or prints it.
func (o *options) write(text string) error {
	if o.story == "" {
		_, err := fmt.Print(text)
		return err
	}
	return os.WriteFile(o.story, []byte(text), 0o600) //nolint:gosec // the file that was asked for
}

// begun returns a client of a version, CLIENT@VERSION, and its column, which says why if it cannot be run.
func begun(bed *check.Bed, one string) (c *client.Client, col column) {
	title, version, _ := strings.Cut(one, "@")
	c, found := client.Find(title)
	col = column{Client: title, Version: version}
	if col.Why = "there is no such client"; found {
		col.Why = bed.Missing(c, version)
	}
	return c, col
}

// servers checks the MCP server with one client.
func (o *options) servers(ctx context.Context, bed *check.Bed, one string) column {
	c, col := begun(bed, one)
	if col.Why != "" {
		return col
	}
	fmt.Fprintf(os.Stderr, "%s: mcp\n", one)
	findings, said, err := bed.Servers(ctx, c, col.Version)
	col.Findings = findings
	if err != nil {
		col.Broken = append(col.Broken, err.Error())
	}
	if o.keep {
		fmt.Fprintf(os.Stderr, "%s\n", said)
	}
	return col
}

// column runs the sessions of one client.
func (o *options) column(ctx context.Context, bed *check.Bed, one string) column {
	c, col := begun(bed, one)
	if col.Why != "" {
		return col
	}
	runs := check.Runs{}
	for _, mode := range check.Modes(c) {
		if o.session != "" && o.session != mode {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", one, mode)
		s, err := bed.Run(ctx, c, col.Version, mode)
		if err != nil {
			col.Broken = append(col.Broken, fmt.Sprintf("no session in %s: %v", mode, err))
			continue
		}
		runs[mode] = s
		col.add(ctx, bed, c, s)
	}
	col.Findings = check.Judge(c, col.Version, runs)
	if o.update && runs[check.Validate] != nil {
		if err := bed.Keep(c, col.Version, runs); err != nil {
			col.Broken = append(col.Broken, fmt.Sprintf("the calls are not kept: %v", err))
		}
	}
	return col
}
