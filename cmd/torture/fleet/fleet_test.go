package fleet

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/child"
)

// built is the folder of the product, which is built once for all tests that need it.
var built string

var build = sync.OnceValues(func() (binary string, err error) {
	if built, err = os.MkdirTemp("", "orchestrator-fleet-"); err != nil {
		return "", err
	}
	binary = filepath.Join(built, "orchestrator")
	return binary, child.Build(context.Background(), "orchestrator/cmd/orchestrator", binary)
})

func TestMain(m *testing.M) {
	if at := os.Getenv(holderURL); at != "" {
		os.Exit(holder(at, os.Args[1] == "fenced"))
	}
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

func newProject(t *testing.T) *Project {
	t.Helper()
	binary, err := build()
	require.NoError(t, err)
	p := &Project{Dir: t.TempDir(), Binary: binary}
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// A service that nobody breaks loses nothing, and all of its answers are those of one service.
func TestOneServiceIsInOrder(t *testing.T) {
	p := newProject(t)
	one, err := p.Join(t.Context(), "")
	require.NoError(t, err)
	l := NewLoad(p)
	l.Target(one)
	l.Begin(8, 1)
	time.Sleep(time.Second)
	require.NoError(t, l.End())
	j, err := l.Judge(one)
	require.NoError(t, err)
	require.NoError(t, j.Err())
	require.Equal(t, j.Acknowledged, l.Acknowledged())
	require.NotZero(t, j.Acknowledged)
	require.NotZero(t, j.Refused)
	require.NoError(t, l.Linearizable(time.Minute))
	t.Logf("%+v", j)
}
