package reqdoc

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// documents are the sample documents of the tree, in the forms of many tools.
const documents = "../../../testdata/documents/*.md"

// TestDocuments reads each sample document; what is read of it stands in testdata/NAME.golden, for people.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob(documents)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			set, err := readOne(src)
			if err == nil {
				requireSound(t, src, set)
			}
			got := rendered(set, err)
			if len(set.Requirements) == 0 && err == nil {
				set, err = Read([]File{{Path: "R.md", Content: src}}, Options{Assign: true})
				got += "\nwith ids assigned\n" + rendered(set, err)
			}
			golden := filepath.Join("testdata", strings.TrimSuffix(filepath.Base(name), ".md")+".golden")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// rendered is what was read, a line for each part.
func rendered(set Set, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "refused: %s\n", err)
		return b.String()
	}
	d := set.Documents[0]
	fmt.Fprintf(&b, "%q family %s (%s) %v, others %v, delta %v\n", d.Title, d.Family, d.Mark, d.Families, d.Others, d.Delta)
	for _, r := range set.Requirements {
		fmt.Fprintf(&b, "\n%d-%d %s %s, %s: %q\n", r.Line, r.EndLine, r.Kind, r.ID, r.Family, r.Title)
		fmt.Fprintf(&b, "  section %q\n", r.Section)
		for _, part := range []struct {
			name  string
			value any
			shown bool
		}{
			{"text", r.Text, r.Text != ""}, {"parents", r.Parents, r.Parents != nil}, {"depends on", r.DependsOn, r.DependsOn != nil},
			{"priority", r.Priority, r.Priority != ""}, {"tick", r.Tick, r.Tick != ""}, {"assigned", "", r.Assigned},
		} {
			if part.shown {
				fmt.Fprintf(&b, "  %s %q\n", part.name, part.value)
			}
		}
		for _, c := range r.Acceptance {
			fmt.Fprintf(&b, "  %s %s %q\n", c.Kind, c.ID, c.Text)
		}
	}
	b.WriteString("\n")
	for _, e := range set.Others {
		fmt.Fprintf(&b, "%d other: %s %s %q\n", e.Line, e.Kind, e.ID, e.Title)
	}
	for _, e := range set.Removed {
		fmt.Fprintf(&b, "%d removed: %s\n", e.Line, e.ID)
	}
	for _, r := range set.Renamed {
		fmt.Fprintf(&b, "%d renamed: %s to %s\n", r.Line, r.From, r.To)
	}
	for _, p := range set.Warnings {
		fmt.Fprintf(&b, "%d warning: %s\n", p.Line, p.Message)
	}
	for _, p := range set.Skipped {
		fmt.Fprintf(&b, "%d skipped: %s\n", p.Line, p.Message)
	}
	return b.String()
}

