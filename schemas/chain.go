package schemas

import (
	"maps"
	"slices"
)

// chained returns a schema in which the conditions of each allOf that ask one member for a constant are a chain: each
// stands in the else of the one before. At most one of them holds, so the rest need not be looked at, and a condition
// that does not hold costs the library more than one that does. A chain that is all of an allOf takes its place.
func chained(node any) any {
	switch n := node.(type) {
	case []any:
		for i := range n {
			n[i] = chained(n[i])
		}
	case map[string]any:
		for key := range n {
			n[key] = chained(n[key])
		}
		all, ok := n["allOf"].([]any)
		if !ok {
			return n
		}
		if all = chain(all); len(all) == 1 && n["if"] == nil && isCondition(all[0]) {
			delete(n, "allOf")
			maps.Copy(n, all[0].(map[string]any))
		} else {
			n["allOf"] = all
		}
	}
	return node
}

// isCondition reports whether a schema has nothing but a condition, which can stand in any schema that has none.
func isCondition(schema any) bool {
	s, is := schema.(map[string]any)
	for key := range s {
		is = is && slices.Contains([]string{"if", "then", "else"}, key)
	}
	return is
}

// chain links neighbours that ask the same member for constants that differ.
func chain(all []any) []any {
	var linked []any
	var member string         // that the chain asks
	var end map[string]any    // of the chain
	var asked map[string]bool // the constants in the chain
	for _, one := range all {
		name, constant := condition(one)
		if name != "" && name == member && !asked[constant] {
			end["else"] = one
		} else {
			linked, member, asked = append(linked, one), name, map[string]bool{}
		}
		if name != "" {
			end = one.(map[string]any)
			asked[constant] = true
		}
	}
	return linked
}

// condition returns the member and the constant that a schema asks for before its then applies, or "", "":
//
//	{"if": {"properties": {"member": {"const": "constant"}}, "required": ["member"]}, "then": {…}}
func condition(schema any) (member, constant string) {
	s, _ := schema.(map[string]any)
	if s["then"] == nil || len(s) != 2 {
		return "", ""
	}
	asks, _ := s["if"].(map[string]any)
	properties, _ := asks["properties"].(map[string]any)
	required, _ := asks["required"].([]any)
	if len(asks) != 2 || len(properties) != 1 || len(required) != 1 {
		return "", ""
	}
	member, _ = required[0].(string)
	value, _ := properties[member].(map[string]any)
	constant, is := value["const"].(string)
	if !is || len(value) != 1 {
		return "", ""
	}
	return member, constant
}
