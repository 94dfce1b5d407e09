package auditor

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/ledger/audit"
)

// serving answers as a service does, from files that a test may change for each request.
func serving(t *testing.T, read func(path string, w http.ResponseWriter) []byte) Source {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/audit/")
		media := "text/plain"
		switch {
		case r.URL.Path == "/project":
			path, media = pathState, "application/json"
		case strings.HasPrefix(path, tilePrefix):
			media = "application/octet-stream"
		case strings.HasPrefix(path, blobPrefix):
			media = "application/json"
		}
		w.Header().Set("Content-Type", media)
		if content := read(path, w); content != nil {
			_, _ = w.Write(content)
		}
	}))
	t.Cleanup(server.Close)
	tokens := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(tokens, []byte("secret"), 0o600))
	c, err := apiclient.New(apiclient.Options{Server: server.URL, TokenFile: tokens})
	require.NoError(t, err)
	return FromServer(server.URL, c)
}

func problem(w http.ResponseWriter, status int, code string) []byte {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	return []byte(`{"code":"` + code + `","detail":"a detail","fix":"a fix"}`)
}

func TestServersThatLie(t *testing.T) {
	good := short(t).copy().lay(t)
	tile, leaves, blob := "tile/entries/000.p/"+width(good), "tile/0/000.p/"+width(good), ""
	for path := range good {
		if strings.HasPrefix(path, blobPrefix) {
			blob = path
		}
	}
	_, err := Verify(t.Context(), serving(t, func(path string, _ http.ResponseWriter) []byte { return good[path] }), Options{})
	require.NoError(t, err)
	endless := func(_ string, w http.ResponseWriter) []byte {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return nil
			}
		}
	}
	type answer = func(path string, w http.ResponseWriter) []byte
	status := func(code int, name string) answer {
		return func(_ string, w http.ResponseWriter) []byte { return problem(w, code, name) }
	}
	for name, c := range map[string]struct {
		path string
		lie  answer
		want string // code of a finding; "" for what could not be checked
	}{
		"an endless tile":       {tile, endless, "log_too_large"},
		"endless leaves":        {leaves, endless, "log_too_large"},
		"an endless checkpoint": {pathCheckpoint, endless, "log_too_large"},
		"no tile":               {tile, status(404, "beyond_log"), "log_missing"},
		"no data beside":        {blob, status(404, "unknown_blob"), "log_missing"},
		"a damaged store":       {tile, status(500, "store_damaged"), "log_damaged"},
		"no key":                {pathKey, status(404, "unknown_path"), ""},
		"a defect":              {leaves, status(500, "internal"), ""},
		"a redirect": {tile, func(_ string, w http.ResponseWriter) []byte {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusFound)
			return nil
		}, ""},
		"a page of a proxy": {tile, func(path string, w http.ResponseWriter) []byte {
			w.Header().Set("Content-Type", "text/html")
			return good[path]
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := serving(t, func(path string, w http.ResponseWriter) []byte {
				if path == c.path {
					return c.lie(path, w)
				}
				return good[path]
			})
			_, err := Verify(t.Context(), src, Options{})
			if c.want != "" {
				requireBad(t, err, c.want)
				return
			}
			require.Error(t, err)
			require.False(t, errors.As(err, new(*Bad)), "%v", err)
		})
	}
}

// What is shown once is what is checked: a service that answers otherwise each time gains nothing.
func TestAServerOfTwoMinds(t *testing.T) {
	l := short(t)
	one := l.copy().lay(t)
	l.live(step{who: paula, id: "REQ-002", body: `{"pm_notes":[{"text":"later"}]}`})
	two := l.copy().lay(t)
	var requests atomic.Int64
	src := serving(t, func(path string, w http.ResponseWriter) []byte {
		of := one
		if requests.Add(1)%2 == 0 {
			of = two
		}
		if of[path] == nil {
			return problem(w, 404, "beyond_log")
		}
		return of[path]
	})
	for range 6 {
		r, err := Verify(t.Context(), src, Options{})
		if err != nil {
			require.ErrorAs(t, err, new(*Bad))
			continue
		}
		require.Contains(t, []uint64{l.size() - 1, l.size()}, r.Records)
		requests.Add(1)
	}
}

// A log may grow while it is checked: what is checked is the log of the checkpoint.
func TestALogThatGrowsMeanwhile(t *testing.T) {
	l := short(t)
	began := l.size()
	src := serving(t, func(path string, w http.ResponseWriter) []byte {
		l.live(step{who: paula, id: "REQ-002", body: `{"pm_notes":[{"text":"later"}]}`})
		log := l.copy()
		if t, err := audit.ParseTile(strings.TrimPrefix(path, tilePrefix)); err == nil { // as narrow as it is asked for
			log.records, log.tree, log.size = log.records[:t.Needs()], log.tree[:t.Needs()], t.Needs()
		}
		return log.lay(l.t)[path]
	})
	r, err := Verify(t.Context(), src, Options{})
	require.NoError(t, err)
	require.Equal(t, began+3, r.Records, "the checkpoint is the third answer")
	require.Equal(t, "behind", r.State)
	require.Contains(t, strings.Join(r.CannotShow, "\n"), "the state is of an earlier moment")
}

// broken fails to read one file.
type broken struct {
	files
	path string
	err  error
}

func (b broken) Read(ctx context.Context, path string) ([]byte, error) {
	if path == b.path {
		return nil, b.err
	}
	return b.files.Read(ctx, path)
}

// What cannot be read is not bad.
func TestWhatCannotBeRead(t *testing.T) {
	good := short(t).copy().lay(t)
	failed := errors.New("the disk does not answer")
	for path := range good {
		_, err := Verify(t.Context(), broken{good, path, failed}, Options{})
		require.ErrorIs(t, err, failed, path)
		require.False(t, errors.As(err, new(*Bad)), path)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := Verify(ctx, good, Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// Without a state the log is checked all the same, and the report says so; so it does of an old one.
func TestTheStateOfTheBundle(t *testing.T) {
	l := short(t)
	old := l.copy().state
	l.live(step{who: paula, id: "REQ-002", body: `{"pm_notes":[{"text":"later"}]}`})
	f := l.copy().lay(t)
	delete(f, pathState)
	r, err := Verify(t.Context(), f, Options{})
	require.NoError(t, err)
	require.Equal(t, "absent", r.State)
	require.Contains(t, strings.Join(r.CannotShow, "\n"), "there is no state")
	f[pathState] = old
	r, err = Verify(t.Context(), f, Options{})
	require.NoError(t, err)
	require.Equal(t, "behind", r.State)
	f[pathState] = []byte(`{"log":`)
	_, err = Verify(t.Context(), f, Options{})
	requireBad(t, err, "log_replay")
}
