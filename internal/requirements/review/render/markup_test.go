package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/reviewtest"
	"orchestrator/internal/rules/lifecycle"
)

// anyText makes text of the characters that mean something somewhere.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"REQ-1", "docs/a b.md", reviewtest.Hostile, "", " ", "\\|", "\\\\|", "``|`", "-->",
			"<!--", "</code>", "&#124;", "a_b", "1. x", "- x", "\xff\xfe", "@a", "::x", "`"}),
		rapid.StringOfN(rapid.SampledFrom([]rune("ab1|\\`*_[]()<>#&;!~$@:/.-+= \n\r\t\u202e\u200b\x1b字é")), 0, 24, -1),
	)
}

// Whatever the texts, a table keeps its cells, and nothing in it is a link, an image or HTML of theirs.
func TestNoTextBreaksOutOfMarkdown(t *testing.T) {
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(anyText(), 9, 9).Draw(t, "texts")
		s := sheet{title: "T " + texts[0]}
		s.add(block{
			heading: "H " + texts[1], lines: []string{texts[2], texts[3]}, texts: []string{texts[4]},
			heads: []string{"A", "B", "C"},
			rows:  [][]cell{{name(texts[5]), prose(texts[6]), number(1)}, {name(texts[7]), prose(texts[8]), number(2)}},
		})
		var b bytes.Buffer
		if err := s.markdown(&b); err != nil {
			t.Fatal(err)
		}
		kinds := map[string]int{}
		_ = ast.Walk(parser.Parse(text.NewReader(b.Bytes())), func(n ast.Node, enter bool) (ast.WalkStatus, error) {
			if !enter {
				return ast.WalkContinue, nil
			}
			kinds[n.Kind().String()]++
			if raw, is := n.(*ast.RawHTML); is {
				html := string(raw.Segments.Value(b.Bytes()))
				require.Contains(t, []string{"<code>", "</code>", "<!-- -->"}, html)
			}
			return ast.WalkContinue, nil
		})
		want := map[string]int{
			ast.KindHeading.String(): 2, ast.KindList.String(): 1, ast.KindListItem.String(): 2,
			ast.KindFencedCodeBlock.String(): 1,
			east.KindTable.String():          1, east.KindTableRow.String(): 2, east.KindTableCell.String(): 9,
			ast.KindLink.String(): 0, ast.KindAutoLink.String(): 0, ast.KindImage.String(): 0,
			ast.KindEmphasis.String(): 0, ast.KindHTMLBlock.String(): 0,
			ast.KindBlockquote.String(): 0, ast.KindThematicBreak.String(): 0, ast.KindCodeBlock.String(): 0,
			east.KindStrikethrough.String(): 0,
			east.KindTaskCheckBox.String():  0,
		}
		for kind, n := range want {
			require.Equal(t, n, kinds[kind], "%s in\n%s", kind, b.String())
		}
	})
}

// No rendering has a character that steers a terminal or hides.
func TestRenderingsHaveOnlyVisibleCharacters(t *testing.T) {
	for name, write := range renderings(t) {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		if strings.HasSuffix(name, ".json") || strings.Contains(name, "narrow") {
			continue // JSON is data and escapes what it must; the narrow one has colours of ours
		}
		for i, r := range b.String() {
			require.True(t, r == '\n' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp),
				"%s has %U at %d", name, r, i)
		}
	}
}

// A runner of GitHub Actions finds in a log no command that is not ours.
func TestNoTextIsAWorkflowCommand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := reviewtest.Defined(1)
		req.ID, req.Title, req.Source.Path = anyText().Draw(t, "id"), anyText().Draw(t, "title"), anyText().
			Draw(t, "path")
		r := review.Gate(review.Full(reviewtest.InputOf(req)), review.GateOptions{Require: review.RequireDone})
		var b, annotations bytes.Buffer
		require.NoError(t, Gate{r}.Text(&b))
		require.Equal(t, 1, strings.Count(b.String(), "\n"))
		require.False(t, strings.HasPrefix(strings.TrimSpace(b.String()), "::"), b.String())
		require.NoError(t, Gate{r}.Annotations(&annotations))
		require.Equal(t, 1, strings.Count(annotations.String(), "\n"))
		require.NotContains(t, b.String()+annotations.String(), "##[")
		command, _, _ := strings.Cut(strings.TrimPrefix(annotations.String(), "::error "), "::")
		for property := range strings.SplitSeq(command, ",") {
			key, _, found := strings.Cut(property, "=")
			require.True(t, found && slices.Contains([]string{"file", "line", "title"}, key), annotations.String())
		}
	})
}

