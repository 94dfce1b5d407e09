package token

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

func requireFault(t *testing.T, err error, kind fault.Kind, code string) *fault.Error {
	t.Helper()
	require.ErrorIs(t, err, kind)
	f, ok := errors.AsType[*fault.Error](err)
	require.True(t, ok)
	require.Equal(t, code, string(f.Code))
	require.NotEmpty(t, f.Fix)
	return f
}

func requireMode(t *testing.T, want os.FileMode, path string) {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, want, info.Mode().Perm(), path)
}

// Verifies: ORC-050
func TestAddKeepsTheHashOnly(t *testing.T) {
	f := newFile(t)
	zone := time.FixedZone("", 3600)
	expires := noon.Add(time.Hour + time.Millisecond).In(zone)
	secret, made, err := f.Add("ann", "pm", expires, noon.In(zone))
	require.NoError(t, err)
	require.Regexp(t, `^orc_pm_[A-Z2-7]{26}$`, secret)
	require.Equal(t, Token{
		ID: made.SHA256[:12], Name: "ann", Role: "pm", SHA256: digest(secret),
		Created: noon, Expires: noon.Add(time.Hour),
	}, made)

	listed, err := f.List()
	require.NoError(t, err)
	require.Equal(t, []Token{made}, listed)
	requireMode(t, 0o600, f.Path())
	data, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	require.NotContains(t, string(data), secret)
	require.NotContains(t, string(data), strings.TrimPrefix(secret, "orc_pm_"))
}

func TestFileFormat(t *testing.T) {
	f := newFile(t)
	require.NoError(t, f.save([]Token{
		{ID: "1", Name: "ann", Role: "pm", SHA256: digest("a"), Created: noon},
		{ID: "2", Name: "bob", Role: "coder", SHA256: digest("b"), Created: noon, Expires: noon.Add(time.Hour)},
	}))
	data, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	require.Equal(t, `{
  "tokens": [
    {
      "id": "1",
      "name": "ann",
      "role": "pm",
      "sha256": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
      "created": "2026-03-01T12:00:00Z"
    },
    {
      "id": "2",
      "name": "bob",
      "role": "coder",
      "sha256": "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
      "created": "2026-03-01T12:00:00Z",
      "expires": "2026-03-01T13:00:00Z"
    }
  ]
}
`, string(data))
}

func TestAddRefuses(t *testing.T) {
	f := newFile(t)
	for _, c := range []struct {
		name, role, code string
		expires          time.Time
	}{
		{"two words", "pm", "token_name", time.Time{}},
		{"orc_" + "pm_" + "J5XWQ2LTMFZDG7KPN4RXEYLBNZ", "pm", "token_name", time.Time{}},
		{"ann", "boss", "token_role", time.Time{}},
		{"ann", "PM", "token_role", time.Time{}},
		{"ann", "pm", "token_expiry", noon},
		{"ann", "pm", "token_expiry", noon.Add(-time.Hour)},
		{"ann", "pm", "token_expiry", noon.Add(time.Millisecond)}, // cut to noon, so it would be expired already
	} {
		secret, made, err := f.Add(c.name, c.role, c.expires, noon)
		requireFault(t, err, fault.Invalid, c.code)
		require.Empty(t, secret)
		require.Zero(t, made)
	}
	require.NoFileExists(t, f.Path())
}

func TestMissingFileAndFolder(t *testing.T) {
	f := newFile(t)
	_, err := f.List()
	requireFault(t, err, fault.NotFound, "tokens_missing")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = f.Revoke("x")
	requireFault(t, err, fault.NotFound, "tokens_missing")

	nowhere := NewFile(datadir.Dir(filepath.Join(t.TempDir(), "absent")))
	_, _, err = nowhere.Add("ann", "pm", time.Time{}, noon)
	requireFault(t, err, fault.NotFound, "data_folder_missing")
}

func TestRevoke(t *testing.T) {
	f := newFile(t)
	_, ann := add(t, f, "ann", "pm")
	_, bob := add(t, f, "bob", "coder")
	_, bob2 := add(t, f, "bob", "tester")

	revoked, err := f.Revoke(ann.ID)
	require.NoError(t, err)
	require.Equal(t, ann, revoked)
	_, err = f.Revoke(ann.ID)
	refusal := requireFault(t, err, fault.NotFound, "token_id_unknown")
	require.Contains(t, refusal.Fix, bob.ID+", "+bob2.ID)

	all, err := f.RevokeName("bob")
	require.NoError(t, err)
	require.Equal(t, []Token{bob, bob2}, all)
	left, err := f.List()
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestRefusalsNeverRepeatASecret(t *testing.T) {
	f := newFile(t)
	secret, _ := add(t, f, "ann", "pm")
	_, err := f.Revoke(secret)
	requireFault(t, err, fault.NotFound, "token_id_unknown")
	require.NotContains(t, err.Error(), secret)
	_, err = f.RevokeName(secret)
	refusal := requireFault(t, err, fault.NotFound, "token_name_unknown")
	require.Contains(t, refusal.Fix, "ann")
	require.NotContains(t, err.Error(), secret)
	_, _, err = f.Add("ann", secret, time.Time{}, noon)
	require.NotContains(t, err.Error(), secret)
	_, _, err = f.Add(secret+" ", "pm", time.Time{}, noon)
	require.NotContains(t, err.Error(), secret)
}

// Without the lock two writers read the same file and the second write loses the first change.
func TestChangesAtTheSameTimeAreAllKept(t *testing.T) {
	dir := t.TempDir()
	_, doomed := add(t, NewFile(datadir.Dir(dir)), "doomed", "viewer")
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			if _, _, err := NewFile(datadir.Dir(dir)).Add(fmt.Sprint("n", n), "coder", time.Time{}, noon); err != nil {
				t.Error(err)
			}
		})
	}
	all.Go(func() {
		if _, err := NewFile(datadir.Dir(dir)).Revoke(doomed.ID); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	tokens, err := NewFile(datadir.Dir(dir)).List()
	require.NoError(t, err)
	require.Len(t, tokens, 20)
}

func TestLockIsGivenUpInTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(path, 0)
	require.NoError(t, err)
	_, err = lock(path, 10*time.Millisecond)
	requireFault(t, err, fault.Unavailable, "tokens_locked")
	unlock()
	unlock, err = lock(path, 0)
	require.NoError(t, err)
	unlock()
}

