// Package install registers the hook of a boundary with an agent client, and takes it out again: the folder with its
// policy, the command line that the client is to run, and the entry in the client's settings.
package install

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/git"
)

// Options say what is registered where.
type Options struct {
	Client     string
	Dir        folder.Dir
	Home       string // the user's folder; "" for none
	Executable string // the path of this program
	FollowLink bool   // change the file that a link in the place of the client's settings leads to
	Version    string // of the client; "" is asked of the client
	Change     control.Change
	Produces   boundary.Decision // of the policy that is made where there is none; "" is the default
	NoteID     string            // of the line in the journal that notes it
}

// Done is what an installation or its removal did.
type Done struct {
	Client  string   `json:"client"`
	Version string   `json:"client_version,omitempty"` // "" is unknown
	Root    string   `json:"root"`
	Policy  bool     `json:"policy_made"` // a default policy was written: there was none
	File    string   `json:"file"`        // the client's settings
	Created bool     `json:"file_created,omitzero"`
	Removed bool     `json:"file_removed,omitzero"`
	Changed bool     `json:"changed"` // anything in the settings
	Backup  string   `json:"backup,omitempty"`
	Command string   `json:"command,omitempty"` // as registered
	Said    []string `json:"said"`              // what the person has to know
	Unkept  []string `json:"unignored"`         // what git does not ignore, and should
}

// Install sets the boundary up where there is none, and registers the hook. Done twice, the second time changes
// nothing.
func Install(ctx context.Context, o Options) (Done, error) {
	client, err := agentclient.Find(o.Client)
	if err != nil {
		return Done{}, err
	}
	command, err := o.command(client)
	if err != nil {
		return Done{}, err
	}
	d := Done{Client: o.Client, Version: o.Version, Root: o.Dir.Root, Command: command,
		Said: []string{}, Unkept: []string{}}
	if d.Version == "" {
		d.Version = ClientVersion(ctx, o.Client)
	}
	if d.Policy, err = control.SetUpAs(o.Dir, o.policy(), o.Change); err != nil {
		return d, err
	}
	if err := o.checkPolicy(); err != nil {
		return d, err
	}
	so := settings.Options{Root: o.Dir.Root, Home: o.Home, Command: d.Command, ClientVersion: d.Version,
		FollowLink: o.FollowLink}
	if d.Version == "" {
		so.ClientVersion = known(client, so)
	}
	c, err := settings.Install(o.Client, so)
	if err != nil {
		return d, err
	}
	d.take(c)
	d.Unkept = unignored(ctx, o.Dir.Root)
	return d, o.note(d, control.Installed)
}

// policy returns the policy of a project that has none.
func (o Options) policy() boundary.Policy {
	p := boundary.DefaultPolicy()
	p.Produces = cmp.Or(o.Produces, p.Produces)
	return p
}

// checkPolicy refuses a policy that cannot be read, since it blocks everything, or nothing; and one that was there and
// says something else than is asked for.
func (o Options) checkPolicy() error {
	p, err := control.Policy(o.Dir)
	if err == nil && o.Produces != "" && p.Produces != o.Produces {
		return fault.Misuse("the boundary of this project has a policy with produces %s", p.Produces).
			WithFix("a person changes it in .orchestrator/boundary/policy.json; leave it out here")
	}
	return err
}

// command returns the command line that a client is to run.
func (o Options) command(client *agentclient.Client) (string, error) {
	program, err := Program(o.Executable)
	if err != nil || client.Wiring.Project != "" {
		return program + " " + o.Client, err
	}
	return program + " " + o.Client + " --root " + Quoted(o.Dir.Root), nil
}

// note puts a change of the client's settings on record.
func (o Options) note(d Done, what string) error {
	if !d.Changed {
		return nil
	}
	c := o.Change
	c.ID = o.NoteID
	return control.NoteInstallation(o.Dir, o.Client, what, c)
}

// known returns what an earlier installation knew of the client's version, where nobody says it now: what it registered
// stays.
func known(client *agentclient.Client, o settings.Options) string {
	registered, err := settings.Registered(client.Name, o)
	if shut := client.Wiring.Shut; err == nil && shut != nil &&
		slices.ContainsFunc(registered, func(r settings.Registration) bool { return r.FailsShut }) {
		return shut.Since
	}
	return ""
}

// Uninstall takes the hook out of the client's settings. Policy and journal stay.
func Uninstall(o Options) (Done, error) {
	c, err := settings.Uninstall(o.Client, settings.Options{Root: o.Dir.Root, Home: o.Home, FollowLink: o.FollowLink})
	if err != nil {
		return Done{}, err
	}
	d := Done{Client: o.Client, Root: o.Dir.Root, Said: []string{}, Unkept: []string{}}
	d.take(c)
	return d, o.note(d, control.Removed)
}

func (d *Done) take(c settings.Change) {
	d.File, d.Created, d.Removed, d.Changed, d.Backup = c.File, c.Created, c.Removed, c.Changed, c.Backup
	d.Said = append(d.Said, c.Said...)
}

// Program returns how a shell starts the hook: the small program where it lies beside this one, links resolved; else
// this one.
func Program(executable string) (string, error) {
	const small, whole = "orchestrator-hook", "orchestrator"
	at := []string{executable}
	if real, err := filepath.EvalSymlinks(executable); err == nil && real != executable {
		at = []string{real, executable}
	}
	for _, path := range at {
		beside := filepath.Join(filepath.Dir(path), small)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return Quoted(beside), nil
		}
	}
	for _, path := range at {
		if filepath.Base(path) == whole {
			return Quoted(path) + " hook", nil
		}
	}
	return "", fault.New(fault.Invalid, "hook_program", "neither is there an %s beside %s, nor is that named %s",
		small, executable, whole).
		WithFix("name this program %s, or put %s beside it: make build makes both", whole, small)
}

// plainPath is what no shell reads anything into.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_./+:@%-]+$`)

// Quoted returns a word so that a POSIX shell takes it as it is.
func Quoted(word string) string {
	if plainPath.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var versionNumber = regexp.MustCompile(`\d+(?:\.\d+)+`)

// ClientVersion returns the version that the program of a client in PATH prints, "" where it prints none within three
// seconds.
func ClientVersion(ctx context.Context, client string) string {
	const patience, most = 3 * time.Second, 4 << 10
	path, err := exec.LookPath(client)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	said := git.Output{Most: most, Cut: true}
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Stdout = &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 100 * time.Millisecond
	if err := cmd.Run(); err != nil {
		return ""
	}
	return versionNumber.FindString(said.String())
}

// private are files of a boundary that name people, files and sessions.
var private = []string{".orchestrator/boundary/journal/", ".orchestrator/boundary/grants.json"}

// unignored returns those that git would take in. Outside of a repository, or without git, there are none.
func unignored(ctx context.Context, root string) []string {
	found := []string{}
	program, err := exec.LookPath("git")
	if err != nil {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, path := range private {
		cmd := git.Command{Path: program, Dir: root}.Prepare(ctx, "check-ignore", "-q", "--no-index", path)
		_ = cmd.Run()
		if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1 { // 128 is no repository
			found = append(found, path)
		}
	}
	return found
}
