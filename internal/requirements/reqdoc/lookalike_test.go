package reqdoc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-003
func TestLookalikesAcrossScriptsAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ src, pointer, detail, fix string }{
		"a mixed id": {"- **PG-300**: a\n- **РG-301**: b", "R.md#L2",
			"the id РG-301 on line 2 mixes letters of several scripts: Р (U+0420, Cyrillic) looks like P (U+0050, Latin); did you mean PG-301?", "write PG-301 in one script"},
		"a mixed id beside the id that it looks like": {"- **PG-301**: a\n- **РG-301**: b", "R.md#L2", "did you mean PG-301?", "write PG-301 in one script"},
		"in a heading":         {"### РG-001: a", "R.md#L1", "did you mean PG-001?", ""},
		"in a table":           {"|ID|Requirement|\n|-|-|\n|PG-300|a|\n|РG-301|b|", "R.md#L4", "did you mean PG-301?", ""},
		"in a name":            {"### Requirement: Pay\n\na\n\n### Requirement: Рay twice\n\nb", "R.md#L5", "did you mean Pay twice?", ""},
		"of Doorstop":          {"## 1.1 Log in _(RЕQ001)_ {#RЕQ001}\n\na", "R.md#L1", "did you mean REQ001?", ""},
		"of StrictDoc":         {"## A\n\n**UID**: RЕQ-1\n\n**STATEMENT**: a", "R.md#L3", "did you mean REQ-1?", ""},
		"of OpenFastTrace":     {"`rеq~login~1`\n\na", "R.md#L1", "did you mean req~login~1?", ""},
		"of Kiro":              {"### Requirement РG-1: a", "R.md#L1", "did you mean PG-1?", ""},
		"two ids, each of one": {"- **PC-1**: a\n- **РС-1**: b", "R.md#L2", "РС-1 on line 2 looks like PC-1 on line 1, and is another id: Р is Cyrillic (U+0420), P is Latin (U+0050), С is Cyrillic (U+0421), C is Latin (U+0043)", "choose an id that cannot be mistaken for PC-1"},
		"two names":            {"### Requirement: Рост\n\na\n\n### Requirement: Poct\n\nb", "", "", ""},
		"one that was skipped": {"- **РС-1**: a\n- PC-1 b\n- pc-1: c\n- PC-9: d", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readOne([]byte(c.src))
			if c.pointer == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, fault.Invalid)
			require.Len(t, fault.As(err).Fields, 1)
			field := fault.As(err).Fields[0]
			require.Equal(t, c.pointer, field.Pointer)
			require.Contains(t, field.Detail, c.detail)
			require.Contains(t, field.Fix, c.fix)
		})
	}
	_, err := Read(files("- **PC-1**: a", "- **РС-1**: b"), Options{})
	require.ErrorContains(t, err, "РС-1 on line 1 looks like PC-1 on a.md:1")
}

// Verifies: ORC-003
func TestIdsOfOneScriptAreAllowed(t *testing.T) {
	for _, src := range []string{
		"- **ТРЕБ-001**: a\n- **ТРЕБ-002**: b",
		"- **ΑΠΤ-001**: a\n- **ΑΠΤ-002**: b",
		"- **要件-001**: a\n- **ログイン要件-002**: b\n- **API要件-003**: c",
		"- **요구-001**: a\n- **요구API-002**: b",
		"- **م-٠٠١**: a\n- **م-٠٠٢**: b",
		"- **REQ-O1**: a\n- **REQ-01**: b\n- **REQ-l1**: c\n- **REQ-I1**: d",
		"- **ТЗ-API-1**: a\n- **ТЗ-API-2**: b\n- **ТЗ-О1**: c",
		"### Requirement: Поддержка API и CLI\n\na\n\n### Requirement: Вход через SSO\n\nb",
	} {
		set, err := readOne([]byte(src))
		require.NoError(t, err, src)
		require.NotEmpty(t, set.Requirements)
	}
}

func TestNearlyKnowsLookalikes(t *testing.T) {
	require.True(t, Nearly("РС-1", "PC-1"))
	require.False(t, Nearly("REQ-O1", "REQ-01"))
	require.False(t, Nearly("РС-1", "РС-1"))
}
