package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web"
)

// Whoever asks for many pages at once, and does not read them, holds the memory of a few.
//
// Verifies: ORC-331
func TestATokenHoldsTheMemoryOfAFewPages(t *testing.T) {
	var asking atomic.Int64
	goOn := make(chan struct{})
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, `{"caller":{"name":"vera","role":"viewer"}}`)
			return
		}
		asking.Add(1)
		<-goOn
		w.WriteHeader(http.StatusNotFound)
	})
	door := web.New(web.Config{API: func() http.Handler { return api }, Project: func() string { return "" },
		Count: func(http.ResponseWriter, *http.Request, string) error { return nil }})
	signIn := httptest.NewRequest(http.MethodPost, "/sign-in", strings.NewReader(url.Values{"token": {"t"}}.Encode()))
	signIn.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got := httptest.NewRecorder()
	door.ServeHTTP(got, signIn)
	require.Equal(t, http.StatusSeeOther, got.Code)

	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			r := httptest.NewRequest(http.MethodGet, "/workflow", http.NoBody)
			r.Header.Set("Cookie", got.Header().Get("Set-Cookie"))
			door.ServeHTTP(httptest.NewRecorder(), r)
		})
	}
	require.Eventually(t, func() bool { return asking.Load() == 4 }, time.Minute, time.Millisecond)
	time.Sleep(50 * time.Millisecond)
	require.EqualValues(t, 4, asking.Load(), "the others wait")
	close(goOn)
	all.Wait()
	require.Greater(t, asking.Load(), int64(12))
}
