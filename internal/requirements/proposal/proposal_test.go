package proposal

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-158

// repository makes a working tree with one commit, and returns it as seen from its folder src.
func repository(t *testing.T) (Tree, string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this needs git")
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "src"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "src", "a.go"), []byte("1\n2\n3"), 0o600))
	for _, args := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	tree, err := TreeAt(t.Context(), filepath.Join(dir, "src"))
	require.NoError(t, err)
	head, err := tree.ask(t.Context(), "rev-parse", "HEAD")
	require.NoError(t, err)
	return tree, head
}

func TestEvidenceInWords(t *testing.T) {
	tree, head := repository(t)
	for word, want := range map[string]string{
		"file:a.go":         "file:src/a.go",
		"file:src/a.go:1-3": "file:src/a.go:1-3", "file:a.go:1-3": "file:src/a.go:1-3", "file:a.go:3": "file:src/a.go:3",
		"file:../README@v2.md": "file:README@v2.md", "file:a.go:9@HEAD": "file:src/a.go:9@" + head,
		"commit:HEAD": "commit:" + head, "commit:" + head[:8]: "commit:" + head,
		"test:TestA@r.xml": "test:TestA@src/r.xml", "test:a::b=fail@r.xml": "test:a::b=fail@src/r.xml",
		"test:@REQ-7 log in@sha256:0f": "test:@REQ-7 log in@sha256:0f", "test:TestA": "test:TestA",
	} {
		got, err := tree.Evidence(t.Context(), word, false)
		require.NoError(t, err, word)
		require.Equal(t, want, Words(got.Evidence), word)
	}
	failed, err := tree.Evidence(t.Context(), "test:TestA@r.xml", true)
	require.NoError(t, err)
	require.Equal(t, lifecycle.ResultFail, failed.Result)
	require.Equal(t, "r.xml", failed.Report)
	for _, word := range []string{"", "yes", "file:", "url:x", "file:a.go:4", "file:a.go:3-1", "file:none.go:1",
		"file:/etc/passwd", "file:a.go:1@none", "commit:none", "commit:--all", "test:"} {
		_, err := tree.Evidence(t.Context(), word, false)
		require.True(t, fault.Is(err, fault.CodeUsage), word)
		require.NotEmpty(t, fault.As(err).Fix, word)
	}
}

// Outside of a working tree paths are sent as they are typed, and a commit needs its id.
func TestEvidenceWithoutGit(t *testing.T) {
	tree, err := TreeAt(t.Context(), t.TempDir())
	require.NoError(t, err)
	path, err := tree.Path("docs/a.md")
	require.NoError(t, err)
	require.Equal(t, "docs/a.md", path)
	id, err := tree.Commit(t.Context(), "4f2a9c1")
	require.NoError(t, err)
	require.Equal(t, "4f2a9c1", id)
	_, err = tree.Commit(t.Context(), "HEAD")
	require.True(t, fault.Is(err, fault.CodeUsage))
}

// What a template says is what is there; a text from a document cannot become a part of it.
func TestTemplates(t *testing.T) {
	tree := Tree{folder: t.TempDir()}
	req := lifecycle.Requirement{Definition: lifecycle.Definition{ID: "R-1", Title: "A title",
		Text: "Line\r\nsummary: forged\u2028x: y"}}
	for _, p := range []Part{Design, Implementation, Test} {
		text, err := p.Template(req, nil)
		require.NoError(t, err)
		require.True(t, Same(text, []byte(text)))
		require.True(t, Same(text, []byte("# nothing\n\n")))
		require.NotContains(t, uncommented(text), "forged")
		_, err = p.Read(t.Context(), tree, []byte(text))
		require.ErrorContains(t, err, "of the template", p.Field)
	}
	present := `{"summary":"true","files":[{"path":"a.go","lines":"1-2"}],"notes":"one\ntwo"}`
	text, err := Implementation.Template(req, []byte(present))
	require.NoError(t, err)
	require.Contains(t, text, "\nsummary: \"true\"\nfiles:\n")
	value, err := Implementation.Read(t.Context(), tree, []byte(text))
	require.NoError(t, err)
	encoded, err := jsonv2.Marshal(value)
	require.NoError(t, err)
	require.JSONEq(t, present, string(encoded))
	_, err = Design.Read(t.Context(), tree, []byte("summary: [\n"))
	require.ErrorContains(t, err, "no YAML")
	value, err = Test.Read(t.Context(), tree, []byte("evidence:\n  - test:TestA@sha256:0f\n"))
	require.NoError(t, err)
	encoded, err = jsonv2.Marshal(value)
	require.NoError(t, err)
	require.JSONEq(t, `{"evidence":[{"kind":"test","name":"TestA","result":"pass","report":"sha256:0f"}]}`,
		string(encoded))
}

