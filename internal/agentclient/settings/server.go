package settings

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/fault"
)

// serverName is what clients call the MCP server of this program.
const serverName = "orchestrator"

// Server is the entry of our MCP server in the settings of a client.
type Server struct {
	File    string
	User    bool // in the user's settings, for all projects
	Program string
	Args    []string
}

// ServerOptions say which MCP server is registered where.
type ServerOptions struct {
	Root       string // the project's folder
	Home       string // the user's folder; "" for none
	User       bool   // the settings are those in the user's folder, for all projects
	FollowLink bool   // change the file that a symbolic link in the project leads to; without it a link is refused
	Program    string // an absolute path
	Args       []string
	TokenFile  string // that the arguments name; "" for none
	DryRun     bool   // change nothing, and say what would change
}

// ServerChange is what an installation or its removal did, or would do.
type ServerChange struct {
	File    string
	Created bool // the file was not there
	Removed bool // the file that the installation created is gone
	Changed bool
	Diff    string   // of the file, unified; "" where nothing changes
	Backup  string   // the copy of the original, "" where there is none
	Said    []string // what the person at the client has to know or to do
}

// serverText edits the text of a settings file. It knows nothing of other servers.
type serverText interface {
	find(text []byte) (*Server, error)                // nil where there is none of that name
	with(text []byte, s Server) ([]byte, error)       // adds the server, or gives the entry its program and arguments
	without(text []byte) ([]byte, error)              // of a text that has it
	said(text []byte) (all map[string]any, err error) // everything that the file says
	bare(text []byte) bool                            // it says nothing, and has no comment
}

// registry is where a client registers MCP servers.
type registry struct {
	agentclient.Servers
	serverText

	place *wiring // finds the file
}

// registryOf returns that of a client.
func registryOf(client string) (*registry, error) {
	c, err := agentclient.Find(client)
	if err != nil {
		return nil, err
	}
	r := &registry{Servers: c.Servers, serverText: jsonServers{c.Servers},
		place: &wiring{agentclient.Wiring{File: c.Servers.File, User: c.Servers.User}, client}}
	if isTOML(c.Servers.File) {
		r.serverText = tomlServers{c.Servers}
	}
	return r, nil
}

// options returns which file is meant.
func (o ServerOptions) options() Options {
	return Options{Root: o.Root, Home: o.Home, User: o.User, FollowLink: o.FollowLink}
}

// isOurs reports whether an entry starts the MCP server of this program, wherever the program lies.
func (s *Server) isOurs() bool {
	return filepath.Base(s.Program) == "orchestrator" && len(s.Args) > 0 && s.Args[0] == "mcp"
}

func (s *Server) commandLine() string {
	return strings.Join(append([]string{s.Program}, s.Args...), " ")
}

// FindServer returns our entry in the settings of a client, the project's or the user's; nil where there is none.
func FindServer(client string, o ServerOptions) (*Server, error) {
	r, err := registryOf(client)
	if err != nil {
		return nil, err
	}
	folder, name := r.place.within(o.options())
	if folder == "" {
		return nil, nil
	}
	file := filepath.Join(folder, name)
	text, there, err := readServers(file)
	if err != nil || !there {
		return nil, err
	}
	s, err := r.find(text)
	if err != nil {
		return nil, r.unparsable(file, err)
	}
	if s == nil || !s.isOurs() {
		return nil, nil
	}
	s.File, s.User = file, o.User
	return s, nil
}

// edit is one change of a settings file, decided and not yet made.
type edit struct {
	file     string
	there    bool // the file is
	old, new []byte
	remove   bool // the file goes
	backup   []byte
	hasCopy  bool // backup is the copy that an installation has kept
	personal bool // a new file is for its owner alone: the client keeps more in it than servers
}

// open reads the file that is to be changed, and our entry in it. An entry of that name that is not ours is refused.
func (r *registry) open(o ServerOptions) (*edit, *Server, error) {
	file, err := r.place.place(o.options())
	if err != nil {
		return nil, nil, err
	}
	e := &edit{file: file, personal: o.User}
	if e.old, e.there, err = readServers(file); err != nil {
		return nil, nil, err
	}
	if e.backup, e.hasCopy, err = readServers(file + serverBackup); err != nil {
		return nil, nil, err
	}
	have, err := r.find(e.old)
	if err != nil {
		return nil, nil, r.unparsable(file, err)
	}
	if have != nil && !have.isOurs() {
		return nil, nil, fault.New(fault.Conflict, "foreign_server",
			"%s has an MCP server named %s that is not ours: %s; nothing was changed", file, serverName,
			have.commandLine()).
			WithFix("give that server another name, or remove it, and repeat the command")
	}
	return e, have, nil
}

// checked holds that a change changed our entry alone, and says so of one that cannot be made.
func (r *registry) checked(e *edit, want *Server, made []byte, err error) error {
	var got *Server
	if err == nil {
		got, err = r.find(made)
	}
	same := err == nil && (got == nil) == (want == nil) &&
		(got == nil || got.Program == want.Program && slices.Equal(got.Args, want.Args)) && r.keeps(e.old, made)
	if same {
		return nil
	}
	f := fault.New(fault.Invalid, "settings_shape",
		"%s is written in a way that this program does not edit; nothing was changed", e.file).Because(err)
	if want == nil {
		return f.WithFix("remove the server %s from %s by hand", serverName, r.Table)
	}
	snippet, _ := r.with(nil, *want)
	return f.WithFix("add by hand:\n%s", snippet)
}

