package git

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutputIsCutOrRefused(t *testing.T) {
	for cut, fails := range map[bool]bool{true: false, false: true} {
		o := &Output{Most: 5, Cut: cut}
		n, err := o.Write([]byte("four"))
		require.Equal(t, 4, n)
		require.NoError(t, err)
		require.False(t, o.Full)
		_, err = o.Write([]byte("more"))
		require.Equal(t, fails, err != nil)
		require.True(t, o.Full)
		require.Equal(t, "fourm", o.String())
	}
}

func TestTheEnvironmentIsNotTheCallers(t *testing.T) {
	t.Setenv("GIT_DIR", "/elsewhere")
	cmd := Command{Path: "/usr/bin/git", Dir: "/", Env: []string{"GIT_WORK_TREE=/here"}}.Prepare(t.Context(), "status")
	require.NotContains(t, cmd.Env, "GIT_DIR=/elsewhere")
	require.Subset(t, cmd.Env, []string{"GIT_WORK_TREE=/here", "GIT_CONFIG_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1"})
	require.Equal(t, "status", cmd.Args[len(cmd.Args)-1])
	require.True(t, cmd.SysProcAttr.Setpgid)
}