func TestWhoMovesWhere(t *testing.T) {
	require.Equal(t, "tester", Mover("tested_pass"))
	require.Equal(t, "pm", Mover("done"))
	require.Equal(t, "pm", Mover("nonsense"))
	require.True(t, Fails("tested_fail"))
}

func TestWhatAnApprovalSends(t *testing.T) {
	alone, done := SignOff(guidance.View{}, "good")
	require.False(t, done)
	require.Equal(t, "good", alone.Approvals[0].Text)
	offered := guidance.View{Moves: []guidance.Move{{To: lifecycle.Done, Example: &guidance.Body{Status: lifecycle.Done,
		Justification: &lifecycle.Justification{Reason: "<why>"}}}}}
	body, done := SignOff(offered, "good")
	require.True(t, done)
	require.Equal(t, "good", body.Justification.Reason)
	_, err := Acceptance(guidance.View{ID: "R-1"}, "r")
	require.ErrorIs(t, err, fault.Conflict)
}

// TestWhatAChangedTextIsHeldAgainst: the text on which work began, or which a pm accepted last, under whatever id.
func TestWhatAChangedTextIsHeldAgainst(t *testing.T) {
	read := func(b *Basis, of string) {
		var log Log
		require.NoError(t, jsonv2.Unmarshal([]byte(`{"records":[`+of+`]}`), &log))
		for _, e := range log.Records {
			if b.Read(e) {
				return
			}
		}
	}
	const (
		refused  = `{"seq":30,"kind":"requirement.refused","data":{"change":{"accept_fingerprint":"x"}}},`
		noted    = `{"seq":29,"kind":"requirement.changed","data":{"change":{"pm_notes":[{"text":"n"}]}}},`
		accepted = `{"seq":20,"kind":"requirement.changed","data":{"change":{"accept_fingerprint":"b"}}},`
		written  = `{"seq":12,"kind":"requirement.changed","data":{"change":{"implementation":null}}},`
		moved    = `{"seq":10,"kind":"requirement.changed","data":{"change":{"status":"planned"}}},`
		first    = `{"seq":9,"kind":"requirement.changed","data":{"change":{"pm_notes":[]}}}`
	)
	var began, again, none Basis
	read(&began, refused+noted+written+moved+first)
	require.Equal(t, Basis{Record: 10}, began)
	read(&again, refused+noted+accepted+written+moved+first)
	require.Equal(t, Basis{Record: 20, Accepted: true}, again)
	read(&none, refused+noted+first)
	require.Zero(t, none)

	imports := []Entry{{Seq: 25, Data: defined("a/R", "4")}, {Seq: 21, Data: defined("a/R", "3")},
		{Seq: 15, Data: defined("R", "2")}, {Seq: 9, Data: defined("R", "1")}, {Seq: 2, Data: defined("Q", "0")}}
	former := []lifecycle.FormerID{{ID: "Q", Record: 5}, {ID: "R", Record: 18}}
	for at, want := range map[uint64]string{30: "4", 22: "3", 20: "2", 17: "2", 10: "1", 7: "0", 4: "0", 1: ""} {
		text := TextAt(at, "a/R", former)
		for _, e := range imports {
			if text.Read(e) {
				break
			}
		}
		got, found := text.Found()
		require.Equal(t, want, got.Fingerprint, at)
		require.Equal(t, want != "", found, at)
	}
}

