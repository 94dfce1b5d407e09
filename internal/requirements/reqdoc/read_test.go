package reqdoc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
)

// files makes documents a.md, b.md and so on.
func files(contents ...string) []File {
	var all []File
	for i, content := range contents {
		all = append(all, File{Path: string(rune('a'+i)) + ".md", Content: []byte(content)})
	}
	return all
}

func ids(all []Requirement) string {
	var list []string
	for _, r := range all {
		list = append(list, r.ID)
	}
	return strings.Join(list, " | ")
}

func messages(problems []Problem) string {
	var list []string
	for _, p := range problems {
		list = append(list, fmt.Sprintf("%s %s", p.Place, p.Message))
	}
	return strings.Join(list, "\n")
}

// Verifies: ORC-083
func TestIdsAreUniqueOverAllDocuments(t *testing.T) {
	for _, c := range []struct{ name, a, b, pointer, detail string }{
		{"other text", "- **REQ-1** a", "\n- **REQ-1** b", "b.md#L2", "REQ-1 is defined on a.md:1 and with another text on line 2"},
		{"near miss", "- **REQ-01** a", "- **REQ-1** a", "b.md#L1", "REQ-1 on line 1 is nearly REQ-01 on a.md:1: did you mean REQ-01?"},
		{"numbers of Kiro", "### Requirement 1: a", "### Requirement 1: b", "b.md#L1", "1 is defined on a.md:1"},
		{"joiners", "- **FR-004** a", "- **FR004** b", "b.md#L1", "did you mean FR-004?"},
		{"kinds of joiners", "- **FR-004** a", "- **FR_004** b", "b.md#L1", "did you mean FR-004?"},
		{"case of names", "### Requirement: Log in", "### Requirement: log in", "b.md#L1", "did you mean Log in?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := Read(files(c.a, c.b), Options{})
			require.Empty(t, set)
			var refused *fault.Error
			require.True(t, errors.As(err, &refused))
			require.Equal(t, "document_invalid", string(refused.Code))
			require.Len(t, refused.Fields, 1)
			require.Equal(t, c.pointer, refused.Fields[0].Pointer)
			require.Contains(t, refused.Fields[0].Detail, c.detail)
		})
	}
	set, err := Read(files("# One\n\n- **REQ-1** a", "# Two\n\n- **REQ-1** a\n- **REQ-2** b"), Options{})
	require.NoError(t, err)
	require.Equal(t, "One", set.Title)
	require.Equal(t, "REQ-1 | REQ-2", ids(set.Requirements))
	require.Equal(t, "b.md:3 REQ-1 is defined on a.md:3 and again, word for word, on line 3", messages(set.Warnings))
	require.Equal(t, []int{1, 2}, []int{set.Documents[0].Found, set.Documents[1].Found})
}

