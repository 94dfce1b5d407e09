package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func made(t *testing.T) Dir {
	t.Helper()
	d := In(t.TempDir())
	first, err := d.Make(boundary.DefaultPolicy())
	require.NoError(t, err)
	require.True(t, first)
	return d
}

func line(id string, at time.Time) Line {
	return Line{ID: id, At: at, Kind: KindDecision, Verdict: &boundary.Verdict{
		Decision: boundary.Allow, Would: boundary.Allow, Rule: "x", Class: boundary.Reads}}
}

// read returns the ids of all lines in order, and how many cannot be read.
func read(t *testing.T, d Dir) (ids []string, malformed int) {
	t.Helper()
	require.NoError(t, d.Read(func(l Line, err error) error {
		if err != nil {
			malformed++
		} else {
			ids = append(ids, l.ID)
		}
		return nil
	}))
	return ids, malformed
}

func TestMakeKeepsWhatIsThere(t *testing.T) {
	d := made(t)
	p, err := d.Policy()
	require.NoError(t, err)
	require.Equal(t, boundary.DefaultPolicy(), p)
	p.Mode = boundary.Enforce
	require.NoError(t, d.WritePolicy(p))
	first, err := d.Make(boundary.DefaultPolicy())
	require.NoError(t, err)
	require.False(t, first)
	again, err := d.Policy()
	require.NoError(t, err)
	require.Equal(t, p, again)
	info, err := os.Stat(filepath.Join(d.Path(), "policy.json"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
}

// The mark is there before an enforcing policy is, and goes after it.
func TestTheMarkFollowsTheMode(t *testing.T) {
	d := made(t)
	require.False(t, d.IsMarked())
	p := boundary.DefaultPolicy()
	p.Mode = boundary.Enforce
	require.NoError(t, d.WritePolicy(p))
	require.True(t, d.IsMarked())
	p.Mode = "on"
	require.Error(t, d.WritePolicy(p), "a policy that is not valid is not written")
	require.True(t, d.IsMarked())
	p.Mode = boundary.Off
	require.NoError(t, d.WritePolicy(p))
	require.False(t, d.IsMarked())
	require.NoError(t, os.Symlink("/nowhere", filepath.Join(d.Path(), "enforcing")))
	require.True(t, d.IsMarked(), "whatever it is")
}

// Verifies: ORC-212
//
// The mark of confirm holds against a laxer policy that came back, and is one of enforce where in doubt.
func TestTheMarkSaysWhichMode(t *testing.T) {
	d := made(t)
	require.NoError(t, os.Mkdir(filepath.Join(d.Root, ".git"), 0o700))
	write := func(mode boundary.Mode) {
		p := boundary.DefaultPolicy()
		p.Mode = mode
		require.NoError(t, d.WritePolicy(p))
	}
	comesBack := func(mode boundary.Mode) boundary.Mode {
		raw := []byte(`{"schema_version":1,"mode":"` + string(mode) + `"}`)
		require.NoError(t, os.WriteFile(filepath.Join(d.Path(), "policy.json"), raw, 0o600))
		p, err := d.Policy()
		require.NoError(t, err)
		return p.Mode
	}
	write(boundary.Confirm)
	require.True(t, d.IsMarked())
	require.Equal(t, boundary.Confirm, comesBack(boundary.Validate))
	require.Equal(t, boundary.Enforce, comesBack(boundary.Enforce), "the stricter of the two")
	write(boundary.Enforce)
	require.Equal(t, boundary.Enforce, comesBack(boundary.Confirm), "the switch to enforce changes the mark")
	write(boundary.Confirm)
	require.Equal(t, boundary.Confirm, comesBack(boundary.Confirm), "and so does the one back")
	require.NoError(t, os.WriteFile(filepath.Join(d.Root, ".git", "orchestrator-enforcing"), []byte("?"), 0o600))
	require.Equal(t, boundary.Enforce, comesBack(boundary.Confirm), "one of two says something else")
	write(boundary.Validate)
	require.False(t, d.IsMarked())
	require.Equal(t, boundary.Validate, comesBack(boundary.Validate))
}

// A call that has read the policy before a rollback, and marks the project after it, does not undo the rollback.
// Verifies: ORC-061
func TestACallInFlightUndoesNoRollback(t *testing.T) {
	d := made(t)
	require.NoError(t, os.Mkdir(filepath.Join(d.Root, ".git"), 0o700))
	p := boundary.DefaultPolicy()
	for range 20 {
		p.Mode = boundary.Enforce
		require.NoError(t, d.WritePolicy(p))
		var calls sync.WaitGroup
		over := make(chan struct{})
		for range 4 {
			calls.Go(func() {
				for {
					if read, err := d.Policy(); err == nil && read.Mode.Blocks() {
						_ = d.Mark()
					}
					select {
					case <-over:
						_ = d.Mark() // the policy that it has read says enforce
						return
					default:
					}
				}
			})
		}
		p.Mode = boundary.Validate
		require.NoError(t, d.WritePolicy(p))
		close(over)
		calls.Wait()
		now, err := d.Policy()
		require.NoError(t, err)
		require.Equal(t, boundary.Validate, now.Mode)
		require.False(t, d.IsMarked())
	}
}

// What is missing of the marks comes back while the policy blocks, whichever of them is left.
func TestMissingMarksComeBack(t *testing.T) {
	d := made(t)
	require.NoError(t, os.Mkdir(filepath.Join(d.Root, ".git"), 0o700))
	p := boundary.DefaultPolicy()
	p.Mode = boundary.Confirm
	require.NoError(t, d.WritePolicy(p))
	for _, path := range d.marks() {
		require.NoError(t, os.Remove(path))
		require.NoError(t, d.Mark())
		require.True(t, saysMode(path, boundary.Confirm))
	}
	require.NoError(t, d.unmark())
	require.NoError(t, d.Mark(), "a policy that was written by hand")
	require.Empty(t, unmarked(d))
}

func TestFind(t *testing.T) {
	d := made(t)
	below := filepath.Join(d.Root, "a", "b")
	require.NoError(t, os.MkdirAll(below, 0o700))
	for _, from := range []string{d.Root, below, filepath.Join(below, "not", "there"), below + "/../.."} {
		found, ok := Find(from)
		require.True(t, ok, from)
		require.Equal(t, d, found)
	}
	for _, from := range []string{"/", filepath.Dir(d.Root), "", "a"} {
		_, ok := Find(from)
		require.False(t, ok, from)
	}
}

// TestNoFolderBelowLiftsAnEnforcingBoundary: a branch can bring a policy for a folder, since policies are shared.
func TestNoFolderBelowLiftsAnEnforcingBoundary(t *testing.T) {
	outer := made(t)
	inner := In(filepath.Join(outer.Root, "sub"))
	policy := boundary.DefaultPolicy()
	policy.Mode = boundary.Off
	_, err := inner.Make(policy)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(inner.Root, ".git"), 0o700))
	find := func() Dir {
		found, ok := Find(filepath.Join(inner.Root, "deep"))
		require.True(t, ok)
		return found
	}
	require.Equal(t, inner, find(), "nobody enforces: each project has its own")
	enforced, err := outer.Policy()
	require.NoError(t, err)
	enforced.Mode = boundary.Enforce
	require.NoError(t, outer.WritePolicy(enforced))
	require.Equal(t, outer, find())
	if os.Getuid() == 0 {
		require.NoError(t, os.Lchown(outer.markPath(), 12345, 12345))
		require.Equal(t, inner, find(), "a stranger's mark is none")
	}
}

