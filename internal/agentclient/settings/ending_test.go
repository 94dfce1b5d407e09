package settings_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
)

// TestTheEndOfATurnIsRegistered for the events that a client has for it, and goes with the rest.
// Verifies: ORC-224
func TestTheEndOfATurnIsRegistered(t *testing.T) {
	ends := 0
	for _, c := range agentclient.All() {
		o, file := project(t, c.Name, nil)
		_, err := settings.Install(c.Name, o)
		require.NoError(t, err)
		if len(c.Wiring.Ends) == 0 {
			continue
		}
		ends++
		without := content(t, file)
		require.NotContains(t, without, agentclient.FinishedFlag)
		o.End = o.Command + " " + agentclient.FinishedFlag
		change, err := settings.Install(c.Name, o)
		require.NoError(t, err)
		require.True(t, change.Changed)
		found, err := settings.Registered(c.Name, o)
		require.NoError(t, err)
		var events []string
		for _, r := range found {
			events = append(events, r.Event)
			if !c.Wiring.Ending(r.Event) {
				require.Equal(t, o.Command, r.Command)
				continue
			}
			require.Equal(t, o.End, r.Command)
			require.Empty(t, r.Matcher, "a turn is of no tool")
			require.False(t, r.FailsClosed)
		}
		require.Equal(t, c.Wiring.All(), events)
		change, err = settings.Install(c.Name, o)
		require.NoError(t, err)
		require.False(t, change.Changed)

		o.End = ""
		_, err = settings.Install(c.Name, o)
		require.NoError(t, err)
		require.Equal(t, without, content(t, file))
		o.End = o.Command + " " + agentclient.FinishedFlag
		_, err = settings.Install(c.Name, o)
		require.NoError(t, err)
		_, err = settings.Uninstall(c.Name, o)
		require.NoError(t, err)
		_, err = os.Stat(file)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	require.Equal(t, 6, ends)
}
