package control_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/record"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/ledger/store/storetest"
)

// recordedIn are the boundary's records of a log, in order. The whole log is replayed as orchestrator verify does it.
func recordedIn(t *testing.T, s store.Store) (all []record.Recorded) {
	t.Helper()
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	_, err = replay.Verify(t.Context(), l, nil, nil)
	require.NoError(t, err)
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		for seq := range l.Head().Size {
			_, sealed, err := ledger.RecordAt(r, seq)
			if err != nil {
				return err
			}
			require.Empty(t, ledger.BlobOf(sealed), "a record has its lines in itself")
			raw, err := audit.Encode(sealed)
			require.NoError(t, err)
			require.LessOrEqual(t, len(raw), audit.MaxRecord)
			if sealed.Kind != record.KindRecorded {
				continue
			}
			data, err := ledger.DataOf[record.Recorded](r, sealed)
			if err != nil {
				return err
			}
			all = append(all, data)
		}
		return nil
	}))
	return all
}

// idsIn are the ids of all recorded lines, and how many others could not be read.
func idsIn(t *testing.T, all []record.Recorded) (ids []string, malformed int) {
	t.Helper()
	ids = []string{}
	for _, r := range all {
		malformed += r.Malformed
		for _, raw := range r.Lines {
			l, err := folder.ParseLine(raw)
			require.NoError(t, err)
			ids = append(ids, l.ID)
		}
	}
	return ids, malformed
}

// plain is a folder with a journal alone.
func plain(t *testing.T) folder.Dir { return folder.In(t.TempDir()) }

// Verifies: ORC-068
func TestEveryLineIsRecordedOnce(t *testing.T) {
	const count = 10_000
	dir, s := plain(t), store.NewMemory()
	r := control.NewRecorder(dir, boundarytest.OpenLedger(t, s))
	n, err := r.Record(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "there is no journal")
	want := make([]string, count)
	for i := range count {
		want[i] = boundarytest.ID(i)
		boundarytest.Add(t, dir, boundarytest.Noted(i, boundarytest.Day0.Add(time.Duration(i)*10*time.Second)))
		if i%997 == 0 {
			_, err := r.Record(t.Context())
			require.NoError(t, err)
		}
	}
	for range 3 {
		_, err = r.Record(t.Context())
		require.NoError(t, err)
	}
	names, err := dir.Files()
	require.NoError(t, err)
	require.Len(t, names, 2, "a day each")
	got, malformed := idsIn(t, recordedIn(t, s))
	require.Equal(t, want, got)
	require.Zero(t, malformed)
}

func TestAFileThatIsFullIsFollowedByTheNext(t *testing.T) {
	dir, s := plain(t), store.NewMemory()
	r := control.NewRecorder(dir, boundarytest.OpenLedger(t, s))
	var want []string
	for i := range folder.MaxFile/15_000 + 100 {
		l := boundarytest.Noted(i, boundarytest.Day0)
		l.Reason = strings.Repeat("x", 15_000)
		want = append(want, l.ID)
		boundarytest.Add(t, dir, l)
	}
	n, err := r.Record(t.Context())
	require.NoError(t, err)
	require.Equal(t, len(want), n)
	names, err := dir.Files()
	require.NoError(t, err)
	require.Equal(t, []string{"2026-01-01.jsonl", "2026-01-01.1.jsonl"}, names)
	got, _ := idsIn(t, recordedIn(t, s))
	require.Equal(t, want, got)
}

// The answer to a commit may be lost while it happened, or be true. Either way the next start goes on where the log is.
func TestACommitThatFailsLosesAndDoublesNothing(t *testing.T) {
	for name, f := range map[string]storetest.Fault{
		"failed":              {Apply: false, Err: errors.New("no space left")},
		"failed but happened": {Apply: true, Err: errors.New("timed out")},
	} {
		t.Run(name, func(t *testing.T) {
			memory := store.NewMemory()
			faulty, dir := storetest.NewFaulty(memory), plain(t)
			var want []string
			for round := range 5 {
				for range 700 { // more than one record takes
					want = append(want, boundarytest.ID(len(want)))
					boundarytest.Add(t, dir, boundarytest.Noted(len(want)-1, boundarytest.Day0))
				}
				r := control.NewRecorder(dir, boundarytest.OpenLedger(t, faulty)) // a new process
				if round < 4 {
					faulty.Next(f)
					_, err := r.Record(t.Context())
					require.ErrorIs(t, err, store.ErrCommit)
					continue
				}
				_, err := r.Record(t.Context())
				require.NoError(t, err)
			}
			got, _ := idsIn(t, recordedIn(t, memory))
			require.Equal(t, want, got)
		})
	}
}

