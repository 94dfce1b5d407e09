package reqdoc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A label of criteria has 80 bytes at most, whichever colon follows it.
func TestALabelOfCriteriaIsShort(t *testing.T) {
	const most = 80
	for _, colon := range []string{":", "："} {
		label := "acceptance (" + strings.Repeat("x", most-len("acceptance ()")) + ")"
		value, kind := labelled(label + colon + " it works")
		require.Equal(t, "it works", value, colon)
		require.Equal(t, KindAcceptance, kind, colon)
		value, kind = labelled("x" + label + colon + " it works")
		require.Empty(t, value+kind, colon)
	}
	value, kind := labelled("acceptance： it works: always")
	require.Equal(t, "it works: always", value)
	require.Equal(t, KindAcceptance, kind)
}

func TestVersionOf(t *testing.T) {
	for heading, want := range map[string]string{
		"v1 Requirements": "v1", "V1.2 requirements": "v1.2", "  v2  Requirements": "v2",
		"v1": "", "version requirements": "", "1 Requirements": "", "": "",
	} {
		require.Equal(t, want, versionOf(heading), heading)
	}
}
