package advice

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStepsAreCommands(t *testing.T) {
	for text, want := range map[string]string{
		`- the move to planned: PATCH {"status":"planned"} with its justification, by the pm`:                            "- the move to planned: orchestrator change REQ-1 --status planned --reason '<why>' --evidence '<file>', by the pm",
		`PATCH {"status":"blocked"} with its justification`:                                                              "orchestrator block REQ-1 --reason '<why>'",
		"PATCH with design_spec, by the architect":                                                                       "orchestrator design REQ-1 --summary '<what is to be built, and how>', by the architect",
		"PATCH with implementation":                                                                                      "orchestrator implement REQ-1 --summary '<what was built>' --file '<path:lines>'",
		"POST /requirements/REQ-1/test-report <the report as the test tool wrote it>, or PATCH with test, by the tester": "orchestrator attach REQ-1 '<report>', by the tester",
		"PATCH with approvals":  "orchestrator approve REQ-1",
		"PATCH with deviations": "orchestrator change REQ-1 --from '<file with deviations>'",
		"PATCH with other":      "PATCH with other",
		"GET /forms lists all":  "orchestrator ask --forms lists all",
		"GET /schedules?active=true lists them, DELETE /schedules/{id} ends one": "orchestrator schedules list lists them, orchestrator schedules end ID ends one",
		"REQ-1 is planned (x).": "REQ-1 is planned (x).",
	} {
		require.Equal(t, want, Steps("REQ-1", text))
	}
}

func TestReasoned(t *testing.T) {
	require.Equal(t, "say why: defer REQ-1 because <why>", Reasoned("defer REQ-1"))
	require.Equal(t, "say which file shows it: defer REQ-1 because it can wait, see <file>", Reasoned("defer REQ-1 because it can wait"))
}
