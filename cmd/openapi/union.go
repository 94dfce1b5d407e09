package main

import (
	"slices"
	"strings"
)

// variant is a case of a union: the constant of the member that tells the cases apart, and what holds then.
type variant struct {
	member, constant string
	then             object
}

// union returns a closed object with a case for each value of one of its members as a choice of objects, or nil for
// another schema. Many tools overlook conditions, and to some the members of a condition are the only ones.
func (b *bundler) union(p place, n object) any {
	list, _ := n.get("allOf").([]any)
	var cases []variant
	for i := range list {
		if c, is := caseOf(list[i]); is && c.member == firstMember(cases, c) {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 || len(cases) < len(list) || n.get("additionalProperties") != false || !covers(n, cases) {
		return nil
	}
	var choices []any
	mapping := object{}
	for _, c := range cases {
		ref := "#" + schemasPointer + b.generated(p, c.constant, closed(n, c))
		choices, mapping = append(choices, object{{"$ref", ref}}), append(mapping, member{c.constant, ref})
	}
	discriminator := object{{"propertyName", cases[0].member}, {"mapping", mapping}}
	return append(n.without("type", "properties", "required", "additionalProperties", "allOf"),
		member{"oneOf", choices}, member{"discriminator", discriminator})
}

func firstMember(cases []variant, c variant) string {
	if len(cases) > 0 {
		return cases[0].member
	}
	return c.member
}

// caseOf reads {"if": {"properties": {M: {"const": C}}, "required": [M]}, "then": {"required": …, "properties": …}}.
func caseOf(node any) (variant, bool) {
	one, _ := node.(object)
	asked, then := one.objectOf("if").objectOf("properties"), one.objectOf("then")
	if len(asked) != 1 || then == nil || one.has("else") || len(then.without("type", "required", "properties")) > 0 {
		return variant{}, false
	}
	constant, is := asked[0].value.(object).get("const").(string)
	return variant{asked[0].name, constant, then}, is
}

// covers reports whether each value of a member has a case.
func covers(n object, cases []variant) bool {
	values, _ := n.objectOf("properties").objectOf(cases[0].member).get("enum").([]any)
	return len(values) == len(cases) && !slices.ContainsFunc(cases, func(c variant) bool { return !slices.Contains(values, any(c.constant)) })
}

// closed returns the object of one case: its member is constant, and the members that the case forbids are gone.
func closed(n object, c variant) object {
	properties := object{}
	for _, m := range n.objectOf("properties") {
		own := c.then.objectOf("properties").get(m.name)
		switch {
		case m.name == c.member:
			m.value = object{{"type", "string"}, {"const", c.constant}}
		case own == false:
			continue
		case own != nil && own != true:
			m.value = own
		}
		properties = append(properties, m)
	}
	required, _ := n.get("required").([]any)
	more, _ := c.then.get("required").([]any)
	return n.without("allOf", "description").with("properties", properties).with("required", slices.Concat(required, more))
}

// generated gives a schema that stands nowhere a name, after the place that it is a case of.
func (b *bundler) generated(p place, constant string, schema object) string {
	of := b.names[p]
	if of == "" {
		of = nameOf(p)
	}
	name := of + strings.ToUpper(constant[:1]) + constant[1:]
	b.made = b.made.with(name, schema)
	return name
}