func TestChangeOfABrokenFileLeavesItAlone(t *testing.T) {
	f := newFile(t)
	require.NoError(t, os.WriteFile(f.Path(), []byte(`{"tokens":[`), 0o600))
	_, _, err := f.Add("ann", "pm", time.Time{}, noon)
	requireFault(t, err, fault.Malformed, "tokens_malformed")
	_, err = f.RevokeName("ann")
	requireFault(t, err, fault.Malformed, "tokens_malformed")
	data, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	require.Equal(t, `{"tokens":[`, string(data))
}

func TestDecodeIsStrict(t *testing.T) {
	secret := "orc_pm_THISMUSTNOTBESHOWN"
	entry := `{"id":"1","name":"ann","role":"pm","sha256":"` + digest("a") + `","created":"2026-03-01T12:00:00Z"}`
	second := strings.NewReplacer(`"1"`, `"2"`, digest("a"), digest("b")).Replace(entry)
	with := func(pattern, replacement string) string {
		changed := regexp.MustCompile(pattern).ReplaceAllLiteralString(second, replacement)
		require.NotEqual(t, second, changed)
		return `{"tokens":[` + entry + `,` + changed + `]}`
	}
	for _, c := range []struct{ data, pointer, detail string }{
		{``, "", "not valid JSON"},
		{`[]`, "", "cannot be read as"},
		{`{}`, "/tokens", "is missing"},
		{`{"tokens":null}`, "/tokens", "is missing"},
		{`{"tokens":[]} {}`, "", "not valid JSON at byte 14"},
		{`{"tokens":[],"tokens":[]}`, "/tokens", "given twice"},
		{`{"Tokens":[]}`, "/Tokens", "not a known member"},
		{with(`"name"`, `"label"`), "/tokens/1/label", "not a known member"},
		{with(`"name":`, `"role":"pm","name":`), "/tokens/1/role", "given twice"},
		{with(`"ann"`, `"`+"\xff"+`"`), "/tokens/1/name", "not valid JSON at byte"},
		{with(`"ann"`, `7`), "/tokens/1/name", "cannot be read as string"},
		{with(`2026[^"]*`, secret), "/tokens/1/created", "cannot be read as time.Time"},
		{with(`"id":"2",`, ``), "/tokens/1/id", "visible characters"},
		{with(`"ann"`, `"`+secret+` "`), "/tokens/1/name", "visible characters"},
		{with(`"pm"`, `"`+secret+`"`), "/tokens/1/role", "not a known role"},
		{with(digest("b"), secret), "/tokens/1/sha256", "64 lower-case"},
		{with(digest("b"), strings.ToUpper(digest("b"))), "/tokens/1/sha256", "64 lower-case"},
		{with(`,"created":"[^"]*"`, ``), "/tokens/1/created", "is missing"},
		{with(digest("b"), digest("a")), "/tokens/1/sha256", "same as in entry 0"},
		{with(`"2"`, `"1"`), "/tokens/1/id", "same as in entry 0"},
	} {
		_, err := decode("a/tokens.json", []byte(c.data))
		refusal := requireFault(t, err, fault.Malformed, "tokens_malformed")
		require.Contains(t, refusal.Detail, "a/tokens.json")
		require.Len(t, refusal.Fields, 1, c.data)
		require.Equal(t, c.pointer, refusal.Fields[0].Pointer, c.data)
		require.Contains(t, refusal.Fields[0].Detail, c.detail, c.data)
		require.NotContains(t, err.Error(), secret)
	}
}

func TestDecodeNamesEveryProblem(t *testing.T) {
	_, err := decode("f", []byte(`{"tokens":[{"id":"1"},{"id":"1"}]}`))
	refusal := requireFault(t, err, fault.Malformed, "tokens_malformed")
	require.Len(t, refusal.Fields, 10) // four missing members each, and the id and the hash given twice
}

func FuzzDecode(f *testing.F) {
	good, err := encode([]Token{{ID: "1", Name: "ann", Role: "pm", SHA256: digest("a"), Created: noon, Expires: noon}})
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte(`{"tokens":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tokens, err := decode("f", data)
		if err != nil {
			require.ErrorIs(t, err, fault.Malformed)
			return
		}
		again, err := encode(tokens)
		require.NoError(t, err)
		same, err := decode("f", again)
		require.NoError(t, err)
		require.Len(t, same, len(tokens))
		for i := range tokens {
			require.True(t, same[i].Created.Equal(tokens[i].Created))
			require.True(t, same[i].Expires.Equal(tokens[i].Expires))
			same[i].Created, same[i].Expires = tokens[i].Created, tokens[i].Expires
		}
		require.Equal(t, tokens, same)
	})
}
