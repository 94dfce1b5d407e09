package wire_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/wire"
)

// TestTheProxiesOfTheManualLetEachBodyPass: a proxy that allows less than the service answers with a page of its own.
func TestTheProxiesOfTheManualLetEachBodyPass(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/remote.md")
	require.NoError(t, err)
	for setting, unit := range map[string]int{`client_max_body_size (\d+)m;`: 1 << 20, `max_size (\d+)MB`: 1_000_000} {
		found := regexp.MustCompile(setting).FindSubmatch(manual)
		require.NotNil(t, found, setting)
		n, err := strconv.Atoi(string(found[1]))
		require.NoError(t, err)
		require.Greater(t, n*unit, max(wire.MaxBody, wire.MaxReport), "%s", found[0])
	}
}
