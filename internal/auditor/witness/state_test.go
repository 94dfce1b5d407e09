package witness

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func TestOneWitnessForAState(t *testing.T) {
	o := options(t.TempDir())
	begin(t, o)
	_, err := Open(o)
	requireCode(t, err, "witness_locked")
	o.State = filepath.Join(t.TempDir(), "none", "witness.json")
	_, err = Open(o)
	requireCode(t, err, "witness_folder")
}

// A witness that lost its state but not its key would cosign what contradicts what it cosigned.
func TestAKeyWithoutItsState(t *testing.T) {
	o, f := options(t.TempDir()), newFake(t, 5)
	w := begin(t, o)
	look(t, w, f, noon)
	w.Close()
	require.NoError(t, os.Rename(o.State, o.State+".away"))
	_, err := Open(o)
	requireCode(t, err, "witness_state_missing")
	require.NoFileExists(t, o.State)
	require.NoError(t, os.Rename(o.State+".away", o.State))

	// The other way round there is nothing to contradict: the state goes on with another key.
	old, err := os.ReadFile(o.Key)
	require.NoError(t, err)
	require.NoError(t, os.Remove(o.Key))
	w = begin(t, o)
	require.True(t, w.Made)
	require.Equal(t, w.Key(), onDisk(t, w).Witness)
	require.Len(t, onDisk(t, w).Logs, 1)
	w.Close()

	require.NoError(t, os.WriteFile(o.Key, old, 0o600))
	o.Name = "another"
	_, err = Open(o)
	requireCode(t, err, "witness_name")
	for _, bad := range []string{"", "nonsense", f.signer.Key} {
		require.NoError(t, os.WriteFile(o.Key, []byte(bad), 0o600))
		_, err = Open(o)
		requireCode(t, err, "witness_key")
	}
	require.NoError(t, os.Remove(o.Key))
	o.Name = "no name"
	_, err = Open(o)
	requireCode(t, err, "witness_key")
	require.NoFileExists(t, o.Key)
	o.Name = ""
	require.Regexp(t, `^witness/[a-z0-9]{16}\+`, begin(t, o).Key())
}

func TestDamagedStatesAreRefused(t *testing.T) {
	o, f := options(t.TempDir()), newFake(t, 5)
	w := begin(t, o)
	look(t, w, f, noon)
	other := &fake{signer: signer(t, "example.org/a", "a"), history: (&history{}).grow("a", 3)}
	_, err := w.Look(t.Context(), "http://other", other, noon)
	require.NoError(t, err)
	w.Close()
	raw, err := os.ReadFile(o.State)
	require.NoError(t, err)
	good := string(raw)
	for name, change := range map[string][2]string{
		"cut":                     {good[len(good)/2:], ""},
		"another size":            {`"size": 5`, `"size": 4`},
		"another root":            {f.history.root(5).String(), f.history.root(4).String()},
		"another origin":          {`"origin": "example.org/shop"`, `"origin": "example.org/shep"`},
		"another key":             {`"key": "` + f.signer.Key, `"key": "` + other.signer.Key},
		"no key":                  {`"key": "` + f.signer.Key, `"key": "x`},
		"nothing in it":           {good, "{}"},
		"no alarms":               {`"alarms": []`, `"alarms": null`},
		"no time":                 {`"first_seen": "2026-03-04T12:00:00Z",`, ``},
		"an unknown member":       {`"witness":`, `"surprise":1, "witness":`},
		"an address twice":        {address, "http://other"},
		"a checkpoint of another": {`5\n`, `6\n`},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(good, change[0], change[1], 1)
			require.NotEqual(t, good, bad)
			require.NoError(t, os.WriteFile(o.State, []byte(bad), 0o600))
			_, err := Open(o)
			requireCode(t, err, "witness_state_damaged")
			kept, err := os.ReadFile(o.State)
			require.NoError(t, err)
			require.Equal(t, bad, string(kept), "it is left as it is")
		})
	}
	require.NoError(t, os.WriteFile(o.State, raw, 0o600))
	s, err := Read(o.State)
	require.NoError(t, err)
	s.Logs = append(s.Logs, s.Logs[0])
	twice, err := s.encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(o.State, twice, 0o600))
	_, err = Read(o.State)
	require.ErrorContains(t, err, "twice")
	_, err = Read(t.TempDir())
	requireCode(t, err, "witness_state_damaged")
	_, err = Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, fault.NotFound)
	requireCode(t, err, "witness_state_missing")
}

// The key could have cosigned what another state, or none, does not know of.
func TestAKeyBesideTheStateOfAnother(t *testing.T) {
	o, another := options(t.TempDir()), options(t.TempDir())
	begin(t, o).Close()
	w := begin(t, another)
	look(t, w, newFake(t, 5), noon)
	w.Close()
	own, err := os.ReadFile(o.State)
	require.NoError(t, err)
	foreign, err := os.ReadFile(another.State)
	require.NoError(t, err)
	for name, state := range map[string]string{
		"of another": string(foreign),
		"of none":    `{"witness":"","logs":[],"alarms":[]}`,
	} {
		require.NoError(t, os.WriteFile(o.State, []byte(state), 0o600))
		_, err := Open(o)
		requireCode(t, err, "witness_state_missing")
		require.ErrorContains(t, err, "is not of that witness", name)
		kept, err := os.ReadFile(o.State)
		require.NoError(t, err)
		require.Equal(t, state, string(kept), "it is left as it is")
	}
	require.NoError(t, os.WriteFile(o.State, own, 0o600))
	begin(t, o)
}

// A key that could not be written leaves a state from which another key can go on.
func TestAKeyThatCannotBeWritten(t *testing.T) {
	o := options(t.TempDir())
	o.Key = filepath.Join(t.TempDir(), "none", "witness.key")
	_, err := Open(o)
	requireCode(t, err, "witness_key")
	s, err := Read(o.State)
	require.NoError(t, err)
	require.NotEmpty(t, s.Witness, "the state names the key before the key is there")
	o.Key = filepath.Join(t.TempDir(), "witness.key")
	require.True(t, begin(t, o).Made)
}

func TestPipesAndLargeFilesAreRefused(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := Read(pipe)
	requireCode(t, err, "witness_state_damaged")
	require.ErrorContains(t, err, "not a regular file")

	o := options(t.TempDir())
	begin(t, o).Close()
	require.NoError(t, os.Remove(o.Key))
	require.NoError(t, syscall.Mkfifo(o.Key, 0o600))
	_, err = Open(o)
	requireCode(t, err, "witness_key")
	require.NoError(t, os.Remove(o.Key))
	require.NoError(t, os.WriteFile(o.Key, make([]byte, maxKey+1), 0o600))
	_, err = Open(o)
	requireCode(t, err, "witness_key")
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.ErrorContains(t, f.Cause(), "more than 1024 bytes")
}

func TestFileNames(t *testing.T) {
	require.Equal(t, "example.org%2Fshop", FileName("example.org/shop"))
	long := strings.Repeat("/", 255)
	require.Len(t, FileName(long), 100+2+64)
	require.NotEqual(t, FileName(long), FileName(long[1:]))
	require.NotEqual(t, FileName(FileName(long)), FileName(long))
	require.NotContains(t, FileName("../../etc"), "/")
}
