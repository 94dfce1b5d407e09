package reqdoc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlaceholdersAreSkipped in the forms of the templates of each family, beside one requirement that is written.
func TestPlaceholdersAreSkipped(t *testing.T) {
	for name, c := range map[string]struct{ src, taken, skipped string }{
		"kiro": {"### Requirement 1\n\n**User Story:** As a clerk, I want to pay\n\n### Requirement 2\n\n**User Story:** As a [role], I want [feature], so that [benefit]\n\n" +
			"#### Acceptance Criteria\n\n1. WHEN [event] THEN [system] SHALL [response]\n", "1", "2"},
		"kiro, criteria alone": {"### Requirement 1\n\n**User Story:** As a clerk, I want to pay\n\n### Requirement 2\n\n#### Acceptance Criteria\n\n1. WHEN [event] THEN [system] SHALL [response]\n", "1", "2"},
		"kiro, in Chinese":     {"### 需求 1\n\n**用户故事：** 作为店员，我想要收款\n\n### 需求 2\n\n**用户故事：** 作为[角色]，我想要[功能]，以便[好处]\n", "1", "2"},
		"openspec": {"## ADDED Requirements\n\n### Requirement: Pay\n\nThe desk SHALL take money.\n\n### Requirement: <!-- requirement name -->\n<!-- requirement text -->\n\n" +
			"#### Scenario: <!-- scenario name -->\n- **WHEN** <!-- condition -->\n", "Pay", "<!-- requirement name -->"},
		"openspec, braces": {"### Requirement: Pay\n\nThe desk SHALL take money.\n\n### Requirement: {name}\n\nThe system SHALL {do it}.\n", "Pay", "{name}"},
		"openspec, words":  {"### Requirement: Pay\n\nThe desk SHALL take money.\n\n### Requirement: Requirement Name\n\nThe system SHALL <do it>.\n", "Pay", "Requirement Name"},
		"spec-kit":         {"### User Story 1 - Pay\n\n- **FR-001**: The desk MUST take money\n- **FR-002**: System MUST [capability]\n- **FR-003**: Users MUST be able to [key interaction]\n- **FR-004**: Give parcels out\n", "FR-001 | FR-004", "FR-002 FR-003"},
		"gsd":              {"## v1 Requirements\n\n- [ ] **PAY-01**: Take money\n- [ ] **[CATEGORY]-01**: [Requirement description]\n- [ ] **PAY-[NN]**: User can [action]\n", "PAY-01", "[CATEGORY]-01 PAY-[NN]"},
		"bmad":             {"# PRD: Desk\n\n- **FR1**: The desk takes money\n- **FR2**: {{requirement_text}}\n- **FR{{n}}**: {{requirement_text}}\n", "FR1", "FR2"},
		"a table":          {"|ID|Requirement|\n|-|-|\n|FR-001|Take money|\n|FR-XXX|[description]|\n|FR-003|{what}|\n|...|...|\n", "FR-001", "FR-XXX FR-003 ..."},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := readOne([]byte(c.src))
			require.NoError(t, err)
			require.Equal(t, c.taken, ids(set.Requirements))
			skipped := ""
			for _, p := range set.Skipped {
				skipped += " " + p.ID
				require.Equal(t, ReasonPlaceholder, p.Reason, p.Message)
				require.Contains(t, p.Message, "placeholder")
			}
			require.Equal(t, " "+c.skipped, skipped)
		})
	}
}

func TestAHollowCriterionIsAWarning(t *testing.T) {
	set, err := readOne([]byte("### Requirement: Pay\n\nThe desk SHALL take money.\n\n#### Scenario: [name]\n\n- **WHEN** [condition]\n"))
	require.NoError(t, err)
	require.Equal(t, "Pay", ids(set.Requirements))
	require.Equal(t, "R.md:1 Pay has a criterion that is a placeholder of a template", messages(set.Warnings))
}

func TestTemplatesOfAllFamiliesAreRefused(t *testing.T) {
	for _, src := range []string{
		"# Requirements Document\n\n### Requirement 1\n\n**User Story:** As a [role], I want [feature], so that [benefit]\n\n#### Acceptance Criteria\n\n1. WHEN [event] THEN [system] SHALL [response]\n",
		"## ADDED Requirements\n\n### Requirement: <!-- requirement name -->\n<!-- requirement text -->\n",
		"## Requirements\n\n- **FR-001**: System MUST [capability]\n",
	} {
		_, err := readOne([]byte(src))
		require.ErrorContains(t, err, "the document is a template", src)
	}
}