func defined(id, fingerprint string) EntryData {
	return EntryData{Defined: []lifecycle.Definition{{ID: "other"}, {ID: id, Fingerprint: fingerprint}}}
}

func TestTheDifferenceOfTexts(t *testing.T) {
	before := lifecycle.Definition{ID: "R-1", Title: "log out", Fingerprint: "a"}
	now := lifecycle.Definition{ID: "R-1", Title: "log out everywhere", Fingerprint: "b"}
	edits, whole := Difference(before, now)
	require.True(t, whole)
	var added []string
	for _, e := range edits {
		if e.Inserts() {
			added = append(added, e.Text)
		}
	}
	require.Contains(t, strings.Join(added, " "), "everywhere")
	edits, whole = Difference(now, now)
	require.Empty(t, edits)
	require.True(t, whole)
	before.Title = strings.Repeat("gone ", 1000)
	_, whole = Difference(before, now)
	require.False(t, whole)
	before.Title = strings.Repeat("word ", 1000) + "end"
	now.Title = strings.Repeat("word other ", 1000)
	_, whole = Difference(now, before)
	require.False(t, whole)
}

// A report is attached for a move that is open to whoever asks, and that lacks nothing of others.
func TestWhichMoveWaitsForAReport(t *testing.T) {
	v := guidance.View{ReportRequest: "POST", Actor: lifecycle.Actor{Role: lifecycle.Tester},
		Moves: []guidance.Move{{To: lifecycle.TestedPass, Lacks: []guidance.Lack{{Lack: lifecycle.Lack{By: lifecycle.Tester}}}},
			{To: lifecycle.Done, Lacks: []guidance.Lack{{Lack: lifecycle.Lack{By: lifecycle.PM}}}}}}
	require.True(t, AwaitsReport(v, "tested_pass"))
	require.False(t, AwaitsReport(v, "done"))
	require.False(t, AwaitsReport(v, "planned"))
	v.ReportRequest = ""
	require.False(t, AwaitsReport(v, "tested_pass"))
}

// A piece of evidence is the one of the record with its name; one with another name is of the same report.
func TestEvidenceOfAReportThatWasAttached(t *testing.T) {
	typed := lifecycle.Evidence{Kind: "test", Name: "b", Result: "fail", Report: "r.xml"}
	require.Equal(t, typed, Standing(nil, typed))
	require.Equal(t, typed, Standing(&lifecycle.TestRecord{}, typed))
	record := &lifecycle.TestRecord{Evidence: []lifecycle.Evidence{{Kind: "test", Name: "a", Report: "sha256:0f"},
		{Kind: "test", Name: "b", Result: "pass", Report: "sha256:0f", Found: &lifecycle.Found{Commit: "c"}}}}
	require.Equal(t, lifecycle.Evidence{Kind: "test", Name: "b", Result: "pass", Report: "sha256:0f"}, Standing(record, typed))
	typed.Name = "c"
	require.Equal(t, lifecycle.Evidence{Kind: "test", Name: "c", Result: "fail", Report: "sha256:0f"}, Standing(record, typed))
}

func TestWhatIsReopened(t *testing.T) {
	offers := guidance.View{Moves: []guidance.Move{{To: lifecycle.Planned}, {To: lifecycle.NeedsChanges}}}
	aside := lifecycle.Requirement{Status: lifecycle.Blocked, HeldFrom: lifecycle.Planned}
	to, err := Reopening(offers, aside)
	require.NoError(t, err)
	require.Equal(t, "planned", to)
	to, err = Reopening(offers, lifecycle.Requirement{Status: lifecycle.Done})
	require.NoError(t, err)
	require.Equal(t, "needs_changes", to)
	_, err = Reopening(offers, lifecycle.Requirement{Status: lifecycle.NeedsChanges})
	require.ErrorContains(t, err, "nothing leads back")
	_, err = Reopening(guidance.View{}, aside)
	require.ErrorIs(t, err, fault.Conflict)
}