// takes and leaves are rows of the rule: a document and the ids that it defines, or the ids that are listed as skipped.
//
// Verifies: ORC-002
func TestWhatDefinesARequirement(t *testing.T) {
	for _, c := range []struct{ name, src, taken, skipped string }{
		// headings
		{"heading with colon", "### ORC-001: Keep state", "ORC-001", ""},
		{"heading with white space", "### ORC-001 Keep state", "ORC-001", ""},
		{"heading with dash", "### ORC-001 — Keep state", "ORC-001", ""},
		{"heading with tight dash", "### ORC-001—Keep state", "ORC-001", ""},
		{"heading with dot", "### FR-1. Keep state", "FR-1", ""},
		{"heading, bold", "### **ORC-001** Keep state", "ORC-001", ""},
		{"heading, the id alone", "### ORC-001", "ORC-001", ""},
		{"heading with a line below", "ORC-001: Keep state\n---", "ORC-001", ""},
		{"heading with a chapter number", "### 1.2 ORC-001 Keep state", "ORC-001", ""},
		{"heading that mentions an id", "### About ORC-001", "", ""},
		// list items
		{"bold item", "- **ORC-001**: text", "ORC-001", ""},
		{"bold item, colon inside", "- **ORC-001:** text", "ORC-001", ""},
		{"bold item, underscores", "- __ORC-001__ text", "ORC-001", ""},
		{"plain item with colon", "- ORC-001: text", "ORC-001", ""},
		{"plain item with wide colon", "- ORC-001：正文", "ORC-001", ""},
		{"plain item with dash", "- ORC-001 - text", "ORC-001", ""},
		{"plain item without delimiter", "- ORC-001 text", "", "ORC-001"},
		{"open check box", "- [ ] **ORC-001** text", "ORC-001", ""},
		{"ticked check box", "- [x] ORC-001: text", "ORC-001", ""},
		{"ordered item", "7. **ORC-001** text", "ORC-001", ""},
		{"item within an item", "- group\n  - **ORC-001** text", "ORC-001", ""},
		{"link", "- [ORC-001](#orc-001): text", "", "ORC-001"},
		{"light emphasis", "- *ORC-001*: text", "", "ORC-001"},
		{"bold id without text", "- **ORC-001**", "", "ORC-001"},
		{"address", "- HOST-001:8080", "", "HOST-001"},
		// paragraphs
		{"bold paragraph", "**ORC-001** text", "ORC-001", ""},
		{"bold title", "**ORC-001: Title.** text", "ORC-001", ""},
		{"plain paragraph", "ORC-001: text", "", "ORC-001"},
		{"bold in the middle", "See **ORC-001** first", "", ""},
		{"second line of a paragraph", "**ORC-001** a\n**ORC-002** b", "ORC-001 ORC-002", ""},
		{"bold sentence", "**ORC-001 is hard.** text", "", "ORC-001"},
		{"bold not closed", "**ORC-001 text", "", "ORC-001"},
		{"range", "**FR-001 – FR-010**: all of them", "", "FR-001"},
		{"range of bold ids", "**FR-001** – **FR-010**: all of them", "", "FR-001"},
		{"enumeration", "### FR-001 and FR-002", "", "FR-001"},
		{"a dash before a name is no range", "### FR-001 — SHA-256 digests", "FR-001", ""},
		// what hides definitions
		{"fence", "```\n**ORC-001** text\n```", "", "ORC-001"},
		{"fence with tildes", "~~~md\n### ORC-001: text\n~~~", "", "ORC-001"},
		{"indented code", "text\n\n    **ORC-001** text", "", "ORC-001"},
		{"code span", "- `ORC-001`: text", "", "ORC-001"},
		{"comment", "<!--\n- **ORC-001** text\n-->", "", "ORC-001"},
		{"HTML", "<div>\n**ORC-001** text\n</div>", "", "ORC-001"},
		{"block quote", "> **ORC-001** text", "", "ORC-001"},
		{"table in a block quote", "> |ID|T|\n> |-|-|\n> |ORC-001|a|", "", ""},
		// words that look like ids
		{"UTF-8", "## UTF-8 everywhere", "", "UTF-8"},
		{"UTF-8, bold", "- **UTF-8**: everywhere\n- **UTF-16**: nowhere", "", "UTF-8 UTF-16"},
		{"SHA-256", "- SHA-256: digest\n- SHA-512: digest", "", "SHA-256 SHA-512"},
		{"HTTP2", "- HTTP2: allowed", "", "HTTP2"},
		{"RFC 6962", "- RFC 6962: logs", "", ""},
		{"Go 1.26", "- Go 1.26: language", "", ""},
		{"v1.2", "## v1.2 Requirements", "", ""},
		{"S3", "- S3 buckets", "", "S3"},
		{"S3, bold", "- **S3**: buckets", "", "S3"},
		{"priorities", "- **P0**: must\n- **P1**: should", "", "P0 P1"},
		{"phases", "### Phase-1: begin\n### Phase-2: end", "", "Phase-1 Phase-2"},
		{"L10N", "- **L10N**: languages", "", ""},
		{"years", "## FY-2025 plan", "", "FY-2025"},
		// families
		{"S1 has a neighbour", "- **S1**: a\n- **S2**: b", "S1 S2", ""},
		{"FR1 has a neighbour", "- FR1: a\n- FR2: b\n- FR9: c", "FR1 FR2 FR9", ""},
		{"FR1 alone", "- FR1: a", "", "FR1"},
		{"plain FR-7 alone", "- FR-7: a", "", "FR-7"},
		{"bold FR-7 alone", "- **FR-7**: a", "FR-7", ""},
		{"number 1 begins a series", "- FR-1: a\n- FR-5: b", "FR-1 FR-5", ""},
		{"small letters", "- req-001: a", "", "req-001"},
		{"small letters, bold", "- **req-001**: a", "req-001", ""},
		{"all shapes", "- **FR-005a** x\n- **FR-1.1** x\n- **REQ-F-001** x\n- **REQ_001** x\n- **L10N-01** x\n- **SM-C1** x", "FR-005a FR-1.1 REQ-F-001 REQ_001 L10N-01 SM-C1", ""},
		// tables
		{"table", "|ID|Text|\n|-|-|\n|FR-01|a|\n|FR-02|b|", "FR-01 FR-02", ""},
		{"bold ids in a table", "|Key|Text|\n|-|-|\n|**FR-7**|a|", "FR-7", ""},
		{"ids in the second column", "|No|Req ID|Text|\n|-|-|-|\n|1|FR-7|a|", "FR-7", ""},
		{"a row without id", "|ID|Text|\n|-|-|\n|FR-01|a|\n||b|", "", "FR-01"},
		{"algorithms", "|Name|Use|\n|-|-|\n|SHA-256|a|\n|SHA-512|b|", "", "SHA-256 SHA-512"},
		{"trace table", "- **FR-01** a\n- **FR-02** b\n\n|Requirement|Phase|\n|-|-|\n|FR-01|1|\n|FR-02|2|", "FR-01 FR-02", ""},
		{"trace table before", "|Requirement|Phase|\n|-|-|\n|FR-01|1|\n\n- **FR-01** a", "FR-01", ""},
		{"trace table after a table", "|ID|Text|\n|-|-|\n|FR-01|a|\n\n|ID|Phase|\n|-|-|\n|FR-01|1|", "FR-01", ""},
		// encodings and scripts
		{"BOM", "\ufeff# ORC-001: a", "ORC-001", ""},
		{"right to left", "- **דרישה-001**: המערכת תשמור מצב\n- **REQ-002**: המערכת תשמור יומן", "דרישה-001 REQ-002", ""},
		// habits of real documents
		{"name in bold", "- **FR-1 Login:** a\n- **FR-2 Logout**: b", "FR-1 FR-2", ""},
		{"tag in bold", "- **FR-1 (Must)** a\n- **FR-2 [P2]**: b", "FR-1 FR-2", ""},
		{"name alone on its line", "**FR-1 Login**\n\nText.", "FR-1", ""},
		{"dot in bold", "- **FR-1.** a", "FR-1", ""},
		{"in square brackets", "- [FR-1] a\n- [FR-2] b", "FR-1 FR-2", ""},
		{"in square brackets, a reference", "- **FR-1** a\n\n## Implements\n\n- [FR-1] b\n- [FR-2] c", "FR-1", "FR-2"},
		{"at the end of a heading", "### 3.1 Log in (FR-001)\n\nText.", "FR-001", ""},
		{"a symbol before it", "### ✅ FR-1: a\n\n- 🔴 **FR-2**: b", "FR-1 FR-2", ""},
		{"struck out", "- ~~**FR-1**: a~~\n- **FR-2**: b", "FR-2", "FR-1"},
		{"a comment before it, which makes the line HTML", "- <!-- moved --> **FR-1**: a", "", "FR-1"},
		{"the id of the document", "# PRD-001: Desk\n\n- **FR-1**: a", "FR-1", "PRD-001"},
		{"the only id, in the title", "# FR-1: Desk", "FR-1", ""},
		{"single letters below requirements", "# Requirements\n\n## R1 One\n\n## R2 Two\n\n## R3 Three", "R1 R2 R3", ""},
		{"single letters elsewhere", "# Notes\n\n## R1 One\n\n## R2 Two\n\n## R3 Three", "", "R1 R2 R3"},
		{"a register of risks", "- **FR-1**: a\n\n## Risks\n\n- **R-01**: b\n\n## Assumptions\n\n- **FR-2**: c", "FR-1 FR-2", "R-01"},
		{"an overview above the details", "|ID|Name|\n|-|-|\n|FR-1|a|\n|FR-2|b|\n\n### FR-1: A\n\nText.", "FR-2 FR-1", ""},
		{"tracing above defining", "## Traceability\n\n|ID|Test|\n|-|-|\n|FR-1|T|\n\n## Requirements\n\n|ID|Requirement|\n|-|-|\n|FR-1|a|", "FR-1", ""},
		{"tracing what nothing defines", "- **FR-1** a\n\n## Traceability\n\n|ID|Test|\n|-|-|\n|FR-1|T|\n|FR-9|T|", "FR-1", "FR-9"},
		{"a later mention without a text", "- **FR-1**: a\n\n## Phase 2\n\n- **FR-1** (partly)", "FR-1", ""},
		{"a coverage map", "## Functional Requirements\n\n- FR1: a\n- FR2: b\n\n## FR Coverage Map\n\n- FR1: Epic 1\n- FR2: Epic 2", "FR1 FR2", ""},
		{"an order of work", "### REQ-001: a\n\n## Implementation Order\n\n1. REQ-001 — first", "REQ-001", ""},
		{"a checklist", "- **FR-001**: a\n\n## Review Checklist\n\n- [x] **FR-001**: verified", "FR-001", ""},
		{"a question about a row", "## Requirements\n\n|ID|Requirement|\n|-|-|\n|FR-02|log out|\n\n## Open issues\n\n- FR-02: ask", "FR-02", ""},
		{"requirements and criteria", "## 需求与验收标准\n\n- **FR-1**：a\n- **FR-2**：b", "FR-1 FR-2", ""},
		{"a file of one requirement", "# REQ-009: Export\n\nText.\n\n## Tests\n\n- **TC-001**: a", "REQ-009 TC-001", ""},
		{"children of the id in the title", "# SRS-001: Sums\n\n### SRS-001.1: a\n\n### SRS-001.2: b", "SRS-001 SRS-001.1 SRS-001.2", ""},
		{"wide brackets", "### 4.1 ログイン（FR-001）\n\n本文。", "FR-001", ""},
		{"decorated brackets", "### Track (FR-6, Must) ✅\n\nText.\n\n### Pay (**FR-7**)", "FR-6 FR-7", ""},
		{"lines without marks", "## Requirements\n\nFR1: a\nFR2: b\nFR3: c", "FR1 FR2 FR3", ""},
		{"actors of a product", "# PRD: Shop\n\n## Actors\n\n- A1: x\n- A2: y\n- A3: z", "", "A1 A2 A3"},
		{"risk management", "## Risk management requirements\n\n- **RM-01**: a\n\n## Other\n\n- **FR-1**: b", "RM-01 FR-1", ""},
		{"key assumptions", "- **FR-1**: a\n\n## Key Assumptions\n\n- **A-01**: b", "FR-1", "A-01"},
		{"a group and its members", "### FR1: Group\n\n**FR1.1:** a", "FR1 FR1.1", ""},
		{"a table of the document itself", "|Name|Code|\n|-|-|\n|x|SPEC-001|\n\n- **FR-1**: a", "FR-1", "SPEC-001"},
		{"a line for the id", "# Desk\n\n**ID**: SPEC-305\n\n### Log in\n\n**Requirement ID:** FR-001\n\nText.", "FR-001", "SPEC-305"},
		{"a number to be given", "- **FR-XXX**: a\n- **FR-1**: b\n\n### REQ-NNN: c", "FR-1", "FR-XXX REQ-NNN"},
		{"an empty row", "|ID|Requirement|\n|-|-|\n|FR-1|a|\n|||", "FR-1", ""},
		{"ids in the second column", "|#|ID|Text|\n|-|-|-|\n|1|FR-1|a|\n|2|TBD|b|", "", "FR-1"},
		{"numbers in tens", "- FR-10: a\n- FR-20: b", "FR-10 FR-20", ""},
		{"a later mention below anything", "- **FR-1**: a\n\n## Notes\n\n- **FR-1** (partly)", "FR-1", ""},
		{"stories beside functional requirements", "- **US-1**: a\n- **US-2**: b\n- **FR-1**: c", "FR-1", ""},
		{"stories alone", "- **US-1**: a\n- **US-2**: b", "US-1 US-2", ""},
		{"what is out of scope, in parts", "- **FR-1**: a\n\n## Out of scope\n\n### By phone\n\n- **FR-2**: b", "FR-1", ""},
		{"risks and what to do about them", "- **FR-1**: a\n\n## Risks and mitigations\n\n- **R-01**: b", "FR-1", "R-01"},
		{"a row for a group", "|ID|Requirement|\n|-|-|\n|**Safety**||\n|FR-1|a|", "FR-1", ""},
		{"front matter", "---\ntitle: Desk\nscope:\n  - FR-1: a\n  - FR-2: b\n---\n\n- **FR-3**: c", "FR-3", "FR-1 FR-2"},
		{"front matter in TOML", "+++\nscope = [\n- FR-1: a\n]\n+++\n\n- **FR-3**: c", "FR-3", "FR-1"},
		{"front matter of a story", "---\nstories:\n- US-1: a\n---\n\n### Requirement: Log in\n\na", "Log in", "US-1"},
		// ids that look like priorities and the like, by the role of their column
		{"P1 in a table of requirements", "|ID|Requirement|\n|-|-|\n|P1|a|\n|P2|b|\n|P3|c|", "P1 P2 P3", ""},
		{"P1 beside priorities", "|ID|Text|Priority|\n|-|-|-|\n|P1|a|P2|\n|P2|b|P1|\n|P3|c|P1|", "P1 P2 P3", ""},
		{"P1 below a heading of requirements", "## Payment requirements\n\n|#|Text|\n|-|-|\n|P1|a|\n|P2|b|", "P1 P2", ""},
		{"one P1 in a table of requirements", "|Req ID|Requirement|\n|-|-|\n|P1|a|", "P1", ""},
		{"bold P1 in a table", "|ID|Requirement|\n|-|-|\n|**P1**|a|\n|**P2**|b|", "P1 P2", ""},
		{"Q1, H1 and V1 in tables of requirements", "|ID|Requirement|\n|-|-|\n|Q1|a|\n|H1|b|\n|V1|c|", "Q1 H1 V1", ""},
		{"P1 in Chinese", "|编号|需求|\n|-|-|\n|P1|a|\n|P2|b|", "P1 P2", ""},
		{"P1 beside FR", "- **FR-1**: a\n\n|ID|Requirement|\n|-|-|\n|P1|a|\n|P2|b|", "FR-1 P1 P2", ""},
		{"a label for the id P1", "# Desk\n\n### Log in\n\n**ID:** P1\n\nText.\n\n### Log out\n\n**ID:** P2\n\nText.", "P1 P2", ""},
		{"priorities before the ids", "|Priority|ID|Requirement|\n|-|-|-|\n|P1|R-1|a|\n|P1|R-2|b|", "R-1 R-2", ""},
		{"severities before the ids", "|Severity|ID|Requirement|\n|-|-|-|\n|P1|R-1|a|\n|P2|R-2|b|", "R-1 R-2", ""},
		{"a legend of priorities", "|Priority|Meaning|\n|-|-|\n|P1|must|\n|P2|should|", "", ""},
		{"a legend of requirements", "## Requirement priorities\n\n|Level|Meaning|\n|-|-|\n|P1|must|\n|P2|should|", "", "P1 P2"},
		{"levels with a requirement each", "|Level|Requirement|\n|-|-|\n|P1|within an hour|\n|P2|within a day|", "", "P1 P2"},
		{"personas", "- **FR-1**: a\n\n## Personas\n\n|ID|Persona|Description|\n|-|-|-|\n|P1|a|b|\n|P2|c|d|", "FR-1", "P1 P2"},
		{"repeated values", "|ID|Requirement|\n|-|-|\n|P1|a|\n|P1|b|\n|P2|c|", "", "P1 P1 P2"},
		{"Arabic digits", "**م-٠٠١** نص", "م-٠٠١", ""},
		{"empty document", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := readOne([]byte(c.src))
			require.NoError(t, err)
			var taken, skipped []string
			for _, r := range doc.Requirements {
				taken = append(taken, r.ID)
			}
			for _, p := range doc.Skipped {
				skipped = append(skipped, p.ID)
			}
			require.Equal(t, c.taken, strings.Join(taken, " "))
			require.Equal(t, c.skipped, strings.Join(skipped, " "))
		})
	}
}

