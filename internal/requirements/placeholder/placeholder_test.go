package placeholder

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"[Brief Title]": true, "{Short capability name}": true, `System MUST [capability, e.g., "keep parcels"]`: true, "[Actor] can [capability] [under conditions]": true,
		"[MUST] keep parcels": false, "See [the list](x) first": false, "Keep `[what it is]`": false, "GET /parcels/{id} answers": false,
		"A formula $x = {-b \\over 2a}$": false, "MUST retain data for [NEEDS CLARIFICATION: how long is it?]": false, "Replace {name} by the name of the customer in every letter": false,
		"<ID>": true, "<what it does>": true, "a <b> c": false, "<br>": false, "x < y and y > z": false, "TBD": true, "...": true, "{{text}}": true,
		"": false, "[ ": false, "{{": false, "It costs ${PRICE}": false, "[x] done": false,
		"As a [role], I want [feature], so that [benefit]": true, "**User Story:** As a [role], I want [feature], so that [benefit]": true,
		"As a {{role}} I want {{goal}} so that {{benefit}}.": true, "As a <role>, I want <goal>": true, "WHEN [event] THEN [system] SHALL [response]": true,
		"IF [precondition] THEN [system] SHALL [response]": true, "作为[角色]，我想要[功能]，以便[好处]": true, "[役割]として、[機能]がほしい": false,
		"[役割]として、[機能]を使用したい。そのため[利益]": false, "Como [rol], quiero [función], para que [beneficio]": true, "The system SHALL [do something]": true,
		"As a [role], I want to pay by card": false, "WHEN the user clicks [Save] THEN the system SHALL keep the parcel": false,
		"As a clerk, I want [the list](x), so that I see it": false, "The system SHALL": false, "<!-- requirement name -->": true, "Keep <!-- why? -->": false,
		"The system SHALL [MUST]": false, "As an `[admin]` I want": false, "{System | Service} SHALL {clear statement}": true, "Requirement name": true,
	} {
		require.Equal(t, want, Is(text), text)
	}
}

func TestID(t *testing.T) {
	for text, want := range map[string]string{
		"FR-XXX: a": "FR-XXX", "**REQ-NNN**: a": "REQ-NNN", "REQ-###": "REQ-###", "**[AREA]-01**: a": "[AREA]-01", "{AREA}-{NUMBER} a": "{AREA}-{NUMBER}",
		"**FR-[N]**: a": "FR-[N]", "FR-{{n}}: a": "FR-{{n}}", "REQ-<AREA>-001: a": "REQ-<AREA>-001", "[ID]: a": "[ID]", "{REQ_ID}": "{REQ_ID}", "<Requirement ID>": "<Requirement ID>",
		"FR-001: a": "", "X-1: a": "", "N-12": "", "XXX: a": "", "[x] a": "", "[AREA] a": "", "[a](b)": "", "[FR-1]: a": "", "": "", "#": "", "## 1": "", "{id}": "{id}",
		"FR-XXXL": "", "/users/{id}": "", "[Log in]-(a)": "",
	} {
		require.Equal(t, want, ID(text), text)
	}
}
