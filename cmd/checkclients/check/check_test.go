package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
)

// session is one in which everything was called, with the same result.
func session(t *testing.T, mode, result, content string) *Session {
	t.Helper()
	s := &Session{Mode: mode, Ended: true, Files: Files{}, place: &place{root: t.TempDir(), client: row}}
	s.place.at.Project, s.place.at.Home = s.place.root, t.TempDir()
	for _, w := range s.place.writing() {
		s.Main = append(s.Main, model.Outcome{Step: w.step, Tool: "Bash", Offered: true, Ended: true, Result: result})
		s.Files[w.file] = content
	}
	s.Main = append(s.Main, model.Outcome{Step: "look-alike", Tool: "Write", Offered: true, Ended: true,
		Result: result})
	for _, note := range s.place.notes() {
		s.Main = append(s.Main, model.Outcome{Step: "note " + note, Tool: "Write", Offered: true, Ended: true})
		s.Files[note] = after
	}
	s.Calls = []Call{{Stdout: result}}
	for _, step := range []string{"read", "shell reads", "build", "book TodoWrite", "delegate"} {
		s.Main = append(s.Main, model.Outcome{Step: step, Tool: "Tool", Offered: true, Ended: true})
	}
	s.Agent = []model.Outcome{{Step: "agent edits", Offered: true, Ended: true}}
	s.Files["agent.txt"] = after
	for range writing {
		var line Line
		line.Verdict.Decision = "warn"
		s.Journal = append(s.Journal, line)
	}
	return s
}

func states(findings []Finding) map[string]State {
	all := map[string]State{}
	for _, f := range findings {
		all[f.Check] = f.State
	}
	return all
}

// row is a client that has everything.
var row = &client.Client{Name: "x", Delegates: []string{"Agent"}, Notes: []string{".x/plan.md"}, Asks: true,
	Trusts: true,
	Calls:  client.Calls{Terminal: func(model.Tools, string) model.Call { return model.Call{} }},
	Gaps:   []client.Gap{{Check: "bypass: it is said", Why: "known"}}}

func good(t *testing.T) Runs {
	block := "ORCHESTRATOR " + blocked + ": call Agent"
	runs := Runs{Control: session(t, Control, "", after), Validate: session(t, Validate, warned, after),
		Confirm: session(t, Confirm, asked, before), Enforce: session(t, Enforce, block, before),
		Bypass: session(t, Bypass, bypassed, after), Broken: session(t, Broken, "", before),
		Late: session(t, Late, "", before), Below: session(t, Below, block, before),
		Everywhere: session(t, Everywhere, block, before), Untrusted: session(t, Untrusted, "", after),
		Finish: session(t, Finish, reminded, before)}
	runs[Untrusted].Calls, runs[Untrusted].Doctor = nil, Doctor{Said: "the hook is not trusted", Exit: 1}
	runs[Finish].Ends = []string{"do it", "do it\n" + reminded}
	return runs
}

// Verifies: ORC-230
func TestJudge(t *testing.T) {
	runs := good(t)
	quiet(runs[Bypass])
	found := states(Judge(row, "1", runs))
	require.Len(t, found, len(Checks()))
	for _, name := range Checks() {
		want := OK
		switch name {
		case "bypass: it is said":
			want = Gap
		case "enforce: a build passes":
			want = NotRun
		}
		require.Equal(t, want, found[name], name)
	}
}

