package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"orchestrator/internal/system/tree"
	"path/filepath"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"
)

// Trust is what a client keeps of one registered hook, so that it runs it: that the person has trusted it as it is now.
type Trust struct {
	Event   string
	Key     string // under which the client keeps it
	Hash    string // of the hook as it is registered
	Trusted bool
	Off     bool // the person has switched it off
}

// Trusted returns what the client keeps of each of our hooks, and whether it trusts the project at all. Where the
// client asks nobody, there are none.
func Trusted(client string, o Options) (hooks []Trust, project bool, err error) {
	w, err := wiringOf(client)
	if err != nil || w.Trusts == "" {
		return nil, true, err
	}
	file := w.path(o)
	doc, _, err := load(file)
	if err != nil || doc == nil {
		return nil, true, err
	}
	kept, err := loadTOML(filepath.Join(o.Home, w.Trusts))
	if err != nil {
		return nil, false, err
	}
	for _, way := range doc.ways() {
		if len(way) != 5 {
			continue // it is in no group, and the client passes it over
		}
		hooks = append(hooks, trustOf(file, way, kept))
	}
	return hooks, o.User || trustsProject(kept, o.Root), nil
}

// trustOf looks a hook up by where it stands.
func trustOf(file string, way []step, kept map[string]any) Trust {
	event, group := way[1].child().name, way[2]
	t := Trust{Event: event, Hash: identity(event, group.child().value, way[4].child().value)}
	for _, path := range spellings(file) {
		t.Key = fmt.Sprintf("%s:%s:%d:%d", path, snake(event), group.index, way[4].index)
		state := inTOML(kept, "hooks", "state", t.Key)
		if state == nil {
			continue
		}
		t.Trusted = inTOML(state, "trusted_hash") == t.Hash
		t.Off = inTOML(state, "enabled") == false
		break
	}
	return t
}

// identity returns the hash by which the client knows a hook that has not changed: of what it is, in a normal form.
func identity(event string, group, hook *hujson.Value) string {
	type command struct {
		Async   bool   `json:"async"`
		Command string `json:"command"`
		Status  string `json:"statusMessage,omitempty"`
		Timeout int    `json:"timeout"`
		Type    string `json:"type"`
	}
	const patience = 600 // seconds, where none are given
	c := command{literal(get(hook, "async")) == "true", str(get(hook, "command")), str(get(hook, "statusMessage")),
		patience, "command"}
	if limit := get(hook, "timeout"); limit != nil {
		c.Timeout = max(1, int(number(limit)))
	}
	text, err := jsonv2.Marshal(struct {
		Event   string    `json:"event_name"`
		Hooks   []command `json:"hooks"`
		Matcher string    `json:"matcher,omitempty"`
	}{snake(event), []command{c}, str(get(group, "matcher"))})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// snake returns a name such as PreToolUse as pre_tool_use.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// trustsProject reports whether the client runs anything of a project: of its folder, or of the repository it lies in.
func trustsProject(kept map[string]any, root string) bool {
	for _, path := range spellings(root) {
		for at := path; ; at = filepath.Dir(at) {
			if level := inTOML(kept, "projects", at, "trust_level"); level != nil {
				return level == "trusted"
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return false
}

// spellings returns a path as it is, and with its links resolved.
func spellings(path string) []string { return slices.Compact([]string{path, tree.Resolve(path)}) }
