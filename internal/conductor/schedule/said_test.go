package schedule

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// Verifies: ORC-257
//
// What cannot be read is refused before anything runs, in the words of what is wrong; a reference is read later.
func TestWhatIsSaidOfWhenIsReadFirst(t *testing.T) {
	for name, c := range map[string]struct {
		payload planning.Inputs
		wrong   string
	}{
		"a day":               {planning.Inputs{"every": "1d"}, `every: "1d" is no duration that may lie between two times`},
		"too often":           {planning.Inputs{"every": "59s"}, `every: "59s" is no duration that may lie between two times`},
		"a word":              {planning.Inputs{"at": "tomorrow"}, `at: "tomorrow" is no time`},
		"an end that is none": {planning.Inputs{"every": "1h", "until": "never"}, `until: "never" is no time`},
		"nothing":             {planning.Inputs{}, "at: it does not say when"},
		"a time":              {planning.Inputs{"at": "2026-01-02T03:04:05Z"}, ""},
		"a reference":         {planning.Inputs{"at": map[string]any{"from": "o1.value"}}, ""},
		"a text of one":       {planning.Inputs{"every": "{{o1.value}}h"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckText(c.payload)
			if c.wrong == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, c.wrong, fault.As(err).Detail)
			require.Equal(t, CodeTime, fault.As(err).Code)
		})
	}
}

// Two times that differ are shown as they differ.
func TestTimesInErrorsAreExact(t *testing.T) {
	half := now.Add(time.Second / 2)
	_, err := Read(planning.Inputs{"at": now.Format(time.RFC3339Nano)}, half)
	require.Equal(t, "at: 2026-01-02T03:04:05Z is over: it is 2026-01-02T03:04:05.5Z", fault.As(err).Detail)
	_, err = Read(planning.Inputs{"at": "2026-01-02T04:00:00.5Z", "every": "1h", "until": "2026-01-02T04:00:00.4Z"}, now)
	require.Equal(t, "until: 2026-01-02T04:00:00.4Z is before the first time: nothing would ever be due", fault.As(err).Detail)
	require.Equal(t, "give a time that is not before 2026-01-02T04:00:00.5Z", fault.As(err).Fix)
}

// Whether before the run or by the tool: the pointer leads into the request.
func TestWhereATimeIsWrong(t *testing.T) {
	_, err := Read(planning.Inputs{"at": "2026-01-02T03:00:00Z"}, now)
	require.Equal(t, "/obligations/1/payload/at", fault.As(inRequest("o2", err)).Fields[0].Pointer)
	require.Equal(t, "/at", fault.As(inRequest("o2.1", err)).Fields[0].Pointer, "of a step, which may be one of a contract")
	require.NoError(t, inRequest("o1", nil))
}
