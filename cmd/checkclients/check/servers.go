package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
)

// What is checked of the MCP server that orchestrator mcp install registers.
const (
	listedInProject = "project: the client lists the server"
	listedForUser   = "user: the client lists the server"
	bytesInProject  = "project: uninstall gives the bytes back"
	bytesForUser    = "user: uninstall gives the bytes back"
	goneInProject   = "project: after it, the client lists none"
	goneForUser     = "user: after it, the client lists none"
	statusAgrees    = "orchestrator mcp status starts it"
	sessionCalls    = "in enforce, a session calls a tool of it"
	comesToDone     = "a requirement comes to done by it"
)

// ServerChecks returns the names of these checks, in the order of the table.
func ServerChecks() []string {
	return []string{listedInProject, bytesInProject, goneInProject, listedForUser, bytesForUser, goneForUser,
		statusAgrees, sessionCalls, comesToDone}
}

// mcpTask is what the session is asked that calls the tool.
const mcpTask = "[conversation about the server] Say whose token you have."

// served is one client whose MCP server is checked.
type served struct {
	*place

	found []Finding
	said  strings.Builder // commands and what they printed
}

// Servers registers the MCP server with a client in both scopes, has the client list it, and runs sessions that call
// its tools: one with the boundary in enforce, and those of the life of a requirement. The text has the commands with
// what they printed.
func (b *Bed) Servers(ctx context.Context, c *client.Client, version string) ([]Finding, string, error) {
	p, err := b.newPlace(c, version, mode{name: "mcp"})
	if err != nil {
		return nil, "", err
	}
	s := &served{place: p}
	life := newLife(p)
	server, err := model.Start(p.dir("requests"), append(life.scripts(), model.Script{Mark: mcpTask,
		Last: "It is said.", Steps: calling(c, "whoami", fixed(struct{}{}))})...)
	if err != nil {
		return nil, "", err
	}
	defer server.Close()
	p.at.Model, p.at.Prompt = server.URL, mcpTask
	stop, err := p.serve(ctx)
	if err != nil {
		return nil, "", err
	}
	defer stop()
	if err := errors.Join(c.Prepare(p.at), writeProfile(p)); err != nil {
		return nil, "", err
	}
	if _, err := p.run(ctx, "/bin/sh", "-c", "go test -run none unicode/utf8"); err != nil { // the next is fast
		return nil, "", err
	}
	for _, scope := range []string{"project", "user"} {
		if err := s.scope(ctx, scope); err != nil {
			return nil, s.said.String(), err
		}
	}
	if err = s.session(ctx, server); err == nil {
		err = s.live(ctx, server, life)
	}
	return s.found, s.said.String(), err
}

// calling makes the steps by which a session calls a tool of the server: it finds the tool first, if it has to.
func calling(c *client.Client, name string, in func(last string) any) (steps []model.Step) {
	if find := c.Calls.FindServed; find != nil {
		steps = append(steps, model.Step{Name: "find " + name, Make: func(t model.Tools, last string) model.Call {
			in(last) // what is read of it may be gone in the next step
			if _, offered := t.Ending("orchestrator", name); offered {
				return model.Call{}
			}
			return find(t, name)
		}})
	}
	return append(steps, model.Step{Name: name, Make: func(t model.Tools, last string) model.Call {
		return c.Serve(t, name, in(last))
	}})
}

// fixed makes an input that the call before does not matter to.
func fixed(in any) func(string) any { return func(string) any { return in } }

// scope checks one scope of settings: without the client in between, and with it.
func (s *served) scope(ctx context.Context, scope string) error {
	listed, bytes, gone := listedInProject, bytesInProject, goneInProject
	if scope == "user" {
		listed, bytes, gone = listedForUser, bytesForUser, goneForUser
	}
	install := []string{"orchestrator", "mcp", "install", s.client.Name, "--scope", scope, "--as", "pm"}
	uninstall := []string{"orchestrator", "mcp", "uninstall", s.client.Name, "--scope", scope}
	before, err := s.files()
	if err != nil {
		return err
	}
	for _, command := range [][]string{install, uninstall} {
		if _, err := s.run(ctx, command...); err != nil {
			return err
		}
	}
	after, err := s.files()
	if err != nil {
		return err
	}
	s.note(bytes, unless(maps.Equal(before, after), "the files differ from those before the installation"))
	said, err := s.listing(ctx, install)
	if err != nil {
		return err
	}
	program := filepath.Join(s.dir("bin"), "orchestrator")
	s.note(listed, unless(strings.Contains(said, program), "the listing does not name "+program))
	if said, err = s.listing(ctx, uninstall); err != nil {
		return err
	}
	s.note(gone, unless(!strings.Contains(said, program), "the listing still names "+program))
	return nil
}