func TestWorkflowCommandsAreEscaped(t *testing.T) {
	require.Equal(t, "50%25 done: a, b", data("50% done: a, b"))
	require.Equal(t, "a%3A b%2C 5%25", property("a: b, 5%"))
	require.Equal(t, "one two", data("one\r\ntwo")[:3]+" "+data("one\r\ntwo")[5:])
}

// What is written as JUnit XML is read back by another's reader.
//
// Verifies: ORC-094
func TestJUnitIsReadBack(t *testing.T) {
	for _, in := range []review.Input{reviewtest.Everything(t), reviewtest.AssaultedInput(t),
		reviewtest.InputOf(reviewtest.At(t, 1, lifecycle.Done))} {
		r := review.Gate(review.Full(in), review.GateOptions{Require: review.RequireDone})
		var b bytes.Buffer
		require.NoError(t, Gate{r}.JUnit(&b))
		var report struct {
			XMLName xml.Name `xml:"testsuites"`
			Suites  []struct {
				Cases []struct {
					Failure *struct {
						Message string `xml:"message,attr"`
						Text    string `xml:",chardata"`
					} `xml:"failure"`
					Skipped *struct{} `xml:"skipped"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		require.NoError(t, xml.Unmarshal(b.Bytes(), &report))
		var failed, skipped, all int
		for _, s := range report.Suites {
			for _, c := range s.Cases {
				all++
				switch {
				case c.Failure != nil:
					failed++
					require.NotEmpty(t, c.Failure.Message+c.Failure.Text)
				case c.Skipped != nil:
					skipped++
				}
			}
		}
		require.Equal(t, r.Total+len(r.Problems), all)
		require.Equal(t, r.Failed+len(r.Problems), failed)
		require.Equal(t, r.Deferred+r.Retired, skipped)
		var head struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
		}
		require.NoError(t, xml.Unmarshal(b.Bytes(), &head))
		require.Equal(t, []int{all, failed}, []int{head.Tests, head.Failures})
	}
}

// The parts of SARIF 2.1.0 that its schema requires, and the bounds it sets.
//
// Verifies: ORC-094
func TestSARIFHasWhatItsSchemaRequires(t *testing.T) {
	for _, in := range []review.Input{reviewtest.Everything(t), reviewtest.AssaultedInput(t), reviewtest.InputOf(),
		reviewtest.InputOf(reviewtest.At(t, 1, lifecycle.Done))} {
		var b bytes.Buffer
		require.NoError(t, Gate{review.Gate(review.Full(in), review.GateOptions{Require: review.RequireTested})}.SARIF(&b))
		var log sarifLog
		d := json.NewDecoder(&b)
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&log))
		require.Equal(t, "2.1.0", log.Version)
		require.Len(t, log.Runs, 1)
		run := log.Runs[0]
		require.NotEmpty(t, run.Tool.Driver.Name)
		require.NotNil(t, run.Results, "a list, since the run did happen")
		ids := map[fault.Code]bool{}
		for _, rule := range run.Tool.Driver.Rules {
			require.False(t, ids[rule.ID], "rules are unique")
			ids[rule.ID] = true
			require.NotEmpty(t, rule.ShortDescription.Text)
		}
		for _, result := range run.Results {
			require.NotEmpty(t, result.Message.Text)
			require.Equal(t, result.RuleID, run.Tool.Driver.Rules[result.RuleIndex].ID)
			require.Equal(t, "error", result.Level)
			for _, l := range result.Locations {
				uri, err := url.Parse(l.Physical.Artifact.URI)
				require.NoError(t, err)
				require.Empty(t, uri.Scheme, "a relative reference")
				require.True(t, l.Physical.Region == nil || l.Physical.Region.StartLine > 0)
			}
		}
	}
}

func TestSARIFMessagesAreLiteral(t *testing.T) {
	require.Equal(t, `\[a\](1) {{0}} \\`, literal("[a](1) {0} \\"))
	require.Equal(t, "./a:b/c%20d.md", locations("a:b/c d.md", 0)[0].Physical.Artifact.URI)
}

func TestTablesKeepEveryCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, columns := clean(anyText().Draw(t, "text")), rapid.IntRange(2, 30).Draw(t, "columns")
		lines := wrap(s, columns)
		require.Equal(t, strings.ReplaceAll(s, " ", ""), strings.ReplaceAll(strings.Join(lines, ""), " ", ""))
		for _, line := range lines {
			require.LessOrEqual(t, width(line), columns)
		}
	})
	require.Equal(t, []string{"one two", "three"}, wrap("one two three", 8))
	require.Equal(t, []string{"字字", "字"}, wrap("字字字", 5))
}
