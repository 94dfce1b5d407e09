package witness

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/schemas"
)

func options(dir string) Options {
	return Options{State: filepath.Join(dir, "witness.json"), Key: filepath.Join(dir, "witness.key"), Name: "example.net/witness"}
}

func begin(t *testing.T, o Options) *Witness {
	t.Helper()
	w, err := Open(o)
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

func requireCode(t *testing.T, err error, code string) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, string(f.Code))
	require.NotEmpty(t, f.Fix)
}

// onDisk is the state as it is in the file, held against its schema.
func onDisk(t *testing.T, w *Witness) State {
	t.Helper()
	raw, err := os.ReadFile(w.path)
	require.NoError(t, err)
	var v any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	require.NoError(t, d.Decode(&v))
	require.Empty(t, schemas.Violations(schemas.Witness, v))
	s, err := Read(w.path)
	require.NoError(t, err)
	return s
}

func look(t *testing.T, w *Witness, s Server, now time.Time) Sighting {
	t.Helper()
	seen, err := w.Look(t.Context(), address, s, now)
	require.NoError(t, err)
	return seen
}

// alarmed requires that a look raises an alarm, which is kept, and that what was kept of the logs stays.
func alarmed(t *testing.T, w *Witness, url string, s Server) *AlarmError {
	t.Helper()
	before := onDisk(t, w).Logs
	_, err := w.Look(t.Context(), url, s, noon.Add(time.Hour))
	var a *AlarmError
	require.ErrorAs(t, err, &a)
	require.NoError(t, a.Unsaved)
	after := onDisk(t, w)
	require.Equal(t, before, after.Logs)
	require.Contains(t, after.Alarms, a.Alarm)
	text, err := os.ReadFile(a.File)
	require.NoError(t, err)
	require.Equal(t, a.Alarm.Text(), string(text))
	return a
}

func TestALogIsWatched(t *testing.T) {
	o, f := options(t.TempDir()), newFake(t, 5)
	w := begin(t, o)
	require.True(t, w.Made)
	require.Equal(t, State{w.Key(), []Log{}, []Alarm{}}, onDisk(t, w))
	for _, path := range []string{o.State, o.Key} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm())
	}

	seen := look(t, w, f, noon)
	require.Equal(t, Sighting{address, "example.org/shop", 5, 0, true, noon, seen.Checkpoint}, seen)
	require.Equal(t, []string{"/audit/checkpoint", "/audit/key"}, f.asked)
	c, by, err := audit.OpenCosigned([]byte(seen.Checkpoint), f.signer.Key, []string{w.Key()})
	require.NoError(t, err)
	require.EqualValues(t, 5, c.Size)
	require.Equal(t, []audit.Cosignature{{Key: w.Key(), At: noon}}, by)

	f.history.grow("shop", 3)
	f.asked = nil
	seen = look(t, w, f, noon.Add(time.Minute))
	require.EqualValues(t, 3, seen.GrownBy)
	require.False(t, seen.First)
	require.Equal(t, []string{"/audit/checkpoint", "/audit/proof/consistency?old=5&new=8"}, f.asked)

	f.asked = nil
	seen = look(t, w, f, noon.Add(2*time.Minute))
	require.Zero(t, seen.GrownBy)
	require.Equal(t, []string{"/audit/checkpoint"}, f.asked)
	require.Equal(t, Log{
		"example.org/shop", f.signer.Key, []string{address}, seen.Checkpoint, 8, f.history.root(8), noon, noon.Add(2 * time.Minute),
	}, onDisk(t, w).Logs[0])

	newest, ok := onDisk(t, w).Newest(f.signer.Key)
	require.True(t, ok)
	require.Equal(t, seen.Checkpoint, newest)
	_, ok = onDisk(t, w).Newest("another")
	require.False(t, ok)

	w.Close()
	w = begin(t, o)
	require.False(t, w.Made)
	f.history.grow("shop", 1)
	require.EqualValues(t, 1, look(t, w, f, noon.Add(3*time.Minute)).GrownBy, "it remembers")
}

// A cosignature says that no larger log was seen at its time; with a clock set back it could say two things at once.
func TestClockThatGoesBack(t *testing.T) {
	w, f := begin(t, options(t.TempDir())), newFake(t, 5)
	look(t, w, f, noon)
	f.history.grow("shop", 1)
	require.Equal(t, noon, look(t, w, f, noon.Add(-time.Hour)).At)
}