// keeps reports whether two texts say the same but of our entry.
func (r *registry) keeps(old, made []byte) bool {
	before, err := r.others(old)
	if err != nil {
		return false
	}
	after, err := r.others(made)
	return err == nil && reflect.DeepEqual(before, after)
}

// others returns what a text says without our entry, and without the table if that holds nothing else.
func (r *registry) others(text []byte) (map[string]any, error) {
	all, err := r.said(text)
	if table, is := all[r.Table].(map[string]any); is {
		delete(table, serverName)
		if len(table) == 0 {
			delete(all, r.Table)
		}
	}
	return all, err
}

// Implements: ORC-315

// InstallServer registers an MCP server of this program with a client. Done twice it changes nothing the second time;
// an entry of ours gets the program and the arguments that are given. All other bytes of the file stay.
func InstallServer(client string, o ServerOptions) (ServerChange, error) {
	r, err := registryOf(client)
	if err != nil {
		return ServerChange{}, err
	}
	if err := o.check(); err != nil {
		return ServerChange{}, err
	}
	e, have, err := r.open(o)
	if err != nil {
		return ServerChange{}, err
	}
	want := Server{Program: o.Program, Args: o.Args}
	made, err := r.with(e.old, want)
	if err := r.checked(e, &want, made, err); err != nil {
		return ServerChange{}, err
	}
	e.new = made
	c := e.change()
	c.Created = !e.there
	if !o.User && r.Trust != "" {
		c.Said = append(c.Said, r.Trust)
	}
	if !c.Changed || o.DryRun {
		return c, nil
	}
	if err := e.put(have == nil); err != nil {
		return ServerChange{}, err
	}
	if e.hasCopy {
		c.Backup = e.file + serverBackup
	}
	return c, nil
}

// Implements: ORC-316

// UninstallServer removes our entry, and leaves the rest. A file that is as InstallServer left it becomes what it was
// before, byte for byte; one that InstallServer created is removed, if it holds nothing else.
func UninstallServer(client string, o ServerOptions) (ServerChange, error) {
	r, err := registryOf(client)
	if err != nil {
		return ServerChange{}, err
	}
	e, have, err := r.open(o)
	if err != nil || have == nil {
		return ServerChange{File: r.place.path(o.options())}, err
	}
	made, err := r.without(e.old)
	if err := r.checked(e, nil, made, err); err != nil {
		return ServerChange{}, err
	}
	e.new = made
	if r.restores(e, *have) {
		e.new = e.backup
	} else {
		e.remove = r.bare(made) && !(e.hasCopy && r.bare(e.backup)) && backupOf(e.file) == ""
	}
	c := e.change()
	if o.DryRun {
		return c, nil
	}
	if e.remove { // the copy goes first, so that the folder is empty
		return c, errors.Join(e.dropCopy(), r.place.removeFile(o.options(), e.file))
	}
	if err := e.write(); err != nil {
		return ServerChange{}, err
	}
	return c, errors.Join(r.settleHooksCopy(e), e.dropCopy())
}

// settleHooksCopy takes our entry out of the copy that an installation of the hook has kept of the same file, and
// removes a copy that the file is going to equal.
func (r *registry) settleHooksCopy(e *edit) error {
	file := backupOf(e.file)
	if file == "" {
		return nil
	}
	text, _, err := readServers(file)
	if err != nil {
		return err
	}
	copied := &edit{file: file, there: true, old: text, new: text, backup: e.backup, hasCopy: e.hasCopy}
	if have, err := r.find(text); err == nil && have != nil && have.isOurs() {
		if copied.new, err = r.without(text); err != nil {
			return nil //nolint:nilerr // the copy is only ever compared with
		}
		if r.restores(copied, *have) {
			copied.new = e.backup
		} else {
			copied.remove = r.bare(copied.new) && !e.hasCopy
		}
	}
	if copied.remove || bytes.Equal(copied.new, e.new) {
		return unwritable(file, os.Remove(file))
	}
	return copied.write()
}

// restores reports whether the file is, byte for byte, what the installation made of the kept original.
func (r *registry) restores(e *edit, have Server) bool {
	if !e.hasCopy {
		return false
	}
	again, err := r.with(e.backup, have)
	return err == nil && bytes.Equal(again, e.old)
}

// serverFlags are the flags that a registered entry may have; each has a value.
var serverFlags = []string{"--data", "--server", "--tls-ca", "--token-file"}

// Flag returns the value that the arguments give a flag, "" where they give none.
func (s *Server) Flag(name string) string {
	for i := 1; i+1 < len(s.Args); i += 2 {
		if s.Args[i] == name {
			return s.Args[i+1]
		}
	}
	return ""
}

// IsPlain reports whether the arguments are those that an installation gives, each flag at most once.
func (s *Server) IsPlain() bool {
	seen := map[string]bool{}
	for i := 1; i < len(s.Args); i += 2 {
		flag := s.Args[i]
		if i+1 == len(s.Args) || seen[flag] || !slices.Contains(serverFlags, flag) {
			return false
		}
		seen[flag] = true
	}
	return len(s.Args) > 0 && s.Args[0] == "mcp"
}