func TestDeltasChangeOtherDocuments(t *testing.T) {
	const base = "# Spec\n\n### Requirement: One\nFirst.\n\n### Requirement: Two\nSecond.\n\n### Requirement: Three\nThird.\n"
	for _, c := range []struct{ name, delta, ids, texts, removed, renamed, warnings string }{
		{"added", "## ADDED Requirements\n### Requirement: Four\nFourth.", "One | Two | Three | Four", "First. Second. Third. Fourth.", "", "", ""},
		{"modified", "## MODIFIED Requirements\n### Requirement: Two\nChanged.", "One | Two | Three", "First. Changed. Third.", "", "", ""},
		{"removed", "## REMOVED Requirements\n### Requirement: Two\n**Reason**: old", "One | Three", "First. Third.", "Two", "", ""},
		{"removed, as a list", "## REMOVED Requirements\n- `### Requirement: Two`", "One | Three", "First. Third.", "Two", "", ""},
		{"renamed", "## RENAMED Requirements\n- FROM: `### Requirement: Two`\n- TO: `### Requirement: Deux`", "One | Deux | Three", "First. Second. Third.", "", "Two>Deux", ""},
		{"renamed and modified", "## MODIFIED Requirements\n### Requirement: Deux\nChanged.\n## RENAMED Requirements\n- FROM: `### Requirement: Two`\n- TO: `### Requirement: Deux`", "One | Deux | Three", "First. Changed. Third.", "", "Two>Deux", ""},
		{"in Chinese", "## 移除的需求 (REMOVED Requirements)\n### 需求:Two\n## 重命名的需求\n- 从：`### 需求：One`\n- 到：`### 需求：Un`", "Un | Three", "First. Third.", "Two", "One>Un", ""},
		{"without bullets", "## RENAMED Requirements\nFROM: `### Requirement: Two`\nTO: `### Requirement: Deux`", "One | Deux | Three", "First. Second. Third.", "", "Two>Deux", ""},
		{"a renaming without a name", "## RENAMED Requirements\n- FROM: `### Requirement: Two`", "One | Two | Three", "First. Second. Third.", "", "", "a renaming lacks one of its two names"},
		{"a renaming with an arrow", "## RENAMED Requirements\n- `Two` → `Deux`", "One | Two | Three", "First. Second. Third.", "", "", "no renaming was read"},
		{"added again", "## ADDED Requirements\n### Requirement: Two\nSecond.", "One | Two | Three", "First. Second. Third.", "", "", `the delta adds "Two", which a.md:6 has already`},
		{"modified, unknown", "## MODIFIED Requirements\n### Requirement: Zwei\nx.", "One | Two | Three | Zwei", "First. Second. Third. x.", "", "", `the delta modifies "Zwei", which no document defines`},
		{"removed, unknown", "## REMOVED Requirements\n### Requirement: Zwei", "One | Two | Three", "First. Second. Third.", "Zwei", "", `the delta removes "Zwei"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := Read(files(base, c.delta), Options{})
			require.NoError(t, err)
			require.False(t, set.Partial)
			require.Equal(t, c.ids, ids(set.Requirements))
			var texts, removed, renamed []string
			for _, r := range set.Requirements {
				texts = append(texts, r.Text)
			}
			for _, e := range set.Removed {
				removed = append(removed, e.ID)
			}
			for _, r := range set.Renamed {
				renamed = append(renamed, r.From+">"+r.To)
			}
			require.Equal(t, c.texts, strings.Join(texts, " "))
			require.Equal(t, c.removed, strings.Join(removed, " "))
			require.Equal(t, c.renamed, strings.Join(renamed, " "))
			require.Contains(t, messages(set.Warnings), c.warnings)
			require.Equal(t, c.warnings == "", len(set.Warnings) == 0)
		})
	}
	_, err := Read(files(base, "## ADDED Requirements\n### Requirement: Two\nOther."), Options{})
	require.ErrorContains(t, err, `the delta adds "Two", which a.md:6 defines with another text`)

	const modified = "## MODIFIED Requirements\n### Requirement: Two\n"
	_, err = Read(files(base, modified+"x.", modified+"y."), Options{})
	require.ErrorContains(t, err, `two deltas change "Two" in two ways, on b.md:2 and on line 2`)
	_, err = Read(files(modified+"x.\n\n### Requirement: Two\ny."), Options{})
	require.ErrorContains(t, err, `two deltas change "Two" in two ways, on line 2 and on line 5`)
	_, err = Read(files(base, "## RENAMED Requirements\n- FROM: `### Requirement: Two`\n- TO: `### Requirement: One`"), Options{})
	require.ErrorContains(t, err, `the delta renames "Two" to "One", which a.md:3 defines already`)
	renamed, err := Read(files(base, "## RENAMED Requirements\n- FROM: `### Requirement: Two`\n- TO: `### Requirement: Deux`"), Options{})
	require.NoError(t, err)
	whole, err := Read(files(strings.Replace(base, "Two", "Deux", 1)), Options{})
	require.NoError(t, err)
	require.Equal(t, whole.Requirements[1].Fingerprint, renamed.Requirements[1].Fingerprint, "as if it had been written so")

	set, err := Read(files("## MODIFIED Requirements\n### Requirement: Two\nChanged.\n## REMOVED Requirements\n### Requirement: One"), Options{})
	require.NoError(t, err)
	require.True(t, set.Partial, "what it changes is in the state")
	require.Equal(t, "Two", ids(set.Requirements))
	require.Empty(t, set.Warnings)
}

func TestFamilyCanBeForced(t *testing.T) {
	const mixed = "### Requirement 1: Kiro\n\n### Requirement: OpenSpec\n\n- **REQ-001**: plain\n"
	for family, want := range map[string]string{"": "1 | OpenSpec | REQ-001", "kiro": "1", "openspec": "OpenSpec", "markdown": "REQ-001", "gsd": "REQ-001"} {
		set, err := Read(files(mixed), Options{Family: family})
		require.NoError(t, err)
		require.Equal(t, want, ids(set.Requirements), family)
		if family != "" {
			require.Equal(t, family, set.Documents[0].Family)
		}
	}
	_, err := Read(files(mixed), Options{Family: "word"})
	require.ErrorContains(t, err, `there is no family "word"`)
	require.ErrorContains(t, err, "spec-kit")
}

func TestStatedNumbersAreChecked(t *testing.T) {
	const three = "## v1 Requirements\n\n- **A-01**: a\n- **A-02**: b\n\n## v2 Requirements\n\n- **A-03**: c\n\n"
	for line, warned := range map[string]bool{
		"- v1 requirements: 2 total": false, "- v1 requirements: 3 total": true, "**Total requirements: 3**": false, "Total: 2 requirements": false,
		"25 requirements in total.": true, "**Coverage:** 25 total": true, "- 25 total": true, "- 3 total": false, "This document contains 25 requirements.": true,
		"The desk has 25 parcels in total": false, "A customer has 3 requirements": false, "- Mapped to phases: 7": false, "- 2 of 3 requirements in total": false, "Total cost of all requirements: unknown": false,
		"| Total requirements | 9 |": true,
	} {
		set, err := Read(files(three+line), Options{})
		require.NoError(t, err)
		require.Equal(t, warned, len(set.Warnings) == 1, "%s: %s", line, messages(set.Warnings))
	}
}

func TestPlaceholders(t *testing.T) {
	_, err := readOne([]byte("# PRD: {Product Name}\n\n- **FR-001**: {what it does}\n"))
	require.ErrorContains(t, err, "the document is a template")
	set, err := readOne([]byte("# Real\n\n- **FR-001**: {what it does}\n- **FR-002**: It works\n"))
	require.NoError(t, err)
	require.Equal(t, "FR-002", ids(set.Requirements))
	require.Contains(t, messages(set.Skipped), "R.md:3 FR-001 was not taken: it is a placeholder")
}

func TestTemplatesAreNotAssignedIds(t *testing.T) {
	_, err := Read(files("# PRD Template\n\n- Say what it does\n"), Options{Assign: true})
	require.ErrorContains(t, err, `its title is "PRD Template"`)
}

func TestAForcedFamilyReadsNothingElse(t *testing.T) {
	const table = "|ID|Requirement|\n|-|-|\n|CS-001|a|\n"
	for _, family := range Families() {
		set, err := Read(files(table), Options{Family: family})
		require.NoError(t, err)
		plain := family == "markdown" || family == "gsd" || family == "bmad" || family == "spec-kit"
		require.Equal(t, plain, len(set.Requirements) == 1, family)
	}
}

func TestPlainIdsInDeltas(t *testing.T) {
	set, err := Read(files("### REQ-01: A\n\na\n\n### REQ-02: B\n\nb\n", "## MODIFIED Requirements\n### REQ-01: A\n\nchanged\n\n## REMOVED Requirements\n### REQ-02: B\n"), Options{})
	require.NoError(t, err)
	require.Equal(t, "REQ-01", ids(set.Requirements))
	require.Equal(t, "changed", set.Requirements[0].Text)
}

func TestCriteria(t *testing.T) {
	for src, want := range map[string][]Criterion{
		"### FR-1: a\n\n**Acceptance:** It works.\n**Priority:** High":           {{"", KindAcceptance, "It works."}},
		"- **FR-1**: a\n  - **Acceptance Criteria:** It works.":                  {{"", KindAcceptance, "It works."}},
		"### FR-1: a\n\n**Acceptance criteria (MVP):**\n\n- b\n- [ ] c":          {{"", KindAcceptance, "b"}, {"", KindAcceptance, "c"}},
		"### FR-1: a\n\n**Akzeptanzszenarien / Acceptance Scenarios**:\n\n1. b":  {{"", KindScenario, "b"}},
		"### FR-1: a\n\n#### Acceptance Criteria\n\n1.1. WHEN b\nTHEN c\n1.2. d": {{"1.1", KindAcceptance, "WHEN b THEN c"}, {"1.2", KindAcceptance, "d"}},
		"### FR-1: a\n\n#### ✅ Acceptance Criteria\n\n##### Sub\n\n- b":          {{"", KindAcceptance, "b"}},
		"|ID|Requirement|Acceptance Criteria|\n|-|-|-|\n|FR-1|a|1. b<br>- c|":    {{"", KindAcceptance, "b"}, {"", KindAcceptance, "c"}},
		"|ID|Requirement|Acceptance|\n|-|-|-|\n|FR-1|a|—|":                       nil,
		"### FR-1: a\n\n#### Cenário: b\n\n- c\n<!-- d -->\n---\n":               {{"", KindScenario, "b: - c"}},
		"### FR-1: a\n\n#### Acceptance Criteria\n\n- **AC-1**: b":               {{"AC-1", KindAcceptance, "b"}},
	} {
		set, err := readOne([]byte(src))
		require.NoError(t, err)
		require.Len(t, set.Requirements, 1, src)
		require.Equal(t, want, set.Requirements[0].Acceptance, src)
		require.NotContains(t, set.Requirements[0].Text, "cceptance", src)
	}
}

func TestPriorities(t *testing.T) {
	for src, want := range map[string][2]string{
		"### FR-1: a (Priority: P1)":               {"P1", "a"},
		"### FR-1: a (P1)":                         {"P1", "a"},
		"- **FR-1** (P1): a":                       {"P1", "a"},
		"- **FR-1 (Must)**: a":                     {"Must", "a"},
		"### FR-1: a\n\n- **优先级：** 高":              {"高", "a"},
		"|ID|Prio|Text|\n|-|-|-|\n|FR-1|high|a b|": {"high", "a b"},
	} {
		set, err := readOne([]byte(src))
		require.NoError(t, err)
		require.Len(t, set.Requirements, 1, src)
		require.Equal(t, want, [2]string{set.Requirements[0].Priority, set.Requirements[0].Title}, src)
	}
}

func TestWhatIsWrongInEveryDocumentIsListed(t *testing.T) {
	_, err := Read(files("- **REQ-1** a\n- **REQ-1** b", "\xff", "# [A title]\n\n- **REQ-2** [x y]"), Options{Strict: true})
	var refused *fault.Error
	require.True(t, errors.As(err, &refused))
	var at []string
	for _, field := range refused.Fields {
		at = append(at, field.Pointer)
	}
	require.Equal(t, []string{"a.md#L2", "b.md#L1", "c.md#L1", "c.md#L3"}, at)
	_, err = Read(files("- **REQ-1** a", "\xff"), Options{})
	require.ErrorContains(t, err, "b.md: line 1 is not valid UTF-8")
}

// Documents that are parsed beside one another make the set of documents that are parsed one after the other.
func TestDocumentsThatAreParsedAheadMakeTheSameSet(t *testing.T) {
	long := strings.Repeat("Some text that takes a while to be parsed.\n\n", 2000)
	kinds := rapid.SampledFrom([]string{
		"# One\n\n- **REQ-%d**: The text.\n", "# Two\n\n" + long + "- **REQ-%d**: Another text.\n",
		"### REQ-%d: A heading\n\nThe text.\n", "nothing %d\n", "bad \xff %d\n", "- **REQ-%d a**: no id\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		var all []File
		for i := range rapid.IntRange(0, 6).Draw(t, "documents") {
			f := files(fmt.Sprintf(kinds.Draw(t, "kind"), rapid.IntRange(1, 9).Draw(t, "number")))[0]
			f.Path = fmt.Sprintf("%d.md", i)
			if rapid.IntRange(0, 5).Draw(t, "change") == 0 {
				f.Change = "a change"
			}
			all = append(all, f)
		}
		read := func(sparing bool) (Set, []int, error) {
			var done []int
			set, err := Read(all, Options{Sparing: sparing, OnRead: func(n, total int) { done = append(done, n, total) }})
			return set, done, err
		}
		set, done, err := read(false)
		sparing, doneToo, failed := read(true)
		require.Equal(t, sparing, set)
		require.Equal(t, failed, err)
		require.Equal(t, doneToo, done)
	})
}

// Definitions that are built beside one another make the set of definitions that are built one after the other, with
// all that is said of them.
func TestDefinitionsThatAreBuiltAheadMakeTheSameSet(t *testing.T) {
	kinds := rapid.SampledFrom([]string{
		"- **REQ-%04d** The text (done).\n", "- **REQ-%04d**\n", "- **REQ-%04d** System MUST [capability]\n",
		"### REQ-%04d: A heading\n\nThe text.\n\nAcceptance:\n- one\n- <!-- no --> two\n\n",
		"- **REQ-%04d** It. [NEEDS CLARIFICATION: what?]\n",
		"### REQ-%04d: Outer\n\n- **REQ-%[1]04d.1** Inner.\n- **AC-%[1]04d** It works.\n\n---\n\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("# Requirements\n\n")
		for n := range rapid.IntRange(0, 4).Draw(t, "runs") {
			kind := kinds.Draw(t, "kind")
			for i := range rapid.IntRange(1, 2*builtAtOnce).Draw(t, "definitions") {
				fmt.Fprintf(&text, kind, 2000*n+i)
			}
		}
		read := func(sparing bool) (Set, error) { return Read(files(text.String()), Options{Sparing: sparing}) }
		set, err := read(false)
		sparing, failed := read(true)
		require.Equal(t, sparing, set)
		require.Equal(t, failed, err)
	})
}
