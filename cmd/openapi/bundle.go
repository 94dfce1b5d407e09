package main

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// place is where a schema stands: a file, "" for the document itself, and a JSON Pointer in it.
type place struct{ file, pointer string }

func (p place) below(names ...string) place {
	for _, name := range names {
		p.pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return p
}

// String returns the place as a reference to it.
func (p place) String() string { return p.file + "#" + p.pointer }

const schemasPointer = "/components/schemas/"

// bundler makes one document of several.
type bundler struct {
	files map[string]object
	names map[place]string // the components that schemas of other files, and parts of components, become
	found []place          // those that were found on the way, in order
	made  object           // components that stand nowhere
	err   error
}

// bundle returns the JSON of a document in YAML, with all that it refers to.
func bundle(document []byte, others fs.FS) ([]byte, error) {
	b, err := newBundler(document, others)
	if err != nil {
		return nil, err
	}
	b.takeAliases()
	var out object
	for known := -1; known < len(b.found) && b.err == nil; { // until everything that is referred to has a name
		known = len(b.found)
		out = b.document()
	}
	if b.err != nil {
		return nil, b.err
	}
	if err := faults(out); err != nil {
		return nil, err
	}
	text, err := encode(out, 3)
	return append(text, '\n'), err
}

func newBundler(document []byte, others fs.FS) (*bundler, error) {
	b := &bundler{files: map[string]object{}, names: map[place]string{}}
	var err error
	if b.files[""], err = parse(document); err != nil {
		return nil, err
	}
	names, err := fs.Glob(others, "*.schema.json")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(others, name)
		if err != nil {
			return nil, err
		}
		if b.files[name], err = parse(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return b, nil
}

// takeAliases gives what components are nothing but references to their names.
func (b *bundler) takeAliases() {
	for _, m := range b.files[""].objectOf("components").objectOf("schemas") {
		if ref, is := m.value.(object).get("$ref").(string); is && len(m.value.(object)) == 1 {
			b.names[target(place{}, ref)] = m.name
		}
	}
}

// target returns the place that a reference at another place leads to.
func target(from place, ref string) place {
	file, pointer, _ := strings.Cut(ref, "#")
	if file == "" {
		return place{from.file, pointer}
	}
	return place{path.Base(file), pointer}
}

// at returns what stands at a place.
func (b *bundler) at(p place) object {
	node := b.files[p.file]
	for part := range strings.SplitSeq(strings.TrimPrefix(p.pointer, "/"), "/") {
		if part != "" {
			node = node.objectOf(strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		}
	}
	if node == nil {
		b.fail("%s leads nowhere", p)
	}
	return node
}

func (b *bundler) fail(format string, values ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, values...)
	}
}

// component returns the name of the component that a place is, or becomes.
func (b *bundler) component(p place) string {
	if name, is := strings.CutPrefix(p.pointer, schemasPointer); is && p.file == "" && !strings.Contains(name, "/") {
		return name
	}
	if b.names[p] == "" {
		b.names[p] = nameOf(p)
		b.found = append(b.found, p)
	}
	return b.names[p]
}

// nameOf makes a name of a place: Status of defs.schema.json#/$defs/status, TraceAnswer of
// trace.schema.json#/$defs/answer.
func nameOf(p place) string {
	words := strings.FieldsFunc(strings.TrimPrefix(p.pointer, schemasPointer), func(r rune) bool { return r == '/' || r == '_' })
	if p.file != "" && p.file != "defs.schema.json" {
		words = append(strings.Split(strings.TrimSuffix(p.file, ".schema.json"), "_"), words...)
	}
	name := ""
	for _, word := range words {
		if word != "$defs" && word != "properties" {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return name
}

// document returns the whole, with a component for each place that has got a name so far.
func (b *bundler) document() object {
	out := object{}
	for _, m := range b.files[""] {
		switch {
		case m.name == "components":
			out = append(out, member{m.name, b.components(m.value.(object))})
		case strings.HasPrefix(m.name, "x-") && strings.HasSuffix(m.name, "-headers"): // there for their anchors alone
		default:
			out = append(out, member{m.name, b.part(place{"", "/" + m.name}, m.value)})
		}
	}
	return out
}

func (b *bundler) components(all object) object {
	out := object{}
	for _, section := range all {
		at := place{"", "/components/" + section.name}
		if section.name != "schemas" {
			out = append(out, member{section.name, b.part(at, section.value)})
			continue
		}
		named := object{}
		for _, m := range section.value.(object) {
			named = append(named, member{m.name, b.named(at.below(m.name))})
		}
		for _, p := range slices.Clone(b.found) {
			if named.has(b.names[p]) {
				b.fail("%s would be a second component %s: give it another name with a component that is a reference to it", p, b.names[p])
			}
			named = append(named, member{b.names[p], b.schema(p, b.at(p), true)})
		}
		for _, m := range b.made {
			if named.has(m.name) {
				b.fail("%s would be a second component", m.name)
			}
			named = append(named, m)
		}
		out = append(out, member{section.name, named})
	}
	return out
}

// named returns the schema of a component. One that only gives a name is what it refers to.
func (b *bundler) named(p place) any {
	node := b.at(p)
	if ref, is := node.get("$ref").(string); is && len(node) == 1 {
		p = target(p, ref)
		node = b.at(p)
	}
	return b.schema(p, node, true)
}

// part returns a part of the document that is no schema, with the schemas in it.
func (b *bundler) part(p place, node any) any {
	switch n := node.(type) {
	case []any:
		out := make([]any, len(n))
		for i := range n {
			out[i] = b.part(p, n[i])
		}
		return out
	case object:
		out := object{}
		for _, m := range n {
			switch m.name {
			case "schema":
				m.value = b.schema(p.below(m.name), m.value, false)
			case "example", "examples":
			default:
				m.value = b.part(p.below(m.name), m.value)
			}
			out = append(out, m)
		}
		return out
	}
	return node
}