func TestWhatIsWrongInAJournalIsCountedAndNeverFatal(t *testing.T) {
	dir, s := plain(t), store.NewMemory()
	r := control.NewRecorder(dir, boundarytest.OpenLedger(t, s))
	recordAll := func() {
		t.Helper()
		_, err := r.Record(t.Context())
		require.NoError(t, err)
	}
	const file = "2026-01-01.jsonl"
	boundarytest.Add(t, dir, boundarytest.Noted(1, boundarytest.Day0))
	for _, line := range []string{
		"{", "[]", "null", `"text"`, "\x00\xff", `{"id":"x"}`, `{"id":"","at":"2026-01-01T00:00:00Z","kind":"outcome"}`, `{"id":"x","at":"soon","kind":"outcome"}`,
		`{"id":"x","id":"y","at":"2026-01-01T00:00:00Z","kind":"outcome"}`, strings.Repeat("x", 100_000),
		`{"id":"` + strings.Repeat("\xff", 30_000) + `","at":"2026-01-01T00:00:00Z","kind":"outcome"}`,
	} {
		boundarytest.AppendRaw(t, dir, file, line+"\n")
	}
	boundarytest.AppendRaw(t, dir, file, "\n  \n\r\n") // nothing
	boundarytest.Add(t, dir, boundarytest.Noted(2, boundarytest.Day0))
	recordAll()
	torn := `{"id":"0000000000000003","at":"2026-01-01T00:00:00Z","ki`
	boundarytest.AppendRaw(t, dir, file, torn)
	recordAll()
	got, malformed := idsIn(t, recordedIn(t, s))
	require.Equal(t, []string{boundarytest.ID(1), boundarytest.ID(2)}, got)
	require.Equal(t, 11, malformed, "a line without its end is being written")

	boundarytest.Add(t, dir, boundarytest.Noted(4, boundarytest.Day0)) // the next hook ends it
	recordAll()
	got, malformed = idsIn(t, recordedIn(t, s))
	require.Equal(t, []string{boundarytest.ID(1), boundarytest.ID(2), boundarytest.ID(4)}, got)
	require.Equal(t, 12, malformed)
}

