package proposal

import (
	"bytes"
	"context"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v3"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// Value is a part as it is sent.
type Value struct{ members map[string]any }

// Empty reports whether there is nothing to send.
func (v Value) Empty() bool { return len(v.members) == 0 }

// MarshalJSON writes the members in the order of their names.
func (v Value) MarshalJSON() ([]byte, error) {
	return jsonv2.Marshal(v.members, jsonv2.Deterministic(true))
}

// Part is what a role writes whole, as a text to edit.
type Part struct {
	Field string // of a change request
	start string // what stands in the text where there is nothing yet
	more  string // the other members, commented out
}

// The parts, by the roles that write them.
var (
	Design = Part{lifecycle.FieldDesignSpec, "summary: <what is to be built, and how>\n", `# components:
#   - name: <its name>
#     responsibility: <what it does>
# interfaces:
#   - <a sentence>
# decisions:
#   - <a sentence>
# risks:
#   - <a sentence>
# files:
#   - <path in the repository>
`}
	Implementation = Part{lifecycle.FieldImplementation,
		"summary: <what was built>\nfiles:\n  - path: <path in the repository>\n" +
			"    lines: <10-20, or leave this line out>\n",
		"# commits:\n#   - <full id of a commit>\n# notes: <a remark>\n"}
	Test = Part{lifecycle.FieldTest, "plan: <what is tested, and how>\nevidence:\n" +
		"  - test:<name of a test>@<path of the report>\n",
		"# results: {passed: 1, failed: 0}   # left out, they are counted from the reports\n# notes: <a remark>\n"}
)

const manual = `#
# Write below, as YAML. Lines that begin with # are left out, and what stands in <> has to be replaced.
# Save and close the file to send it; an unchanged or an emptied file changes nothing.
`

// Template returns the text to edit: the requirement as a comment, then what is there already, or where to begin.
func (p Part) Template(req lifecycle.Requirement, present []byte) (string, error) {
	var b strings.Builder
	b.WriteString(comment(req.ID + ": " + req.Title))
	if text := strings.TrimSpace(req.Text); text != req.Title {
		b.WriteString(comment(text))
	}
	for _, a := range req.Acceptance {
		b.WriteString(comment("- " + a.Text))
	}
	b.WriteString(manual)
	body := p.start
	if len(present) > 0 {
		var err error
		if body, err = asYAML(present); err != nil {
			return "", err
		}
	}
	return b.String() + body + p.more, nil
}

// Plain returns the JSON of a part as its role edits it; what cannot be edited, as it is.
func Plain(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	text, err := asYAML(raw)
	if err != nil {
		return string(raw)
	}
	return text
}

// asYAML writes JSON as YAML, the summary first.
func asYAML(raw []byte) (string, error) {
	var value yaml.Node // JSON is YAML, and keeps its order
	if err := yaml.Unmarshal(raw, &value); err != nil {
		return "", err
	}
	plain(&value)
	if len(value.Content) == 1 {
		members := value.Content[0].Content
		for i := 0; i+1 < len(members); i += 2 {
			if members[i].Value == "summary" {
				summary := slices.Clone(members[i : i+2])
				value.Content[0].Content = slices.Concat(summary, members[:i], members[i+2:])
			}
		}
	}
	var out bytes.Buffer
	to := yaml.NewEncoder(&out)
	to.SetIndent(2)
	err := to.Encode(&value)
	return out.String(), err
}

// plain takes the braces and quotes of JSON away.
func plain(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		plain(c)
	}
}

// comment makes a comment of a text from a document; none of its lines can become a line of the text.
func comment(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	return "# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n"
}

// Read reads an edited text as the value of the part, which is empty where the text says nothing. What of the template
// stands in it still is named in the error.
func (p Part) Read(ctx context.Context, t Tree, text []byte) (Value, error) {
	var value Value
	if err := yaml.Unmarshal(text, &value.members); err != nil {
		return value, fault.Misuse("the text of %s is no YAML", p.Field).
			WithFix("write it as: summary: …; orchestrator show ID has what is there").Because(err)
	}
	if err := p.checkFilled("the text", value); err != nil {
		return value, err
	}
	return value, p.readEvidence(ctx, t, value)
}

// readEvidence replaces evidence in words.
func (p Part) readEvidence(ctx context.Context, t Tree, value Value) error {
	list, _ := value.members["evidence"].([]any)
	for i, item := range list {
		word, is := item.(string)
		if !is {
			continue
		}
		cited, err := t.Evidence(ctx, word, false)
		if err != nil {
			return err
		}
		list[i] = cited.Evidence
	}
	return nil
}

// Same reports whether an edited text says what the template said, or nothing.
func Same(template string, text []byte) bool {
	left := strings.TrimSpace(uncommented(string(text)))
	return left == "" || left == strings.TrimSpace(uncommented(template))
}

func uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}
