package apiclient

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-355
func TestAClientNamesWhatItHasChanged(t *testing.T) {
	var named []string
	answer := func(http.ResponseWriter) {}
	body := "{}"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		named = append(named, r.Header.Get("If-Log-At-Least"))
		w.Header().Set("Content-Type", "application/json")
		answer(w)
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	c, err := New(Options{Server: server.URL, Token: "t"})
	require.NoError(t, err)
	ask := func(receipt string, status int) string {
		t.Helper()
		answer = func(w http.ResponseWriter) {
			if receipt != "" {
				w.Header().Set("Audit-Receipt", receipt)
			}
			w.WriteHeader(status)
		}
		_, err := c.Send(t.Context(), Request{Method: http.MethodGet, Path: "/"})
		if status == http.StatusServiceUnavailable {
			require.NotEmpty(t, fault.As(err).Detail, "the problem is read all the same")
		}
		return named[len(named)-1]
	}
	require.Empty(t, ask("", http.StatusOK), "nothing was changed yet")
	require.Empty(t, ask("size=7, index=6, root=:x:", http.StatusOK))
	require.Equal(t, "7", ask("size=9, folded, root=:x:", http.StatusConflict))
	require.Equal(t, "9", ask("size=8, index=7, root=:x:", http.StatusOK))
	for _, none := range []string{"size=x", "index=12, size=13", "size=-1"} {
		require.Equal(t, "9", ask(none, http.StatusOK), "%q is no receipt", none)
	}
	body = `{"code":"duty_vacant","detail":"nobody"}`
	require.Equal(t, "9", ask("", http.StatusServiceUnavailable))
	body = `{"code":"log_not_reached","detail":"the log has 5 records"}`
	require.Equal(t, "9", ask("", http.StatusServiceUnavailable))
	require.Empty(t, ask("", http.StatusOK), "what is asked has another log, or none: it is asked as it is")
}