// note adds a finding: one that passed where there is no reason.
func (s *served) note(check, why string) {
	r := failedIf(why)
	s.found = append(s.found, r.finding(check, s.client.Gap(s.at.Version, check)))
}

// listing changes the settings, and returns what the client lists then.
func (s *served) listing(ctx context.Context, change []string) (string, error) {
	said, err := s.run(ctx, change...)
	if err != nil {
		return "", err
	}
	s.tell(strings.Join(change, " "), said)
	var all strings.Builder
	for _, args := range s.client.Listing {
		r, err := s.result(ctx, s.at.Project, append([]string{s.client.Name}, args...)...)
		if err != nil {
			return "", err
		}
		s.tell(s.client.Name+" "+strings.Join(args, " "), string(r.Output))
		all.Write(r.Output)
	}
	return all.String(), nil
}

// tell notes a command with what it printed.
func (s *served) tell(command, said string) {
	fmt.Fprintf(&s.said, "$ %s\n%s\n", strings.TrimPrefix(command, s.dir("bin")+"/"), strings.TrimRight(said, "\n"))
}

// files returns the files of the session's home, the project included, without what the service and git write.
func (s *served) files() (map[string]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(s.at.Home, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == ".orchestrator"):
			return filepath.SkipDir
		case strings.HasPrefix(entry.Name(), "project_status."): // the service exports it when it likes
		case entry.Type().IsRegular():
			text, err := os.ReadFile(path) //nolint:gosec // a folder of our own
			found[path] = string(text)
			return err
		}
		return nil
	})
	return found, err
}

// session registers the server for the user, tries it, and has a session call it.
func (s *served) session(ctx context.Context, server *model.Server) error {
	install := []string{"orchestrator", "mcp", "install", s.client.Name, "--scope", "user", "--as", "pm"}
	if _, err := s.run(ctx, install...); err != nil {
		return err
	}
	r, err := s.result(ctx, s.at.Project, "orchestrator", "mcp", "status", s.client.Name, "--json")
	if err != nil {
		return err
	}
	s.tell("orchestrator mcp status "+s.client.Name+" --json", string(r.Output))
	s.note(statusAgrees, unless(r.Exit == 0 && strings.Contains(string(r.Output), `"role":"pm"`),
		fmt.Sprintf("it says: %.300s", r.Output)))
	s.mode = mode{name: s.mode.name, phase: Enforce}
	if err := s.place.install(ctx); err != nil {
		return err
	}
	result, err := s.start(ctx)
	if err != nil {
		return err
	}
	if _, err := s.run(ctx, "orchestrator", "boundary", "mode", "off", "--reason", "a check"); err != nil {
		return err
	}
	if err := os.WriteFile(s.dir("output.txt"), result.Output, 0o600); err != nil {
		return err
	}
	outcomes, _ := server.Outcomes(mcpTask)
	last := model.Outcome{}
	if n := len(outcomes); n > 0 {
		last = outcomes[n-1]
	}
	s.tell("the model calls "+last.Tool, last.Result)
	why := ""
	switch {
	case !last.Offered:
		why = "the client offers no tool of the server"
	case !last.Ended || !saysRole(last.Result):
		why = fmt.Sprintf("the call came to: %.300s", last.Result)
	case !s.hooked():
		why = "the hook was not asked about it"
	}
	s.note(sessionCalls, why)
	return nil
}

// aboutIt is what the hook is told of the call, by the names that clients have for a tool's name.
var aboutIt = regexp.MustCompile(`"(tool_name|toolName|tool)":\s*"[^"]*whoami"`)

// hooked reports whether the client has asked the hook about the call.
func (s *served) hooked() bool {
	files, _ := filepath.Glob(filepath.Join(s.dir("calls"), "*.stdin")) // fails for bad patterns alone
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && aboutIt.Match(text)
	})
}

// saysRole reports whether a result has the role, however often the client has quoted it.
func saysRole(text string) bool {
	return strings.Contains(text, "role pm") || strings.Contains(strings.ReplaceAll(text, `\`, ""), `"role":"pm"`)
}
