package apiclient

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/system/durable"
)

func TestSameServer(t *testing.T) {
	for _, pair := range [][2]string{
		{"127.0.0.1:80", "http://localhost"}, {"http://[::1]:8080", "http://127.0.0.1:8080/"},
		{"HTTP://A.example", "http://a.example:80"},
		{"https://a.example", "https://a.example:443/"}, {"unix:/run/x", "unix:/run/../run/x"}, {":8080",
			"http://127.0.0.1:8080"},
	} {
		require.True(t, SameServer(pair[0], pair[1]), "%v", pair)
	}
	for _, pair := range [][2]string{
		{"127.0.0.1:80", "127.0.0.1:81"}, {"http://a.example", "https://a.example"}, {"http://a.example",
			"http://b.example"},
		{"http://a.example/one", "http://a.example/two"}, {"unix:/run/x", "unix:/run/y"}, {"", ""}, {"a",
			"a"}, {"http://%", "http://%"},
	} {
		require.False(t, SameServer(pair[0], pair[1]), "%v", pair)
	}
}

func TestWhatNamesAServer(t *testing.T) {
	for _, good := range []string{"127.0.0.1:8080", "[::1]:8080", "shop:80", ":80", "http://a", "https://a/b", "unix:x"} {
		require.NoError(t, CheckServer(good), good)
	}
	for _, bad := range []string{"", "8080", "a:b", "a:99999", "ftp://a", "unix:", "me:pw@a:80"} {
		require.Error(t, CheckServer(bad), bad)
	}
}

// Verifies: ORC-156
//
// TestATokenGoesToTheServiceOfItsFolder only while that holds the file with its address.
func TestATokenGoesToTheServiceOfItsFolder(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(server.Close)
	data := datadir.Dir(t.TempDir())
	require.NoError(t, os.MkdirAll(data.TokenDir(), 0o700))
	require.NoError(t, os.WriteFile(data.Token("pm"), []byte(secret), 0o600))
	_, is := LocalServer(t.Context(), data, server.URL)
	require.False(t, is, "there is no address")
	require.NoError(t, os.WriteFile(data.Address(), []byte(server.Listener.Addr().String()+"\n"), 0o600))
	url, is := LocalServer(t.Context(), data, server.URL)
	require.True(t, is)
	require.Equal(t, server.URL, url)
	_, is = LocalServer(t.Context(), data, "http://a.example")
	require.False(t, is)

	c, err := New(Options{Server: url, Own: data, TokenIn: string(data), TokenFile: data.Token("pm")})
	require.NoError(t, err)
	_, err = c.Get(t.Context(), "/", "text/plain")
	require.True(t, NotRunning(err))
	require.True(t, Unanswered(err))
	require.Zero(t, asked, "nobody holds the address")

	unlock, err := durable.Lock(data.Address(), 0)
	require.NoError(t, err)
	_, err = c.Get(t.Context(), "/", "text/plain")
	require.Error(t, err, "it answers, though not as a service does")
	require.Equal(t, 1, asked)
	unlock()
	_, err = c.Get(t.Context(), "/", "text/plain")
	require.True(t, NotRunning(err))
	require.Equal(t, 1, asked, "a service that ended while it was asked")
}

// TestATokenOfAFolderIsNotReadThroughALink that leads out of it.
func TestATokenOfAFolderIsNotReadThroughALink(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	elsewhere := filepath.Join(t.TempDir(), "other.token")
	require.NoError(t, os.MkdirAll(data.TokenDir(), 0o700))
	require.NoError(t, os.WriteFile(elsewhere, []byte(secret), 0o600))
	require.NoError(t, os.Symlink(elsewhere, data.Token("pm")))
	_, err := New(Options{Server: "http://a", TokenIn: string(data), TokenFile: data.Token("pm")})
	require.True(t, Misused(err))
	_, err = New(Options{Server: "http://a", TokenFile: data.Token("pm")})
	require.NoError(t, err, "a file that its user names may be a link")
	_, err = New(Options{Server: "http://a", TokenIn: string(data), TokenFile: elsewhere})
	require.True(t, Misused(err))
}

func BenchmarkRuns(b *testing.B) {
	data := datadir.Dir(b.TempDir())
	unlock, err := durable.Lock(data.Address(), 0)
	require.NoError(b, err)
	defer unlock()
	for b.Loop() {
		if !Runs(data) {
			b.Fatal("it is held")
		}
	}
}
