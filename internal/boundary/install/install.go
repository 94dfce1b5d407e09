// Package install registers the hook of a boundary with an agent client, and takes it out again: the folder with its
// policy, the command line that the client is to run, and the entry in the client's settings.
package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/git"
	"orchestrator/internal/system/lazyregexp"
)

// Options say what is registered where.
type Options struct {
	Client     string
	Dir        folder.Dir
	Home       string // the user's folder; "" for none
	Executable string // the path of this program
	User       bool   // register it in the user's folder, for all projects
	FollowLink bool   // change the file that a link in the place of the client's settings leads to
	Version    string // of the client; "" is asked of the client
	Change     control.Change
	Produces   boundary.Decision // of the policy that is made where there is none; "" is the default
	NoteID     string            // of the line in the journal that notes it
}

// Done is what an installation or its removal did.
type Done struct {
	Client    string   `json:"client"`
	Version   string   `json:"client_version,omitempty"` // "" is unknown
	Root      string   `json:"root"`
	User      bool     `json:"user,omitzero"` // the settings are the user's, for all projects
	Policy    bool     `json:"policy_made"`   // a default policy was written: there was none
	File      string   `json:"file"`          // the client's settings
	Created   bool     `json:"file_created,omitzero"`
	Removed   bool     `json:"file_removed,omitzero"`
	Changed   bool     `json:"changed"` // anything in the settings
	Backup    string   `json:"backup,omitempty"`
	Command   string   `json:"command,omitempty"` // as registered, before a tool
	Program   string   `json:"program,omitempty"` // that it starts here
	Said      []string `json:"said"`              // what the person has to know
	Unignored []string `json:"unignored"`         // what git does not ignore, and should
	Notified  []string `json:"told,omitempty"`    // files with instructions in which the part on the boundary changed
}

// Install sets the boundary up where there is none, and registers the hook. Done twice, the second time changes
// nothing.
func Install(ctx context.Context, o Options) (Done, error) {
	client, err := agentclient.Find(o.Client)
	if err != nil {
		return Done{}, err
	}
	program, err := Program(o.Executable)
	if err != nil {
		return Done{}, err
	}
	so := o.registering(client, program)
	d := Done{Client: o.Client, Version: o.Version, Root: o.Dir.Root, User: o.User, Command: so.Command,
		Program: program, Said: []string{}, Unignored: []string{}}
	if d.Version == "" {
		d.Version = ClientVersion(ctx, o.Client)
	}
	if err := o.register(client, so, &d); err != nil {
		return d, err
	}
	if o.bounded() {
		d.Unignored = unignored(ctx, o.Dir)
	}
	return d, nil
}

// register does what Install does, under the lock of the mode: the settings are to follow it.
func (o Options) register(client *agentclient.Client, so settings.Options, d *Done) error {
	if o.bounded() {
		if err := o.Dir.MakeFolder(); err != nil {
			return err
		}
	}
	unlock, err := o.lock()
	if err != nil {
		return err
	}
	defer unlock()
	mode, err := o.setUp(d)
	if err != nil {
		return err
	}
	so.FailClosed, so.ClientVersion = mode.Blocks() && !o.User, d.Version
	if d.Version == "" {
		so.ClientVersion = registeredVersion(client, so)
	}
	c, err := settings.Install(o.Client, so)
	if err != nil {
		return err
	}
	d.take(c)
	if err := o.note(*d, control.Installed); err != nil {
		return err
	}
	o.tell(d)
	return nil
}

// lock keeps others from what follows the mode. Without a boundary there is nothing that does.
func (o Options) lock() (unlock func(), err error) {
	if _, err := os.Stat(o.Dir.Path()); errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	return control.Lock(o.Dir)
}