func TestALineThatIsEndedLaterIsRecordedWhole(t *testing.T) {
	dir, s := plain(t), store.NewMemory()
	r := control.NewRecorder(dir, boundarytest.OpenLedger(t, s))
	boundarytest.Add(t, dir, boundarytest.Noted(1, boundarytest.Day0))
	boundarytest.AppendRaw(t, dir, "2026-01-01.jsonl", `{"id":"0000000000000002","at":"2026-01-01T00:00:00Z",`)
	for range 3 {
		_, err := r.Record(t.Context())
		require.NoError(t, err)
	}
	boundarytest.AppendRaw(t, dir, "2026-01-01.jsonl", `"kind":"outcome"}`+"\n")
	n, err := r.Record(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	got, malformed := idsIn(t, recordedIn(t, s))
	require.Equal(t, []string{boundarytest.ID(1), boundarytest.ID(2)}, got)
	require.Zero(t, malformed)
}

// Whoever shortens a journal leaves a trace.
func TestAFileThatIsCutOrGoneIsOnRecord(t *testing.T) {
	dir, s := plain(t), store.NewMemory()
	r := control.NewRecorder(dir, boundarytest.OpenLedger(t, s))
	recordAll := func() {
		t.Helper()
		_, err := r.Record(t.Context())
		require.NoError(t, err)
	}
	for i := range 10 {
		boundarytest.Add(t, dir, boundarytest.Noted(i, boundarytest.Day0), boundarytest.Noted(100+i, boundarytest.Day0.Add(24*time.Hour)))
	}
	recordAll()
	require.Len(t, recordedIn(t, s), 2)
	cut, gone := filepath.Join(dir.Path(), "journal", "2026-01-01.jsonl"), filepath.Join(dir.Path(), "journal", "2026-01-02.jsonl")
	info, err := os.Stat(cut)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(cut, 0))
	require.NoError(t, os.Remove(gone))
	boundarytest.Add(t, dir, boundarytest.Noted(50, boundarytest.Day0))
	recordAll()
	recordAll()
	all := recordedIn(t, s)[2:]
	require.Len(t, all, 3)
	require.Equal(t, record.Recorded{File: "2026-01-01.jsonl", From: info.Size(), Cut: true, Lines: all[0].Lines}, all[0])
	require.Empty(t, all[0].Lines)
	require.Equal(t, int64(0), all[1].From)
	got, _ := idsIn(t, all)
	require.Equal(t, []string{boundarytest.ID(50)}, got)
	require.True(t, all[2].Gone)
	require.Equal(t, "2026-01-02.jsonl", all[2].File)

	boundarytest.Add(t, dir, boundarytest.Noted(51, boundarytest.Day0.Add(24*time.Hour))) // another one takes its place, and is shorter
	recordAll()
	got, _ = idsIn(t, recordedIn(t, s)[5:])
	require.Equal(t, []string{boundarytest.ID(51)}, got)
}

// A journal that is away for a moment is not recorded again when it is back.
func TestAJournalThatComesBackIsNotRecordedTwice(t *testing.T) {
	dir, s := plain(t), store.NewMemory()
	r := control.NewRecorder(dir, boundarytest.OpenLedger(t, s))
	recordAll := func() {
		t.Helper()
		_, err := r.Record(t.Context())
		require.NoError(t, err)
	}
	boundarytest.Add(t, dir, boundarytest.Noted(1, boundarytest.Day0), boundarytest.Noted(2, boundarytest.Day0))
	recordAll()
	journal := filepath.Join(dir.Path(), "journal")
	require.NoError(t, os.Rename(journal, journal+".away"))
	recordAll()
	recordAll()
	require.NoError(t, os.Rename(journal+".away", journal))
	recordAll()
	boundarytest.Add(t, dir, boundarytest.Noted(3, boundarytest.Day0))
	recordAll()
	all := recordedIn(t, s)
	require.Len(t, all, 3)
	require.True(t, all[1].Gone)
	got, _ := idsIn(t, all)
	require.Equal(t, []string{boundarytest.ID(1), boundarytest.ID(2), boundarytest.ID(3)}, got)
}

func TestTwoRecordersRecordEachLineOnce(t *testing.T) {
	dir, s := plain(t), store.NewMemory()
	l := boundarytest.OpenLedger(t, s)
	const count = 2000
	var running sync.WaitGroup
	var total [2]int
	ctx, stop := context.WithCancel(t.Context())
	for i := range total {
		running.Go(func() {
			for r := control.NewRecorder(dir, l); ctx.Err() == nil; {
				n, err := r.Record(context.WithoutCancel(ctx))
				if err != nil {
					t.Error(err)
					return
				}
				total[i] += n
			}
		})
	}
	for i := range count {
		boundarytest.Add(t, dir, boundarytest.Noted(i, boundarytest.Day0))
	}
	require.Eventually(t, func() bool {
		size, err := dir.Size("2026-01-01.jsonl")
		if err != nil {
			return false
		}
		positions, err := control.Positions(control.NewRecorder(dir, l), t.Context())
		return err == nil && positions["2026-01-01.jsonl"].Read == size
	}, time.Minute, 5*time.Millisecond)
	stop()
	running.Wait()
	got, _ := idsIn(t, recordedIn(t, s))
	require.Len(t, got, count)
	require.IsIncreasing(t, got)
	require.Equal(t, count, total[0]+total[1], "each counts what it recorded itself")
}