// A server that comes back as another: with another key, as another log, or both, and an empty or an honest log. A client
// of another log once filed its state under the identity that the server claimed, found none, and began anew.
func TestAServerThatChangesItsIdentity(t *testing.T) {
	for name, c := range map[string]struct {
		origin, seed string
		records      int
		reason       string
	}{
		"another key, an empty log":         {"example.org/shop", "b", 0, WrongKey},
		"another key, the same log":         {"example.org/shop", "b", 5, WrongKey},
		"another key, the log grown":        {"example.org/shop", "b", 9, WrongKey},
		"another origin, an empty log":      {"example.org/other", "a", 0, WrongOrigin},
		"another origin, the same log":      {"example.org/other", "a", 5, WrongOrigin},
		"another origin and key, the same":  {"example.org/other", "b", 5, WrongOrigin},
		"another origin and key, shortened": {"example.org/other", "b", 2, WrongOrigin},
	} {
		t.Run(name, func(t *testing.T) {
			w, f := begin(t, options(t.TempDir())), newFake(t, 5)
			kept := look(t, w, f, noon)
			restarted := &fake{signer: signer(t, c.origin, c.seed), history: (&history{}).grow("shop", c.records)}
			for range 2 { // the second time as the first
				a := alarmed(t, w, address, restarted).Alarm
				require.Equal(t, c.reason, a.Reason)
				require.Equal(t, kept.Checkpoint, a.Kept)
				require.Equal(t, f.signer.Key, a.Key)
				require.Equal(t, restarted.signer.Key, a.PresentedKey)
				_, err := audit.OpenCheckpoint([]byte(a.Presented), a.PresentedKey)
				require.NoError(t, err)
			}
			require.Len(t, w.Alarms(), 1)
			require.Len(t, onDisk(t, w).Logs, 1, "never a new entry")
			f.history.grow("shop", 2)
			require.EqualValues(t, 2, look(t, w, f, noon.Add(2*time.Hour)).GrownBy, "the log itself is still known")
			require.Len(t, onDisk(t, w).Alarms, 1, "and the alarm stays")
		})
	}
}

// outsider reads an alarm file with nothing but a library for notes, and returns the two checkpoints it has.
func outsider(t *testing.T, file string) (kept, presented audit.Checkpoint, hashes tlog.TreeProof) {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	text := string(raw)
	_, key, _ := strings.Cut(text, "The key of the log:\n")
	key, _, _ = strings.Cut(key, "\n")
	verifier, err := note.NewVerifier(key)
	require.NoError(t, err)
	between := func(from, to string) audit.Checkpoint {
		_, found, ok := strings.Cut(text, "===== "+from+" =====\n")
		require.True(t, ok)
		found, _, ok = strings.Cut(found, "===== "+to+" =====\n")
		require.True(t, ok)
		n, err := note.Open([]byte(found), note.VerifierList(verifier))
		require.NoError(t, err)
		c, err := audit.ParseText(n.Text)
		require.NoError(t, err)
		return c
	}
	if _, proof, ok := strings.Cut(text, "What the server gave as the proof from "); ok {
		for line := range strings.Lines(strings.SplitN(proof, "\n", 2)[1]) {
			h, err := tlog.ParseHash(strings.TrimSpace(line))
			require.NoError(t, err)
			hashes = append(hashes, h)
		}
	}
	return between("the checkpoint accepted before", "the checkpoint presented"), between("the checkpoint presented", "end"), hashes
}

func TestForksAreProvedByTheAlarmAlone(t *testing.T) {
	w, f := begin(t, options(t.TempDir())), newFake(t, 10)
	honest := f.history
	look(t, w, f, noon)

	f.history = honest.fork(9).grow("other", 1)
	a := alarmed(t, w, address, f)
	kept, presented, _ := outsider(t, a.File)
	require.Equal(t, Fork, a.Alarm.Reason)
	require.Equal(t, kept.Size, presented.Size)
	require.NotEqual(t, kept.Root, presented.Root)

	f.history = honest.fork(7)
	a = alarmed(t, w, address, f)
	kept, presented, _ = outsider(t, a.File)
	require.Equal(t, Rollback, a.Alarm.Reason)
	require.Greater(t, kept.Size, presented.Size)

	f.history = honest.fork(7).grow("other", 6)
	a = alarmed(t, w, address, f)
	kept, presented, proof := outsider(t, a.File)
	require.Equal(t, Inconsistent, a.Alarm.Reason)
	require.NotEmpty(t, proof)
	require.Error(t, tlog.CheckTree(proof, int64(presented.Size), presented.Root, int64(kept.Size), kept.Root))
	require.NoError(t, tlog.CheckTree(proof, int64(presented.Size), presented.Root, int64(kept.Size), f.history.root(10)), "it is the proof of the fork")

	f.history = honest
	f.history.grow("shop", 2)
	look(t, w, f, noon.Add(time.Hour))
	require.Len(t, onDisk(t, w).Alarms, 3)
}

