// Package probe starts the MCP server that is registered with an agent client, as the client does, and says what it
// finds: a program or a token that is gone, a service that does not answer, or the tools and the role.
//
// It changes nothing. A server that was started is ended, with what it has started itself.
package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/runner"
	"orchestrator/internal/system/shellquote"
)

// State is what came of one registered server.
type State string

// The states.
const (
	Works      State = "works"
	Unreadable State = "settings_unreadable" // the client's settings
	NoProgram  State = "program_missing"
	NoToken    State = "token_missing"
	NoService  State = "service_unreachable"
	Fails      State = "fails"
	NotTried   State = "not_tried"
)

// Finding is what was found of one registered server.
type Finding struct {
	Client  string   `json:"client"`
	File    string   `json:"file,omitempty"`
	User    bool     `json:"user"` // it is in the user's settings, for all projects
	Program string   `json:"program,omitempty"`
	Args    []string `json:"args,omitempty"`
	State   State    `json:"state"`
	Actor   string   `json:"actor,omitempty"` // whose token it is
	Role    string   `json:"role,omitempty"`
	Tools   []string `json:"tools,omitempty"`
	What    string   `json:"what"`           // for people
	Fix     string   `json:"fix,omitempty"`  // in words
	Mend    string   `json:"mend,omitempty"` // a command for the shell
}

// Options say what is examined, and how.
type Options struct {
	Root     string // the project's folder; a server is started in it
	Home     string // the user's folder; "" for none
	Environ  []string
	Patience time.Duration // for one server; 0 is ten seconds
	Only     *Own          // of what the project's settings name, only this is started; nil starts whatever is ours
}

// Own is what the settings of a project may have started unasked: they may have come with the repository, and could
// have a token sent elsewhere.
type Own struct {
	Program string // this one
	Data    string // the data folder of the project
	URL     string // the address that the person has saved for it; "" for none
}

const patience = 10 * time.Second

// unanswered is the exit code with which this program says that no service answers.
const unanswered = 3

// Implements: ORC-319

// Examine looks at what is registered with a client, in the settings of the project and of the user.
func Examine(ctx context.Context, client string, o Options) (found []Finding) {
	for _, user := range []bool{false, true} {
		s, err := settings.FindServer(client, settings.ServerOptions{Root: o.Root, Home: o.Home, User: user})
		switch {
		case err != nil:
			found = append(found, unreadable(client, user, err))
		case s != nil:
			found = append(found, o.try(ctx, client, s))
		}
	}
	return found
}

// Broken returns the error of servers that do not work, or nil.
func Broken(found []Finding) error {
	broken := 0
	for _, f := range found {
		if f.State != Works {
			broken++
		}
	}
	if broken == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "server_broken", "servers that do not work: %d", broken).
		WithFix("do what stands below each")
}

func unreadable(client string, user bool, err error) Finding {
	f := Finding{Client: client, User: user, State: Unreadable, What: err.Error()}
	if known := fault.As(err); known != nil {
		f.What, f.Fix = known.Detail, known.Fix
	}
	return f
}

// try examines one server.
func (o Options) try(ctx context.Context, client string, s *settings.Server) Finding {
	f := Finding{Client: client, File: s.File, User: s.User, Program: s.Program, Args: s.Args}
	switch token := s.Flag("--token-file"); {
	case !isProgram(s.Program):
		f.State, f.Mend = NoProgram, again(client, s.User)
		f.What = fmt.Sprintf("there is no program %s", s.Program)
	case token != "" && !isFile(token):
		f.State = NoToken
		f.What = fmt.Sprintf("there is no token file %s", token)
		f.Fix = "make it with orchestrator token add ROLE NAME --out " + shellquote.Quote(token) +
			", or name another: " + again(client, s.User) + " --token-file FILE"
	case !s.User && o.Only != nil && o.Only.stranger(s) != "":
		f.State = NotTried
		f.What = "it is not started unasked: " + o.Only.stranger(s)
		f.Fix = "read the entry first, it may have come with the repository; orchestrator mcp status " + client +
			" starts whatever is registered"
	default:
		o.start(ctx, &f)
	}
	return f
}

// again is the command that registers the server anew.
func again(client string, user bool) string {
	command := "orchestrator mcp install " + client
	if user {
		command += " --scope user"
	}
	return command
}

// start starts the server as the client does, and asks for its tools.
func (o Options) start(ctx context.Context, f *Finding) {
	m := runner.MCP{Tool: "whoami", Exec: runner.Exec{Argv: append([]string{f.Program}, f.Args...), Env: o.Environ,
		Dir: o.Root, Timeout: o.Patience}}
	if m.Timeout == 0 {
		m.Timeout = patience
	}
	listing, result, err := m.List(ctx)
	f.Tools = listing.Tools
	var who struct{ Name, Role string }
	_ = json.Unmarshal(listing.Answer, &who) // what it does not say stays unknown
	f.Actor, f.Role = who.Name, who.Role
	switch {
	case err == nil:
		f.State = Works
		f.What = fmt.Sprintf("%d tools", len(f.Tools))
		if f.Role != "" {
			f.What += fmt.Sprintf(" for %s, role %s", f.Actor, f.Role)
		}
	case result.Exit == unanswered:
		f.State, f.What = NoService, "the service does not answer"
		first, _, _ := strings.Cut(result.Stderr, "\n")
		if why, is := strings.CutPrefix(first, "orchestrator: "); is {
			f.What += ": " + why
		}
		f.Mend = "orchestrator up"
		if server := (&settings.Server{Args: f.Args}).Flag("--server"); server != "" {
			f.Mend, f.Fix = "", "start the service at "+server+", or register another one"
		}
	default:
		f.State, f.What = Fails, err.Error()
		if known := fault.As(err); known != nil {
			f.What = known.Detail
		}
		f.Fix = "start it by hand and see what it says: " + commandLine(m.Argv)
	}
}

// commandLine returns words as a shell takes them.
func commandLine(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, shellquote.Quote(word))
	}
	return strings.Join(quoted, " ")
}

// stranger returns why a server of the project's settings is not what the person has set up; "" for one that is.
func (o *Own) stranger(s *settings.Server) string {
	data, server := s.Flag("--data"), s.Flag("--server")
	switch {
	case !isSame(s.Program, o.Program):
		return s.Program + " is not this program"
	case !s.IsPlain():
		return "it has arguments that an installation does not give it"
	case data != "" && !isSame(data, o.Data):
		return data + " is not the data folder of this project"
	case server != "" && server != o.URL, server == "" && data == "":
		return "it does not name the service of this project"
	}
	return ""
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && filepath.IsAbs(path) && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isSame(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