func TestWhatLooksLikeASecretIsMasked(t *testing.T) {
	key := "AK" + "IAIOSFODNN7EXAMPLE" // of the documentation, put together so that no scanner takes it for a leak
	dir, s := plain(t), store.NewMemory()
	l := boundarytest.Noted(1, boundarytest.Day0)
	l.Reason, l.Named = "with "+key, nil
	boundarytest.Add(t, dir, l, boundarytest.Noted(2, boundarytest.Day0))
	_, err := control.NewRecorder(dir, boundarytest.OpenLedger(t, s)).Record(t.Context())
	require.NoError(t, err)
	all := recordedIn(t, s)
	got, malformed := idsIn(t, all)
	require.Equal(t, []string{boundarytest.ID(1), boundarytest.ID(2)}, got)
	require.Zero(t, malformed)
	require.NotContains(t, fmt.Sprint(s.Dump()), key)
	require.Contains(t, string(all[0].Lines[0]), `"reason":"with `)
}

func TestWhatANewerProgramAddsIsPassedOver(t *testing.T) {
	dir, s := plain(t), store.NewMemory()
	boundarytest.Add(t, dir, boundarytest.Noted(1, boundarytest.Day0))
	boundarytest.AppendRaw(t, dir, "2026-01-01.jsonl", `{"id":"0000000000000002","at":"2026-01-01T00:00:00Z","kind":"weather","sun":true}`+"\n")
	n, err := control.NewRecorder(dir, boundarytest.OpenLedger(t, s)).Record(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Len(t, boundarytest.History(t, dir).Decisions, 0)
}

// recordingIn is set in a child process that records the journal of the folder it names, until it is killed.
const recordingIn = "CONTROL_TEST_RECORDING_IN"

func recordForEver() {
	root := os.Getenv(recordingIn)
	s, err := boltstore.Open(filepath.Join(root, "state.db"), boltstore.Options{})
	if err == nil {
		var l *ledger.Ledger
		if l, err = ledger.Open(context.Background(), s, time.Now); err == nil {
			for r := control.NewRecorder(folder.In(root), l); err == nil; {
				var n int
				if n, err = r.Record(context.Background()); err == nil {
					err = os.WriteFile(filepath.Join(root, "recording"), nil, 0o600)
				}
				if n > 0 && err == nil {
					err = os.WriteFile(filepath.Join(root, "recorded"), nil, 0o600)
				}
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A service is killed again and again while hooks write: nothing is lost, and nothing is there twice.
func TestAKilledServiceGoesOnWhereItsLogEnds(t *testing.T) {
	dir := plain(t)
	var want []string
	const rounds = 6
	for round := range rounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), recordingIn+"="+dir.Root)
		var said strings.Builder
		cmd.Stderr = &said
		recording := filepath.Join(dir.Root, "recording")
		_ = os.Remove(recording)
		require.NoError(t, cmd.Start())
		there := func(path string) {
			t.Helper()
			require.Eventually(t, func() bool { _, err := os.Stat(path); return err == nil }, time.Minute, time.Millisecond)
		}
		there(recording)
		for until := time.Now().Add(time.Duration(5+37*round) * time.Millisecond); time.Now().Before(until); {
			want = append(want, boundarytest.ID(len(want)))
			boundarytest.Add(t, dir, boundarytest.Noted(len(want)-1, boundarytest.Day0))
			time.Sleep(200 * time.Microsecond)
		}
		if round == rounds-1 {
			there(filepath.Join(dir.Root, "recorded")) // in this round or before: if it never did, the test shows nothing
		}
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		require.Empty(t, said.String(), "round "+strconv.Itoa(round))
	}
	s, err := boltstore.Open(filepath.Join(dir.Root, "state.db"), boltstore.Options{})
	require.NoError(t, err)
	l := boundarytest.OpenLedger(t, s)
	defer func() { require.NoError(t, l.Close()) }()
	before, _ := idsIn(t, recordedIn(t, s))
	require.NotEmpty(t, before)
	_, err = control.NewRecorder(dir, l).Record(t.Context())
	require.NoError(t, err)
	got, malformed := idsIn(t, recordedIn(t, s))
	require.Equal(t, want, got)
	require.Zero(t, malformed)
}
