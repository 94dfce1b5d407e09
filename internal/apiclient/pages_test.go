package apiclient_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/apiclient"
)

// paged answers with a list of n numbers, in pages as they are asked for, and counts the requests.
func paged(t *testing.T, n int, next func(after int) string) (c *apiclient.Client, asked *int) {
	t.Helper()
	asked = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		after, _ := strconv.Atoi(r.URL.Query().Get("after"))
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil || r.URL.Query().Get("q") != "a b" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		var entries []string
		for i := after; i < min(after+limit, n); i++ {
			entries = append(entries, strconv.Itoa(i))
		}
		more := "null"
		if after+limit < n {
			more = strconv.Quote(next(after + limit))
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"total": %d,"numbers":[%s],"next":%s,"as_of":%d}`, n, strings.Join(entries, ","), more, *asked)
	}))
	t.Cleanup(server.Close)
	c, err := apiclient.New(apiclient.Options{Server: server.URL, Token: "orc_viewer_x"})
	require.NoError(t, err)
	return c, asked
}

// Verifies: ORC-158
func TestAListIsReadToItsEnd(t *testing.T) {
	next := func(after int) string { return fmt.Sprintf("/numbers?after=%d&limit=7&q=a+b", after) }
	for _, c := range []struct {
		n, limit, requests, entries int
		more                        bool
	}{
		{3, 0, 1, 3, false}, {1_200, 0, 3, 1_200, false}, {1_200, 2, 1, 2, true}, {1_200, 501, 2, 501, true},
		{1_200, 5_000, 3, 1_200, false}, {0, 0, 1, 0, false},
	} {
		client, asked := paged(t, c.n, next)
		raw, err := client.List(t.Context(), "/numbers?q=a+b", "numbers", c.limit)
		require.NoError(t, err)
		require.Equal(t, c.requests, *asked)
		all := []string{}
		for i := range c.entries {
			all = append(all, strconv.Itoa(i))
		}
		more, space := "null", ""
		if c.more {
			more = strconv.Quote(next(c.entries))
		}
		if c.requests == 1 {
			space = " " // as the service wrote it
		}
		require.Equal(t, fmt.Sprintf(`{"total":%s%d,"numbers":[%s],"next":%s,"as_of":1}`, space, c.n,
			strings.Join(all, ","), more), string(raw))
	}
}

// A token goes to no other server than the one that was named.
func TestAListLeadsToNoOtherServer(t *testing.T) {
	for _, elsewhere := range []string{"http://127.0.0.1:1/x", "@127.0.0.1:1/x", "//127.0.0.1:1/x", "numbers", "/%zz"} {
		client, asked := paged(t, 1_200, func(int) string { return elsewhere })
		_, err := client.List(t.Context(), "/numbers?q=a+b", "numbers", 0)
		require.ErrorContains(t, err, "the next page is at no path", elsewhere)
		require.Equal(t, 1, *asked)
	}
}

func TestNoPathLeadsToAnotherServer(t *testing.T) {
	client, asked := paged(t, 1, nil)
	_, err := client.Send(t.Context(), apiclient.Request{Method: "GET", Path: "@127.0.0.1:1/x"})
	require.ErrorContains(t, err, "the next page is at no path")
	require.Zero(t, *asked)
}
