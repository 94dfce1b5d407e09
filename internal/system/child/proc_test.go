package child

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProcFiles(t *testing.T) {
	mb, err := kilobytes("Name:\tx\nVmHWM:\t   2000 kB\nVmRSS:\t   1000 kB\n", "VmRSS")
	require.NoError(t, err)
	require.InDelta(t, 1.024, mb, 1e-9)
	_, err = kilobytes("Name:\tx\n", "VmRSS")
	require.Error(t, err)
	mb, err = Memory(os.Getpid(), "VmRSS")
	require.NoError(t, err)
	require.Greater(t, mb, 1.0)
}
