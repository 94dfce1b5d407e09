package schemas

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Bundle returns a schema that refers to no other file: what it refers to there stands among its own $defs, as
// <file>.<name>. It accepts the same documents. It is for whoever has no way to the others.
func Bundle(name string) ([]byte, error) {
	b := bundle{root: name, defs: map[string]any{}}
	out, _ := b.within(name, document(name)).(map[string]any)
	own, _ := out["$defs"].(map[string]any)
	if own == nil {
		own = map[string]any{}
	}
	for key, definition := range b.defs {
		own[key] = definition
	}
	if len(own) > 0 {
		out["$defs"] = own
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(out)
	return bytes.TrimSpace(text.Bytes()), err
}

// bundle gathers what a schema refers to.
type bundle struct {
	root string
	defs map[string]any // of other files
}

// within copies a part of a file, with what it refers to as the root refers to it.
func (b bundle) within(file string, node any) any {
	switch n := node.(type) {
	case []any:
		out := make([]any, len(n))
		for i := range n {
			out[i] = b.within(file, n[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(n))
		for key, value := range n {
			if ref, is := value.(string); is && key == "$ref" {
				out[key] = b.ref(file, ref)
				continue
			}
			out[key] = b.within(file, value)
		}
		return out
	}
	return node
}

// ref returns a reference as the root has it. Its target, where that is in another file, is gathered the first time.
func (b bundle) ref(file, ref string) string {
	where, target := resolve(file, ref)
	_, pointer, _ := strings.Cut(ref, "#")
	if where == b.root {
		return "#" + pointer
	}
	key := strings.TrimSuffix(where, ".schema.json")
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part != "" && part != "$defs" && part != "properties" {
			key += "." + part
		}
	}
	if _, gathered := b.defs[key]; !gathered {
		b.defs[key] = nil // which is filled in below, and not looked for again before
		b.defs[key] = b.within(where, target)
	}
	return "#/$defs/" + key
}