func TestWhatIsPutAsideCites(t *testing.T) {
	offered := []lifecycle.Evidence{{Kind: "commit", Commit: "1"}}
	v := guidance.View{Moves: []guidance.Move{{To: lifecycle.Deferred,
		Example: &guidance.Body{Justification: &lifecycle.Justification{Evidence: offered}}}}}
	require.Equal(t, offered, Aside(v, Deferred, "r", nil).Justification.Evidence)
	given := []lifecycle.Evidence{{Kind: "commit", Commit: "2"}}
	require.Equal(t, given, Aside(v, Deferred, "r", given).Justification.Evidence)
	require.Empty(t, Aside(v, Blocked, "r", nil).Justification.Evidence)
}

// What is there already is edited without what the service found of it.
func TestWhatIsThereIsEditedAsItWasSent(t *testing.T) {
	found := []lifecycle.Evidence{{Kind: "test", Name: "a", Result: "pass", Found: &lifecycle.Found{Commit: "c"}}}
	req := lifecycle.Requirement{Test: &lifecycle.TestRecord{Evidence: found}}
	present, err := Test.Present(req)
	require.NoError(t, err)
	require.NotContains(t, string(present), "found")
	require.NotNil(t, req.Test.Evidence[0].Found, "the requirement itself is left as it is")
	require.Equal(t, "summary: s\ndecisions:\n  - d\n", Plain([]byte(`{"decisions":["d"],"summary":"s"}`)))
	require.Empty(t, Plain(nil))
	require.Equal(t, "{", Plain([]byte("{")))
}

func TestEvidenceInFlags(t *testing.T) {
	tree, _ := repository(t)
	plan, words := "by hand", []string{"test:TestA=fail@r.xml"}
	typed := Typed{Texts: map[string]*string{"plan": &plan}, Lists: map[string]*[]string{"evidence": &words}}
	value, err := Test.Flags(t.Context(), tree, typed)
	require.NoError(t, err)
	encoded, err := jsonv2.Marshal(value)
	require.NoError(t, err)
	require.JSONEq(t, `{"plan":"by hand","evidence":[{"kind":"test","name":"TestA","result":"fail","report":"src/r.xml"}]}`,
		string(encoded))
	words = []string{"nonsense"}
	_, err = Test.Flags(t.Context(), tree, typed)
	require.ErrorContains(t, err, "no evidence")
	plan = "see <what is tested, and how>"
	words = nil
	_, err = Test.Flags(t.Context(), tree, typed)
	require.ErrorContains(t, err, "of the template")
}

// A path through a link is that of what it leads to, so that it is in the repository as git has it.
func TestAPathThroughALink(t *testing.T) {
	tree, _ := repository(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(tree.folder, link))
	path, err := tree.Path(filepath.Join(link, "a.go"))
	require.NoError(t, err)
	require.Equal(t, "src/a.go", path)
}

func TestRequests(t *testing.T) {
	const good = `{"status":"planned","justification":{"reason":"r","evidence":[{"kind":"commit","commit":"1"}]}}`
	got, err := Request([]byte(good))
	require.NoError(t, err)
	require.Equal(t, good, string(got))
	for text, want := range map[string]string{
		"": "nothing in it", " \n": "nothing in it", "{": "no JSON", "[]": "no JSON object", "null": "no JSON object",
		`{"a":1,"a":2}`: "no JSON", `{"justification":{"reason":"<why>"}}`: "<why> of the example",
		`{"design_spec":{"risks":["<a sentence>"]}}`: "<a sentence>",
	} {
		_, err := Request([]byte(text))
		require.ErrorContains(t, err, want, text)
		require.True(t, fault.Is(err, fault.CodeUsage), text)
		require.NotEmpty(t, fault.As(err).Fix, text)
		require.NotContains(t, err.Error(), "jsontext")
	}
}
