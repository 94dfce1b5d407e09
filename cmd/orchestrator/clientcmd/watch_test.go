package clientcmd

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// watch runs watch against a service until it has printed something, and then a little longer.
func watch(t *testing.T, service http.HandlerFunc, flags ...string) string {
	t.Helper()
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("orc_secret"), 0o600))
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	var out strings.Builder
	cmd := watchCommand()
	cmd.SetArgs(append(flags, "--server", server.URL, "--token-file", token, "--interval", "100ms", "--since", "0"))
	cmd.SetOut(&out)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	if err := cmd.ExecuteContext(ctx); err != nil && ctx.Err() == nil {
		return out.String() + err.Error()
	}
	return out.String()
}

func record(seq int, kind string) string {
	return fmt.Sprintf(`{"seq":%d,"at":"2026-01-02T03:04:05Z","kind":"%s","actor":{"name":"ann","role":"pm"},"data":{}}`, seq, kind)
}

const (
	firstLine  = "2026-01-02 03:04:05  #0  ann (pm)  a.b\n"
	secondLine = "2026-01-02 03:04:05  #1  ann (pm)  c.d\n"
)

// Verifies: ORC-305
func TestAnOlderServiceIsPolled(t *testing.T) {
	service := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/events":
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"status":404,"title":"Not Found","code":"unknown_path","detail":"there is nothing","fix":"x"}`)
		case r.URL.Query().Get("from") == "0":
			fmt.Fprintf(w, `{"size":2,"records":[%s,%s],"next":null}`, record(0, "a.b"), record(1, "c.d"))
		default:
			fmt.Fprint(w, `{"size":2,"records":[],"next":null}`)
		}
	}
	require.Equal(t, firstLine+secondLine, watch(t, service))
	require.Equal(t, secondLine, watch(t, service, "--kind", "c.d"))
}

// A stream that breaks off is gone on with behind what was printed; one that ends with the token is not.
//
// Verifies: ORC-305
func TestABrokenStreamIsGoneOnWith(t *testing.T) {
	var asked atomic.Int64
	service := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch asked.Add(1) {
		case 1:
			fmt.Fprintf(w, "id: 0\nevent: a.b\ndata: %s\n\n:\n\nid: 1\nevent: c.d\ndata: {\"seq", record(0, "a.b"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case 2:
			if r.URL.Query().Get("since") == "1" {
				fmt.Fprintf(w, "id: 1\nevent: c.d\ndata: %s\n\n", record(1, "c.d"))
			}
			fmt.Fprint(w, "event: end\ndata: {\"code\":\"service_stopping\",\"detail\":\"d\",\"fix\":\"f\",\"next\":2,\"retryable\":true}\n\n")
		default:
			fmt.Fprint(w, "event: end\ndata: {\"code\":\"token_unknown\",\"detail\":\"it was revoked\",\"fix\":\"f\",\"next\":2,\"retryable\":false}\n\n")
		}
	}
	require.Equal(t, firstLine+secondLine+"it was revoked (f)", watch(t, service))
	require.EqualValues(t, 3, asked.Load())
}
