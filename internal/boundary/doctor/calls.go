package doctor

import (
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// probeName is a file that nobody has, so that no policy speaks of it but in general.
const probeName = "orchestrator_doctor_probe.go"

// garbage is no call at all.
const garbage = `{"hook_event_name": "PreToolUse", "tool_name":`

// call joins members of a client's canned calls to a call in the project at root.
func call(root string, parts ...string) []byte {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	text := "{" + strings.Join(said, ",") + "}"
	return []byte(strings.NewReplacer("CWD", quoted(root), "NAME", probeName,
		"FILE", quoted(filepath.Join(root, probeName))).
		Replace(text))
}

func quoted(s string) string {
	text, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "�"))
	return string(text)
}