// Verifies: ORC-003
func TestRefusedDocuments(t *testing.T) {
	for _, c := range []struct{ name, src, pointer, detail string }{
		{"same id, other text", "- **FR-1** a\n- **FR-1** b", "R.md#L2", "FR-1 is defined on line 1 and with another text on line 2"},
		{"same id in two tables", "|ID|T|\n|-|-|\n|FR-1|a|\n\n|ID|T|\n|-|-|\n|FR-1|b|", "R.md#L7", "FR-1 is defined on line 3 and with another text on line 7"},
		{"other zero padding", "- **FR-001** a\n- **FR-01** b", "R.md#L2", "did you mean FR-001?"},
		{"other zero padding, same text", "- **FR-001** a\n- **FR-1** a", "R.md#L2", "FR-1 on line 2 is nearly FR-001 on line 1"},
		{"other case", "- **REQ-001** a\n- **Req-001** b", "R.md#L2", "did you mean REQ-001?"},
		{"other case, plain", "- req-001: b\n- REQ-001: a", "R.md#L1", "did you mean REQ-001?"},
		{"non-breaking hyphen", "- **FR\u2011001** a", "R.md#L1", `"FR\u2011001" on line 1 holds characters that only look like others or are invisible: did you mean FR-001?`},
		{"en dash", "### FR–001: a", "R.md#L1", "did you mean FR-001?"},
		{"minus sign", "- FR\u2212001: a", "R.md#L1", "did you mean FR-001?"},
		{"full-width", "- **ＦＲ－００１** 正文", "R.md#L1", "did you mean FR-001?"},
		{"zero width space", "- **FR-\u200b001** a", "R.md#L1", "did you mean FR-001?"},
		{"bidi override", "- **\u202eFR-001** a", "R.md#L1", "did you mean FR-001?"},
		{"too long", "- **" + strings.Repeat("A", 128) + "-1** a", "R.md#L1", "the id has 130 characters"},
		{"NUL", "a\nb\x00", "R.md#L2", "this line holds a NUL character"},
		{"not UTF-8", "a\r\nb\xff", "R.md#L2", "this line is not valid UTF-8"},
		{"UTF-16", "\xff\xfe#\x00", "R.md#L1", "this line is not valid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := readOne([]byte(c.src))
			requireRefusal(t, err)
			require.Empty(t, doc)
			var refused *fault.Error
			require.True(t, errors.As(err, &refused))
			require.Len(t, refused.Fields, 1)
			require.Equal(t, c.pointer, refused.Fields[0].Pointer)
			require.Contains(t, refused.Fields[0].Detail, c.detail)
			require.NotEmpty(t, refused.Fields[0].Fix)
		})
	}
}