// setUp sets the boundary up where there is none, and returns its mode. For all projects of a user nothing is set up in
// the one that happens to be the working folder.
func (o Options) setUp(d *Done) (mode boundary.Mode, err error) {
	if !o.bounded() {
		return boundary.Validate, nil
	}
	if d.Policy, err = control.SetUp(o.Dir, o.policy(), o.Change); err != nil {
		return "", err
	}
	policy, err := o.checkPolicy()
	if err != nil {
		return "", err
	}
	if err := o.adopt(policy.Mode); err != nil {
		return "", err
	}
	return policy.Mode, link(o.Dir, d.Program)
}

// bounded reports whether there is a boundary, or one is to be set up.
func (o Options) bounded() bool {
	_, err := os.Stat(o.Dir.Path())
	return !o.User || err == nil
}

// settings returns which settings are meant.
func (o Options) settings() settings.Options {
	return settings.Options{Root: o.Dir.Root, Home: o.Home, User: o.User, FollowLink: o.FollowLink}
}

// registering returns what is registered where.
func (o Options) registering(client *agentclient.Client, program string) settings.Options {
	so, wiring := o.settings(), client.Wiring
	line := func(event string) string {
		if o.User {
			return commandline.ForUser(client, event, program)
		}
		return commandline.For(client, event)
	}
	so.Command, so.Later = line(wiring.Before()), line(wiring.Events[1])
	if len(wiring.Ends) > 0 {
		so.End = line(wiring.Ends[0])
	}
	return so
}

// note puts a change of the client's settings on record.
func (o Options) note(d Done, what string) error {
	if !d.Changed || !o.bounded() {
		return nil
	}
	c := o.Change
	c.ID = o.NoteID
	return control.NoteInstallation(o.Dir, o.Client, d.Version, what, c)
}

// registeredVersion returns the version that an earlier installation relied on, so that what it registered stays when
// the client is not found.
func registeredVersion(client *agentclient.Client, o settings.Options) string {
	registered, err := settings.Registered(client.Name, o)
	if option := client.Wiring.FailClosed; err == nil && option != nil &&
		slices.ContainsFunc(registered, func(r settings.Registration) bool { return r.FailsClosed }) {
		return option.Since
	}
	return ""
}

// Uninstall takes the hook out of the client's settings. Policy and journal stay, and the link to the program while
// another client uses it.
func Uninstall(o Options) (Done, error) {
	unlock, err := o.lock()
	if err != nil {
		return Done{}, err
	}
	defer unlock()
	c, err := settings.Uninstall(o.Client, o.settings())
	if err != nil {
		return Done{}, err
	}
	d := Done{Client: o.Client, Root: o.Dir.Root, Said: []string{}, Unignored: []string{}}
	d.take(c)
	if err := o.note(d, control.Removed); err != nil {
		return d, err
	}
	if !isRegistered(o) {
		if err := unlink(o.Dir); err != nil {
			return d, err
		}
	}
	o.tell(&d)
	return d, nil
}

func (d *Done) take(c settings.Change) {
	d.File, d.Created, d.Removed, d.Changed, d.Backup = c.File, c.Created, c.Removed, c.Changed, c.Backup
	d.Said = append(d.Said, c.Said...)
}

var versionNumber = lazyregexp.New(`\d+(?:\.\d+)+`)

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
	return versionNumber().FindString(said.String())
}

// private are files of a boundary that name people, files and sessions.
var private = []string{".orchestrator/boundary/journal/", ".orchestrator/boundary/grants.json"}

// unignored returns those that git would take in, the link to a program of this machine included. Outside of a
// repository, or without git, there are none.
func unignored(ctx context.Context, dir folder.Dir) []string {
	found := []string{}
	program, err := exec.LookPath("git")
	if err != nil {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, path := range append(private, linkIn(dir)) {
		cmd := git.Command{Path: program, Dir: dir.Root}.Prepare(ctx, "check-ignore", "-q", "--no-index", path)
		_ = cmd.Run()
		if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1 { // 128 is no repository
			found = append(found, path)
		}
	}
	return found
}