// Every check is failed by what it is there for.
//
// Verifies: ORC-230
func TestJudgeFails(t *testing.T) {
	for name, spoil := range map[string]func(Runs){
		"control: everything writes":        func(r Runs) { r[Control].Files["sed.txt"] = before },
		"validate: everything writes":       func(r Runs) { r[Validate].Ended = false },
		"validate: on record":               func(r Runs) { r[Validate].Journal = nil },
		"validate: the warning arrives":     func(r Runs) { quiet(r[Validate]) },
		"enforce: edit is blocked":          func(r Runs) { r[Enforce].Files["edit.txt"] = after },
		"enforce: redirect is blocked":      func(r Runs) { quiet(r[Enforce]) },
		"enforce: sed -i is blocked":        func(r Runs) { r[Enforce].Main[2].Ended = false },
		"enforce: here-document is blocked": func(r Runs) { r[Enforce].Files["here.txt"] = after },
		"enforce: python3 -c is blocked":    func(r Runs) { r[Enforce].Files["python.txt"] = after },
		"enforce: reading passes":           func(r Runs) { reads(r[Enforce]) },
		"enforce: bookkeeping passes": func(r Runs) {
			r[Enforce].outcome("book TodoWrite").Result = blocked
		},
		"enforce: an agent is started":            func(r Runs) { r[Enforce].outcome("delegate").Result = blocked },
		"enforce: the agent's edit lands":         func(r Runs) { r[Enforce].Agent[0].Result = blocked },
		"enforce: the agent ends":                 func(r Runs) { r[Enforce].outcome("delegate").Ended = false },
		"enforce: the block says how to delegate": func(r Runs) { r[Enforce].outcome("edit").Result = blocked },
		"bypass: the edit lands":                  func(r Runs) { r[Bypass].Files["edit.txt"] = before },
		"bypass: it is said":                      func(r Runs) { quiet(r[Bypass]) },
		"a broken hook blocks":                    func(r Runs) { r[Broken].Files["edit.txt"] = after },
		"a late hook blocks":                      func(r Runs) { r[Late].Files["edit.txt"] = after },
		"confirm: an edit waits for a person":     func(r Runs) { r[Confirm].Calls = nil },
		"enforce: a terminal is blocked": func(r Runs) {
			r[Enforce].Main = append(r[Enforce].Main, model.Outcome{Step: "type", Offered: true})
		},
		"enforce: plans and memory pass": func(r Runs) { r[Enforce].Files[r[Enforce].place.notes()[0]] = "" },
		"enforce: a look-alike is blocked": func(r Runs) {
			r[Enforce].Files[r[Enforce].place.lookAlike()] = after
		},
		"in a subfolder: edit is blocked":        func(r Runs) { r[Below].Files["edit.txt"] = after },
		"in a subfolder: doctor says so":         func(r Runs) { r[Below].Calls = nil },
		"in a subfolder, by the user's settings": func(r Runs) { r[Everywhere].Files["edit.txt"] = after },
		"a hook without trust: doctor says so":   func(r Runs) { r[Untrusted].Doctor.Exit = 0 },
		"done means done: it goes on once":       func(r Runs) { r[Finish].Ends = r[Finish].Ends[:1] },
	} {
		runs, spoilt := good(t), *row
		spoilt.Gaps = nil
		spoil(runs)
		require.Equal(t, Failed, states(Judge(&spoilt, "1", runs))[name], name)
	}
	require.Equal(t, NotRun, states(Judge(row, "1", Runs{}))["control: everything writes"])
}

// reads makes a client that offers no tool to read, and whose shell must not.
func reads(s *Session) {
	s.outcome("read").Offered = false
	s.outcome("shell reads").Result = blocked
}

// A tool that the client does not offer is no failure, and is said.
func TestWhatIsNotOfferedIsNotRun(t *testing.T) {
	runs := good(t)
	runs[Enforce].outcome("read").Offered = false
	for _, f := range Judge(row, "1", runs) {
		if f.Check == "enforce: reading passes" {
			require.Equal(t, Finding{f.Check, NotRun, "the client offers no tool for it: read"}, f)
		}
	}
}

// Each way in which the new sessions can go wrong is told apart.
func TestWhatFails(t *testing.T) {
	finish, untrusted := (*Session).goesOn, (*Session).trustKnown
	for want, test := range map[string]struct {
		mode  string
		judge func(*Session) string
		spoil func(*Session)
	}{
		"the hook held the session up 0 times": {Finish, finish, func(s *Session) { s.Calls = nil }},
		"the hook held the session up 2 times": {Finish, finish, func(s *Session) {
			s.Calls = append(s.Calls, s.Calls...)
		}},
		"the session came to its end 3 times":      {Finish, finish, func(s *Session) { s.Ends = append(s.Ends, "") }},
		"the model was not told why":               {Finish, finish, func(s *Session) { s.Ends[1] = "go on" }},
		"the client ran the hook":                  {Untrusted, untrusted, func(s *Session) { s.Calls = []Call{{}} }},
		"doctor does not say so, and exits with 1": {Untrusted, untrusted, func(s *Session) { s.Doctor.Said = "" }},
		"edit.txt was written": {Confirm, (*Session).waits, func(s *Session) {
			s.Files["edit.txt"] = after
		}},
		"the edit was not asked for": {Confirm, (*Session).waits, func(s *Session) {
			s.Calls[0].Stdout = blocked
		}},
	} {
		s := good(t)[test.mode]
		require.Empty(t, test.judge(s))
		test.spoil(s)
		require.Equal(t, want, test.judge(s))
	}
	below := good(t)[Below]
	below.Calls, below.Doctor = nil, Doctor{Said: "it runs no hook", Exit: 1}
	require.Empty(t, below.reachKnown())
}