func TestProofsThatDoNotShowIt(t *testing.T) {
	for name, tamper := range map[string]func(*audit.Consistency){
		"the middle":  func(p *audit.Consistency) { p.Hashes[len(p.Hashes)/2][5] ^= 1 },
		"one dropped": func(p *audit.Consistency) { p.Hashes = p.Hashes[1:] },
		"one more":    func(p *audit.Consistency) { p.Hashes = append(p.Hashes, audit.Hash{}) },
		"none":        func(p *audit.Consistency) { p.Hashes = []audit.Hash{} },
		"other sizes": func(p *audit.Consistency) { p.New-- },
	} {
		t.Run(name, func(t *testing.T) {
			w, f := begin(t, options(t.TempDir())), newFake(t, 11)
			look(t, w, f, noon)
			f.history.grow("shop", 11)
			f.tamper = tamper
			require.Equal(t, Inconsistent, alarmed(t, w, address, f).Alarm.Reason)
			f.tamper = nil
			require.EqualValues(t, 11, look(t, w, f, noon).GrownBy)
		})
	}
	w, f := begin(t, options(t.TempDir())), newFake(t, 11)
	look(t, w, f, noon)
	f.history.grow("shop", 11)
	for _, kind := range []fault.Kind{fault.NotFound, fault.Malformed, fault.Invalid, fault.Conflict} {
		f.refusal = fault.New(kind, "no", "no proof")
		require.Equal(t, Inconsistent, alarmed(t, w, address, f).Alarm.Reason)
	}
	for _, kind := range []fault.Kind{fault.Unavailable, fault.Unauthenticated, fault.RateLimited, fault.Internal} {
		f.refusal = fault.New(kind, "no", "not now")
		before := onDisk(t, w)
		_, err := w.Look(t.Context(), address, f, noon)
		require.ErrorIs(t, err, kind, "nothing is known")
		require.Equal(t, before, onDisk(t, w))
	}
}

// An alarm that repeats itself, with ever other checkpoints, is kept once, and its file is written again where it is gone.
func TestRepeatedAlarms(t *testing.T) {
	w, f := begin(t, options(t.TempDir())), newFake(t, 10)
	look(t, w, f, noon)
	f.history = f.history.fork(8)
	first := alarmed(t, w, address, f)
	require.NoError(t, os.Remove(first.File))
	f.history.grow("other", 1)
	require.Equal(t, first, alarmed(t, w, address, f))
	require.Len(t, onDisk(t, w).Alarms, 1)
	f.history.grow("other", 1)
	require.Equal(t, Fork, alarmed(t, w, address, f).Alarm.Reason, "what is worse is kept as well")
	require.Len(t, onDisk(t, w).Alarms, 2)
	require.Equal(t, "http://mirror", alarmed(t, w, "http://mirror", f).Alarm.URL, "and so is what another address shows")
	require.Len(t, onDisk(t, w).Alarms, 3)

	f.history = (&history{}).grow("shop", 12)
	look(t, w, f, noon)
	f.history = f.history.fork(8)
	require.NotEqual(t, first.File, alarmed(t, w, address, f).File, "and what contradicts a later checkpoint")
	require.Len(t, onDisk(t, w).Alarms, 4)
}

func TestTwoAddressesOfOneLog(t *testing.T) {
	w, f := begin(t, options(t.TempDir())), newFake(t, 5)
	look(t, w, f, noon)
	mirror := &fake{signer: f.signer, history: f.history.fork(5).grow("shop", 2)}
	seen, err := w.Look(t.Context(), "http://mirror", mirror, noon)
	require.NoError(t, err)
	require.False(t, seen.First)
	require.EqualValues(t, 2, seen.GrownBy)
	require.Equal(t, []string{address, "http://mirror"}, onDisk(t, w).Logs[0].URLs)

	forked := &fake{signer: f.signer, history: f.history.fork(5).grow("other", 2)}
	require.Equal(t, Fork, alarmed(t, w, "http://third", forked).Alarm.Reason, "even when it is new")
	impostor := &fake{signer: signer(t, "example.org/shop", "b"), history: f.history}
	impostor.history.grow("shop", 5)
	require.Equal(t, WrongKey, alarmed(t, w, "http://fourth", impostor).Alarm.Reason, "one origin has one key")

	other := &fake{signer: signer(t, "example.org/a", "a"), history: (&history{}).grow("a", 3)}
	seen, err = w.Look(t.Context(), "http://other", other, noon)
	require.NoError(t, err)
	require.True(t, seen.First)
	require.Len(t, onDisk(t, w).Logs, 2)
	require.Equal(t, "example.org/a", onDisk(t, w).Logs[0].Origin)
}