func TestParsePolicy(t *testing.T) {
	p, err := ParsePolicy([]byte(`{"schema_version":1,"mode":"enforce","exempt_paths":[]}`))
	require.NoError(t, err)
	require.Empty(t, p.ExemptPaths)
	require.Equal(t, boundary.DefaultPolicy().BlockedTools, p.BlockedTools, "what is left out is as in the default")
	for text, code := range map[string]string{
		`{}`: "invalid_policy", `{"schema_version":1}`: "invalid_policy",
		`{"schema_version":1,"mode":"enforce","x":1}`: "", `{"schema_version":1,"mode":"enforce","mode":"off"}`: "",
		`{"schema_version":1,"mode":"enforce"} x`: "", ``: "", `null`: "", `[]`: "", `{"schema_version":1,"mode":"enforce","MODE":"off"}`: "",
	} {
		_, err := ParsePolicy([]byte(text))
		require.Error(t, err, text)
		var f *fault.Error
		if code != "" {
			require.True(t, errors.As(err, &f))
			require.Equal(t, code, string(f.Code), text)
		}
	}
}

func TestGrants(t *testing.T) {
	d := made(t)
	none, err := d.Grants()
	require.NoError(t, err)
	require.Empty(t, none)
	old := boundary.Grant{ID: "old", Since: noon.Add(-48 * time.Hour), Until: noon.Add(-47 * time.Hour)}
	require.NoError(t, d.AddGrant(old, noon.Add(-48*time.Hour)))
	var running sync.WaitGroup
	for i := range 10 {
		running.Go(func() {
			if err := d.AddGrant(boundary.Grant{ID: fmt.Sprint(i), Since: noon, Until: noon.Add(time.Hour)}, noon); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	all, err := d.Grants()
	require.NoError(t, err)
	require.Len(t, all, 10, "the old one is forgotten, none is lost")
	require.NoError(t, os.WriteFile(d.grantsPath(), []byte("{"), 0o600))
	_, err = d.Grants()
	require.ErrorContains(t, err, "none of them is in force")
	require.Error(t, d.AddGrant(old, noon), "what cannot be read is not overwritten")
}

func TestRotation(t *testing.T) {
	d := made(t)
	require.NoError(t, d.Append(line("a", noon)))
	require.NoError(t, os.Truncate(filepath.Join(d.journalPath(), "2026-01-02.jsonl"), MaxFile))
	require.NoError(t, d.Append(line("b", noon)))
	require.NoError(t, d.Append(line("c", noon.Add(24*time.Hour))))
	require.NoError(t, os.Mkdir(filepath.Join(d.journalPath(), "2026-01-04.jsonl"), 0o700))
	require.NoError(t, d.Append(line("d", noon.Add(48*time.Hour))), "what is no file is passed over")
	for n := 2; n < 12; n++ {
		require.NoError(t, os.WriteFile(filepath.Join(d.journalPath(), fileName("2026-01-03", n)), nil, 0o600))
	}
	for _, foreign := range []string{"x.jsonl", "2026-01-02.jsonl.gz", "2026-01-02.0.jsonl",
		"2026-01-02.01.jsonl", "2026-13-02.jsonl", "2026-01-02.x.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(d.journalPath(), foreign), []byte("x\n"), 0o600))
	}
	names, err := d.Files()
	require.NoError(t, err)
	require.Equal(t, []string{"2026-01-02.jsonl", "2026-01-02.1.jsonl", "2026-01-03.jsonl"}, names[:3])
	require.Equal(t, []string{"2026-01-03.9.jsonl", "2026-01-03.10.jsonl", "2026-01-03.11.jsonl",
		"2026-01-04.1.jsonl"}, names[len(names)-4:])
	ids, malformed := read(t, d)
	require.Equal(t, []string{"a", "b", "c", "d"}, ids)
	require.Zero(t, malformed, "what has no end is not a line yet")
}

func TestLinesThatCannotBeRead(t *testing.T) {
	d := made(t)
	require.NoError(t, d.Append(line("a", noon)))
	name := filepath.Join(d.journalPath(), "2026-01-02.jsonl")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("\n\nnonsense\n{}\n" + `{"id":"x","at":"2026-01-02T12:00:00Z"}` + "\n" + strings.Repeat("x", 3*MaxLine) + "\n" + `{"id":"torn","at":"2026-`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, d.Append(line("b", noon)))
	require.NoError(t, d.Append(line("c", noon)))
	ids, malformed := read(t, d)
	require.Equal(t, []string{"a", "b", "c"}, ids)
	require.Equal(t, 5, malformed)
}

// However much a call writes, its line has a bound, and says of the call what the rules need.
func TestLongLinesAreCut(t *testing.T) {
	d := made(t)
	long := line("a", noon)
	long.Verdict.Class, long.Shell = boundary.Writes, true
	for i := range 1000 {
		long.Named = append(long.Named, boundary.Target{Path: strings.Repeat("\x01é", 300) + fmt.Sprint(i)})
		long.Parts = append(long.Parts, boundary.Part{Words: []string{strings.Repeat("w", 500), "a", "b", "c", "d"}, Class: boundary.Writes, Targets: []boundary.Target{{Path: "b", Real: strings.Repeat("c", 500)}}, Why: strings.Repeat("y", 500)})
	}
	require.NoError(t, d.Append(long))
	var got Line
	require.NoError(t, d.Read(func(l Line, err error) error {
		got = l
		return err
	}))
	require.True(t, got.Cut)
	require.Len(t, got.Parts, 1)
	require.NotEmpty(t, got.Parts[0].Targets)
	require.True(t, got.Parts[0].Targets[0].Unknown, "what is cut off is not known")
	require.Equal(t, boundary.Writes, got.Parts[0].Class)
	size, err := d.Size("2026-01-02.jsonl")
	require.NoError(t, err)
	require.Less(t, size, int64(MaxLine))

	hopeless := line("a", noon)
	hopeless.Session = strings.Repeat("s", MaxLine)
	require.Error(t, d.Append(hopeless))
}

func TestAppendMakesTheFolder(t *testing.T) {
	d := In(t.TempDir())
	require.NoError(t, d.Append(line("a", noon)))
	ids, _ := read(t, d)
	require.Equal(t, []string{"a"}, ids)
	require.NoError(t, read2(In(t.TempDir())), "no journal is an empty one")
}

func read2(d Dir) error {
	return d.Read(func(Line, error) error { return errors.New("there is none") })
}

// FuzzParseLine: what can be read can be written, and reads as the same.
func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`{"id":"a","at":"2026-01-02T12:00:00Z","kind":"decision","verdict":{"decision":"block","would":"block","rule":"x","class":"writes"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := ParseLine(raw)
		if err != nil {
			return
		}
		again, err := encodeLine(l)
		if err != nil {
			return // too long even when it is cut
		}
		require.LessOrEqual(t, len(again), MaxLine)
		back, err := ParseLine(again[:len(again)-1])
		require.NoError(t, err)
		require.Equal(t, l.ID, back.ID)
		_ = back.Call()
	})
}
