package apiclient

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// listing answers with the pages of a list: the page that "after" names has the entries of that number, and next.
func listing(t *testing.T, page func(after string) (entries, next string)) (c *Client, asked *int) {
	t.Helper()
	asked = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		entries, next := page(r.URL.Query().Get("after"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"runs":[%s],"next":%s}`, entries, next)
	}))
	t.Cleanup(server.Close)
	c, err := New(Options{Server: server.URL, Token: "orc_viewer_x"})
	require.NoError(t, err)
	return c, asked
}

// A page of runs ends when many were passed over: it may have no entry, and a next one all the same.
func TestAnEmptyPageIsNotTheEndOfAList(t *testing.T) {
	pages := map[string][2]string{
		"": {"", `"/runs?after=1"`}, "1": {"1,2", `"/runs?after=2"`}, "2": {"", `"/runs?after=3"`}, "3": {"3", "null"},
	}
	c, asked := listing(t, func(after string) (entries, next string) { return pages[after][0], pages[after][1] })
	raw, err := c.List(t.Context(), "/runs", "runs", 0)
	require.NoError(t, err)
	require.JSONEq(t, `{"runs":[1,2,3],"next":null}`, string(raw))
	require.Equal(t, 4, *asked)

	all, err := All[int](t.Context(), c, "/runs", "runs")
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3}, all)
	_, err = All[string](t.Context(), c, "/runs", "runs")
	require.ErrorContains(t, err, "JSON of another shape")

	*asked = 0
	raw, err = c.List(t.Context(), "/runs", "runs", 2)
	require.NoError(t, err)
	require.JSONEq(t, `{"runs":[1,2],"next":"/runs?after=2"}`, string(raw))
	require.Equal(t, 2, *asked)
}

func TestAListThatDoesNotEndIsGivenUp(t *testing.T) {
	for _, entries := range []string{"", "1"} {
		c, asked := listing(t, func(after string) (string, string) { return entries, `"/runs?after=` + after + `1"` })
		l := list{member: "runs", most: 3}
		_, err := l.read(t.Context(), c, "/runs?waiting=true", 0)
		require.ErrorContains(t, err, "/runs?waiting=true has more than 3 pages")
		f := fault.As(err)
		require.Equal(t, CodeTooLarge, f.Code)
		require.Contains(t, f.Fix, "GET /runs?after=111 goes on")
		require.Equal(t, 3, *asked)
	}
	c, asked := listing(t, func(string) (string, string) { return "", `"/runs?after=7"` })
	_, err := c.List(t.Context(), "/runs", "runs", 0)
	require.ErrorContains(t, err, "a page that is followed by itself")
	require.Equal(t, 2, *asked)
}
