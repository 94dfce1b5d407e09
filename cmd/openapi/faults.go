package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// faults returns what tools would stumble over in a document that is one file.
func faults(document object) error {
	f := &finder{document: document, ids: map[string]string{}}
	f.part("", document)
	seen := map[string]string{}
	for _, section := range document.objectOf("components") {
		for _, m := range section.value.(object) {
			low := strings.ToLower(m.name)
			if other := seen[low]; other != "" && section.name != "headers" {
				f.add("components", "%s is also the name of a component of %s", m.name, other)
			}
			seen[low] = section.name
		}
	}
	return errors.Join(f.errs...)
}

type finder struct {
	document object
	ids      map[string]string // of operations, by their lower case
	errs     []error
}

func (f *finder) add(at, format string, values ...any) {
	f.errs = append(f.errs, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, values...)))
}

func (f *finder) part(at string, node any) {
	switch n := node.(type) {
	case []any:
		for i := range n {
			f.part(fmt.Sprint(at, "/", i), n[i])
		}
	case object:
		f.reference(at, n)
		if n.get("required") == true && n.has("in") && !n.has("example") && !n.has("examples") {
			f.add(at, "a required parameter needs an example")
		}
		f.operation(at, n)
		for _, m := range n {
			switch below := at + "/" + m.name; {
			case m.name == "schema":
				f.schema(below, m.value)
			case below == "/components/schemas":
				for _, one := range m.value.(object) {
					f.schema(below+"/"+one.name, one.value)
				}
			case m.name != "example" && m.name != "examples":
				f.part(below, m.value)
			}
		}
	}
}

// operation finds ids of operations that differ only by case.
func (f *finder) operation(at string, n object) {
	id, is := n.get("operationId").(string)
	if !is {
		return
	}
	if other := f.ids[strings.ToLower(id)]; other != "" {
		f.add(at, "the operation %s has the name of %s", id, other)
	}
	f.ids[strings.ToLower(id)] = id
}

// schema finds schemas that are truth values, have no type, or refer to what is not there.
func (f *finder) schema(at string, node any) {
	n, is := node.(object)
	if !is {
		f.add(at, "a schema that is %v", node)
		return
	}
	f.reference(at, n)
	if !slices.ContainsFunc([]string{"type", "$ref", "allOf", "anyOf", "oneOf"}, n.has) {
		f.add(at, "a schema without a type")
	}
	for _, m := range n {
		below := at + "/" + m.name
		switch {
		case slices.Contains([]string{"$schema", "$id", "$defs", "unevaluatedProperties"}, m.name):
			f.add(below, "tools do not take this keyword")
		case slices.Contains(oneBelow, m.name) && !(m.name == "additionalProperties" && m.value == false):
			f.schema(below, m.value)
		case slices.Contains(manyBelow, m.name):
			for _, one := range m.value.(object) {
				f.schema(below+"/"+one.name, one.value)
			}
		case slices.Contains(listBelow, m.name):
			for i, one := range m.value.([]any) {
				f.schema(fmt.Sprint(below, "/", i), one)
			}
		}
	}
}

// reference finds a reference to a component that is not there, or to something else than a component.
func (f *finder) reference(at string, n object) {
	ref, is := n.get("$ref").(string)
	if !is {
		return
	}
	parts := strings.Split(ref, "/")
	if len(parts) != 4 || parts[0] != "#" || !f.document.objectOf("components").objectOf(parts[2]).has(parts[3]) {
		f.add(at, "%s is no component", ref)
	}
}