func TestKeysOnTrust(t *testing.T) {
	dir, f := t.TempDir(), newFake(t, 5)
	o, other := options(dir), signer(t, "example.org/other", "a")
	o.Trust = []string{other.Key, f.signer.Key}
	w := begin(t, o)
	look(t, w, f, noon)
	require.Equal(t, []string{"/audit/checkpoint"}, f.asked, "the server is not asked for its key")
	stranger := &fake{signer: signer(t, "example.org/other", "b"), history: (&history{}).grow("x", 2)}
	require.Equal(t, WrongKey, alarmed(t, w, "http://stranger", stranger).Alarm.Reason)
	unknown := &fake{signer: signer(t, "example.org/third", "b"), history: (&history{}).grow("x", 2)}
	a := alarmed(t, w, "http://unknown", unknown).Alarm
	require.Equal(t, WrongOrigin, a.Reason)
	require.Empty(t, a.Kept)
	w.Close()

	o.Trust = []string{signer(t, "example.org/fourth", "a").Key}
	w = begin(t, o)
	require.Equal(t, o.Trust[0], alarmed(t, w, "http://unknown", unknown).Alarm.Key, "another key was wanted now")
	w.Close()
	o.Trust = []string{other.Key}
	w = begin(t, o)
	_, err := w.Look(t.Context(), address, f, noon)
	requireCode(t, err, "witness_key_pinned")
	w.Close()
	o.Trust = []string{signer(t, "example.org/shop", "b").Key}
	_, err = Open(o)
	requireCode(t, err, "witness_key_pinned")
	o.Trust = []string{"nonsense"}
	_, err = Open(o)
	requireCode(t, err, "usage")
}

func TestWhatIsNoAnswer(t *testing.T) {
	w, f := begin(t, options(t.TempDir())), newFake(t, 5)
	stranger := signer(t, "example.org/shop", "b")
	empty := onDisk(t, w)
	f.note = f.history.checkpoint(stranger)
	_, err := w.Look(t.Context(), address, f, noon)
	require.ErrorContains(t, err, "not of the key that the server names")
	f.note = []byte("welcome")
	_, err = w.Look(t.Context(), address, f, noon)
	require.ErrorIs(t, err, errNoCheckpoint)
	require.Equal(t, empty, onDisk(t, w), "nothing is known before a first checkpoint that holds")

	f.note = nil
	look(t, w, f, noon)
	before := onDisk(t, w)
	f.note = []byte("welcome\n\n")
	_, err = w.Look(t.Context(), address, f, noon)
	require.ErrorIs(t, err, errNoCheckpoint)
	f.note, f.down = nil, errors.New("gone")
	_, err = w.Look(t.Context(), address, f, noon)
	require.ErrorIs(t, err, f.down)
	require.Equal(t, before, onDisk(t, w))

	full := string(f.history.checkpoint(f.signer)) + strings.Repeat("— w AAAAAAAA\n", 98)
	for i := range 98 {
		full = strings.Replace(full, "— w AAAAAAAA\n", "— w"+strings.Repeat("w", i)+" AAAAAAAB\n", 1)
	}
	f.down, f.note = nil, []byte(full)
	look(t, w, f, noon)
	f.note = []byte(full + "— z AAAAAAAA\n")
	_, err = w.Look(t.Context(), address, f, noon)
	require.ErrorContains(t, err, "signatures already", "nor is what nobody could read kept")
	onDisk(t, w)
}

// Verifies: ORC-105
func TestNothingIsGivenOutThatIsNotKept(t *testing.T) {
	o, f := options(t.TempDir()), newFake(t, 5)
	w := begin(t, o)
	look(t, w, f, noon)
	f.history.grow("shop", 1)
	good, err := os.ReadFile(o.State)
	require.NoError(t, err)
	require.NoError(t, os.Remove(o.State))
	require.NoError(t, os.Mkdir(o.State, 0o700)) // no file can be put in its place
	seen, err := w.Look(t.Context(), address, f, noon)
	requireCode(t, err, "witness_state_unwritten")
	require.Empty(t, seen)
	honest := f.history
	f.history = honest.fork(3)
	_, err = w.Look(t.Context(), address, f, noon)
	var a *AlarmError
	require.ErrorAs(t, err, &a)
	requireCode(t, a.Unsaved, "witness_state_unwritten")

	require.NoError(t, os.Remove(o.State))
	require.NoError(t, os.WriteFile(o.State, good, 0o600))
	f.history = honest
	require.EqualValues(t, 1, look(t, w, f, noon).GrownBy, "it went on from what is kept")

	// A crash after the state was written and before anybody saw the checkpoint: the next one is of the same log.
	f.history.grow("shop", 1)
	lost := look(t, w, f, noon.Add(time.Second))
	w.Close()
	w = begin(t, o)
	again := look(t, w, f, noon.Add(2*time.Second))
	require.Equal(t, lost.Size, again.Size)
	f.history = honest.fork(6).grow("other", 1)
	require.Equal(t, Fork, alarmed(t, w, address, f).Alarm.Reason, "and holds the log to what nobody saw")
}