func TestEveryProblemIsListed(t *testing.T) {
	_, err := readOne([]byte("- **FR-1** a\n- **FR-1** b\n- **FR\u2010002** c\n- **Fr-01** d"))
	var refused *fault.Error
	require.True(t, errors.As(err, &refused))
	require.Equal(t, "document_invalid", string(refused.Code))
	var at []string
	for _, field := range refused.Fields {
		at = append(at, field.Pointer)
	}
	require.Equal(t, []string{"R.md#L2", "R.md#L3", "R.md#L4"}, at)
}

func TestRepetitionIsAWarning(t *testing.T) {
	doc, err := readOne([]byte("- **FR-1** a  b\n\n# Again\n\n- **FR-1** a b"))
	require.NoError(t, err)
	require.Len(t, doc.Requirements, 1)
	require.Equal(t, 1, doc.Requirements[0].Line)
	require.Len(t, doc.Warnings, 1)
	require.Equal(t, 5, doc.Warnings[0].Line)
	require.Contains(t, doc.Warnings[0].Message, "line 1 and again, word for word, on line 5")
}

func TestWhatIsDefinedWithinARequirementIsAHoleInIt(t *testing.T) {
	set, err := readOne([]byte("## FR-01: Login\n\n- **FR-01.1**: by key\n\nA note.\n\n### Acceptance\n- a\n\n### FR-01.2: By card\n\nText.\n\n#### Acceptance\n- b\n\n#### Scenario: c\n- d\n\n### Notes\n\nMore.\n\n## End\n\nText."))
	require.NoError(t, err)
	require.Equal(t, "FR-01 | FR-01.1 | FR-01.2", ids(set.Requirements))
	require.Equal(t, "A note.\n\n### Notes\n\nMore.", set.Requirements[0].Text)
	require.Equal(t, []Criterion{{"", KindAcceptance, "a"}}, set.Requirements[0].Acceptance)
	require.Equal(t, []Criterion{{"", KindAcceptance, "b"}, {"", KindScenario, "c: - d"}}, set.Requirements[2].Acceptance)
	require.Empty(t, set.Warnings)
}