// A client has no session of which nothing is checked, and what it does not have is said.
func TestWhatAClientDoesNotHave(t *testing.T) {
	plain := &client.Client{Name: "y", Unended: "it hears nothing"}
	require.NotContains(t, Modes(plain), Untrusted)
	require.NotContains(t, Modes(plain), Finish)
	require.Contains(t, Modes(row), Untrusted)
	for _, f := range Judge(plain, "1", Runs{}) {
		switch f.Check {
		case "done means done: it goes on once":
			require.Equal(t, Finding{f.Check, NotOffered, "it hears nothing"}, f)
		case "enforce: a terminal is blocked", "enforce: plans and memory pass", "enforce: a look-alike is blocked",
			"a hook without trust: doctor says so":
			require.Equal(t, NotOffered, f.State)
		default:
			require.Equal(t, NotRun, f.State)
		}
	}
}

func quiet(s *Session) {
	for i := range s.Main {
		s.Main[i].Result = ""
	}
}

// What differs from run to run is replaced, and what a tool returned is not kept.
func TestFixed(t *testing.T) {
	f := &fixer{root: "/tmp/x1/claude@2/validate", ids: map[string]string{}}
	text, err := f.fixed([]byte(`{"session_id":"166afb6b-8677-48c2-bf49-db2b5568ec7e",` +
		`"cwd":"/tmp/x1/claude@2/validate/home/pm/shop","transcript":"-tmp-x1-claude-2-validate-home-pm-shop",` +
		`"tool_use_id":"toolu_0002","again":"166afb6b-8677-48c2-bf49-db2b5568ec7e",` +
		`"duration_ms":14,"timestamp":1795449628068,"lines":2,` +
		`"tool_response":{"long":"` + strings.Repeat("text ", 20) + `","short":"old"}}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"session_id":"00000000-0000-4000-8000-000000000001","cwd":"/home/pm/shop",
		"transcript":"-home-pm-shop","tool_use_id":"toolu_0002","again":"00000000-0000-4000-8000-000000000001",
		"duration_ms":1,"timestamp":1795435200000,"lines":2,
		"tool_response":{"long":"…","short":"old"}}`, string(text))
	said := string(text)
	require.Less(t, strings.Index(said, "session_id"), strings.Index(said, "tool_response"), "the order stays")
}

// The place of a session has nothing of the person's environment, and its hook keeps what it is sent.
func TestPlace(t *testing.T) {
	programs, work := t.TempDir(), t.TempDir()
	for _, name := range []string{"orchestrator", "orchestrator-hook"} {
		script := []byte("#!/bin/sh\necho said >&2\nexit 2\n")
		require.NoError(t, os.WriteFile(filepath.Join(programs, name), script, 0o700))
	}
	t.Setenv("A_SECRET_OF_THE_PERSON", "yes")
	b := &Bed{Programs: programs, Work: work, Limit: time.Minute}
	c, found := client.Find("claude")
	require.True(t, found)
	p, err := b.newPlace(c, "1", modeOf(Validate))
	require.NoError(t, err)
	require.NotContains(t, strings.Join(p.env(), "\n"), "A_SECRET")
	_, err = p.run(t.Context(), "orchestrator-hook", "claude")
	require.ErrorContains(t, err, "said")
	s := &Session{}
	require.NoError(t, s.readCalls(p))
	require.Len(t, s.Calls, 1)
	require.Equal(t, "2", s.Calls[0].Exit)
	require.Equal(t, "said\n", s.Calls[0].Stderr)
}
