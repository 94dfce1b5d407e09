package httpapi_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWhatStoodInThePlaceOfTheExportIsReported: a link to another file is replaced, and everybody is told.
func TestWhatStoodInThePlaceOfTheExportIsReported(t *testing.T) {
	h := newHarness(t)
	_, body := h.ready()
	require.Contains(t, body, `{"status":"ok"`)
	require.NotContains(t, string(h.expect(200, "", "viewer", http.MethodGet, "/project/review", "").Body), "displaced")
	other := filepath.Join(t.TempDir(), "state.db")
	require.NoError(t, os.WriteFile(other, []byte("the log"), 0o600))
	require.NoError(t, os.Remove(h.Export))
	require.NoError(t, os.Symlink(other, h.Export))
	h.patch("pm", `{"pm_notes":[{"text":"a change"}]}`)
	require.Eventually(t, func() bool {
		_, body = h.ready()
		return strings.Contains(body, `{"name":"export","status":"warning","detail":"`+h.Export+` was a symbolic link to `+other)
	}, time.Minute, time.Millisecond)
	require.Equal(t, 200, h.expect(200, "", "", http.MethodGet, "/readyz", "").Status)
	require.Contains(t, string(h.expect(200, "", "viewer", http.MethodGet, "/project/review", "").Body),
		`"displaced":[{"path":"`+h.Export+`","was":"a symbolic link to `+other+`","times":1}]`)
	raw, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, "the log", string(raw))
}