func TestFingerprint(t *testing.T) {
	of := func(src string) string {
		doc, err := readOne([]byte(src))
		require.NoError(t, err)
		require.Len(t, doc.Requirements, 1, src)
		return doc.Requirements[0].Fingerprint
	}
	base := of("### FR-1: Title\n\nSome text.\n\nAcceptance:\n\n- a\n- b\n")
	for name, src := range map[string]string{
		"another id":         "### FR-001: Title\n\nSome text.\n\nAcceptance:\n\n- a\n- b\n",
		"another level":      "# FR-1 — Title\n\nSome text.\n\n## Acceptance criteria\n1. a\n2. b\n",
		"CRLF":               "### FR-1: Title\r\n\r\nSome text.\r\n\r\nAcceptance:\r\n\r\n- a\r\n- b\r\n",
		"no final newline":   "### FR-1: Title\n\nSome text.\n\nAcceptance:\n\n- a\n- b",
		"other line breaks":  "### FR-1: Title\n\nSome\n text.\n\n**Acceptance**\n- a\n- [x] b\n\n\n---\n",
		"a BOM and an intro": "\ufeff# Intro\n\n### FR-1:  Title\n\nSome text.\n\nAcceptance:\n\n- a\n- b\n",
	} {
		require.Equal(t, base, of(src), name)
	}
	for name, src := range map[string]string{
		"title":              "### FR-1: Other\n\nSome text.\n\nAcceptance:\n\n- a\n- b\n",
		"text":               "### FR-1: Title\n\nSome texts.\n\nAcceptance:\n\n- a\n- b\n",
		"criteria joined":    "### FR-1: Title\n\nSome text.\n\nAcceptance:\n\n- a b\n",
		"criteria as text":   "### FR-1: Title\n\nSome text.\n\n- a\n- b\n",
		"criteria reordered": "### FR-1: Title\n\nSome text.\n\nAcceptance:\n\n- b\n- a\n",
	} {
		require.NotEqual(t, base, of(src), name)
	}
	require.Equal(t, of("# FR-1"), of("# NFR-001"), "a title that falls back to the id has no part in it")
}

