package main

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// The keywords whose value is a schema, an object of schemas, or a list of them.
var (
	oneBelow  = []string{"items", "additionalProperties", "unevaluatedProperties", "propertyNames", "not", "if", "then", "else", "contains"}
	manyBelow = []string{"properties", "patternProperties", "dependentSchemas"}
	listBelow = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
)

// notes are the keywords that a tool may overlook beside a reference, as they forbid nothing.
var notes = []string{"description", "title", "default", "example", "examples", "deprecated", "readOnly", "writeOnly"}

// schema returns a schema as the document has it. whole says that it is a component itself.
func (b *bundler) schema(p place, node any, whole bool) any {
	if _, has := b.names[p]; has && !whole {
		return object{{"$ref", "#" + schemasPointer + b.names[p]}}
	}
	n, is := node.(object)
	if !is {
		return node // a truth value
	}
	n = n.without("$schema", "$id", "$defs", "$comment")
	if ref, is := n.get("$ref").(string); is {
		return b.reference(p, target(p, ref), n.without("$ref"))
	}
	n = b.parts(p, n)
	if union := b.union(p, n); union != nil {
		return union
	}
	return typed(enumerated(either(n)))
}

// either returns a schema with anyOf in the place of an if that has an else alone, which says the same and is known to
// more tools.
func either(n object) object {
	if !n.has("if") || !n.has("else") || n.has("then") {
		return n
	}
	return append(object{{"anyOf", []any{n.get("else"), n.get("if")}}}, n.without("if", "else")...)
}

// parts returns a schema with the schemas in it.
func (b *bundler) parts(p place, n object) object {
	out := object{}
	for _, m := range n {
		at := p.below(m.name)
		switch {
		case slices.Contains(oneBelow, m.name):
			m.value = b.schema(at, m.value, false)
		case slices.Contains(manyBelow, m.name):
			many := object{}
			for _, one := range m.value.(object) {
				many = append(many, member{one.name, b.schema(at.below(one.name), one.value, false)})
			}
			m.value = many
		case slices.Contains(listBelow, m.name):
			list := make([]any, len(m.value.([]any)))
			for i, one := range m.value.([]any) {
				list[i] = b.schema(at.below(strconv.Itoa(i)), one, false)
			}
			m.value = list
		}
		out = append(out, m)
	}
	return out
}

// reference returns a reference with what stands beside it. What restricts or adds to the target is joined with it,
// as most tools overlook it; a target that may also be null becomes a choice.
func (b *bundler) reference(from, to place, beside object) any {
	to = b.end(to)
	if node := b.at(to); strings.Contains(to.pointer, "/properties/") && isScalar(node) {
		return joined(b.parts(to, node), beside) // too small for a name of its own
	}
	restricts := beside.without(notes...)
	if len(restricts) == 0 || len(restricts) == 1 && restricts.get("type") == "object" {
		return append(object{{"$ref", "#" + schemasPointer + b.component(to)}}, beside.without("type")...)
	}
	if types, is := restricts.get("type").([]any); is && len(restricts) == 1 && slices.Equal(types, []any{"object", "null"}) {
		ref := object{{"$ref", "#" + schemasPointer + b.component(to)}}
		return append(beside.without("type"), member{"oneOf", []any{ref, object{{"type", "null"}}}})
	}
	all, _ := b.schema(to, b.at(to), true).(object)
	if all.has("$ref") || all.has("additionalProperties") && restricts.has("properties") && !b.overrides(all, restricts) {
		b.fail("%s: what stands beside the reference to %s cannot be joined with it", from, to)
	}
	return typed(joined(all.without("title"), b.parts(from, beside)))
}

// end follows references to references.
func (b *bundler) end(p place) place {
	for b.err == nil {
		ref, is := b.at(p).get("$ref").(string)
		if !is || len(b.at(p)) > 1 || target(p, ref) == p {
			break
		}
		p = target(p, ref)
	}
	return p
}

// isScalar reports whether a schema is of a text, a number or a truth value that is not enumerated.
func isScalar(n object) bool {
	single, _ := n.get("type").(string)
	return slices.Contains([]string{"string", "integer", "number", "boolean"}, single) && !n.has("enum")
}

// overrides reports whether properties are all of those that a closed schema has.
func (b *bundler) overrides(closed, own object) bool {
	return !slices.ContainsFunc(own.objectOf("properties"), func(m member) bool { return !closed.objectOf("properties").has(m.name) })
}

// joined returns a schema with the keywords of another: properties and required of both, the rest of the second.
func joined(all, own object) object {
	for _, m := range own {
		switch m.name {
		case "properties":
			properties := all.objectOf("properties")
			for _, one := range m.value.(object) {
				properties = properties.with(one.name, one.value)
			}
			all = all.with("properties", properties)
		case "required":
			before, _ := all.get("required").([]any)
			all = all.with("required", slices.Concat(before, m.value.([]any)))
		case "unevaluatedProperties":
			all = all.with("additionalProperties", m.value)
		default:
			all = all.with(m.name, m.value)
		}
	}
	return all
}

// enumerated returns a schema that chooses among described constants as an enumeration, with the descriptions beside
// it.
func enumerated(n object) object {
	var values []any
	descriptions := object{}
	list, _ := n.get("oneOf").([]any)
	for i := range list {
		one, _ := list[i].(object)
		value, is := one.get("const").(string)
		if !is || len(one.without("const", "description", "type")) > 0 {
			return n
		}
		values, descriptions = append(values, value), append(descriptions, member{value, one.get("description")})
	}
	if values == nil {
		return n
	}
	return append(n.without("oneOf"), member{"enum", values}, member{"x-enumDescriptions", descriptions})
}

// typeOf lists the keywords that say which type a schema is meant for.
var typeOf = []struct {
	name     string
	keywords []string
}{
	{"object", []string{"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties"}},
	{"array", []string{"items", "minItems", "maxItems", "uniqueItems"}},
	{"string", []string{"pattern", "minLength", "maxLength", "format", "contentEncoding"}},
}

// typed returns a schema that says its type.
func typed(n object) object {
	if n.has("type") || n.has("$ref") {
		return n
	}
	for _, t := range typeOf {
		if slices.ContainsFunc(t.keywords, n.has) {
			return append(object{{"type", t.name}}, n...)
		}
	}
	values, _ := n.get("enum").([]any)
	if n.has("const") {
		values = []any{n.get("const")}
	}
	if asks := n.objectOf("if"); asks != nil { // which has its own already
		return append(object{{"type", asks.get("type")}}, n...)
	}
	var types []any
	for _, value := range values {
		if t := valueType(value); !slices.Contains(types, any(t)) {
			types = append(types, t)
		}
	}
	switch len(types) {
	case 0:
		return n
	case 1:
		return append(object{{"type", types[0]}}, n...)
	}
	return append(object{{"type", types}}, n...)
}

// valueType returns the type of a constant.
func valueType(value any) string {
	switch v := value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	}
	return "object"
}