func TestTitles(t *testing.T) {
	for _, c := range []struct{ src, title, text string }{
		{"### FR-1: A *fine* `title` [here](x) ###", "A fine title here", ""},
		{"### FR-1", "FR-1", ""},
		{"### FR-1\n\nFirst, e.g. this. Second.", "First, e.g. this.", "First, e.g. this. Second."},
		{"### **FR-1: Bold** rest\n\nBody.", "Bold rest", "Body."},
		{"- **FR-1: Title.** Text goes\n  on.", "Title", "Text goes\non."},
		{"- **FR-1**: Text that\n  wraps. More.", "Text that wraps.", "Text that\nwraps. More."},
		{"**FR-1**\n```\nGiven x\n```", "Given x", "```\nGiven x\n```"},
		{"FR-1: Two\nlines\n===\nBody.", "Two lines", "Body."},
		{"|ID|P|Text|\n|-|-|-|\n|FR-1|1|The **text** `a\\|b`|", "The text a|b", "1"},
		{"- **FR-1** 系统必须保存。然后。", "系统必须保存。", "系统必须保存。然后。"},
		{"### FR-1: &lt;T&gt; snake\\_case", "<T> snake_case", ""},
	} {
		doc, err := readOne([]byte(c.src))
		require.NoError(t, err)
		require.Len(t, doc.Requirements, 1, c.src)
		require.Equal(t, c.title, doc.Requirements[0].Title, c.src)
		require.Equal(t, c.text, doc.Requirements[0].Text, c.src)
	}
}
