package flow

import (
	"regexp"
	"strconv"
	"strings"
)

// types is a set of types of JSON values.
type types uint8

const (
	null types = 1 << iota
	boolean
	number
	text
	list
	object

	nothing types = 0
	all           = null | boolean | number | text | list | object
	scalar        = boolean | number | text
)

var typeNames = []struct {
	name string
	of   types
}{
	{"null", null}, {"boolean", boolean}, {"number", number}, {"integer", number}, {"string", text}, {"array", list},
	{"object", object},
}

func (t types) String() string {
	var names []string
	for _, one := range typeNames {
		if t&one.of != 0 && one.name != "integer" {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, " or ")
}

// typesNamed returns those that the keyword type of a schema allows.
func typesNamed(keyword any) types {
	switch k := keyword.(type) {
	case nil:
		return all
	case string:
		for _, one := range typeNames {
			if one.name == k {
				return one.of
			}
		}
	case []any:
		found := nothing
		for _, name := range k {
			found |= typesNamed(name)
		}
		return found
	}
	return nothing
}

// maxRefs bounds how many references of a schema are followed to one value.
const maxRefs = 32

// document is a JSON Schema.
type document struct{ root any }

// at returns of which types a value may be that stands at a path below one that the schema describes: nothing where no
// value can stand there. A schema that names members has no others, unless it says so by additionalProperties.
func (d document) at(schema any, path []string, refs int) types {
	s, is := schema.(map[string]any)
	switch {
	case schema == false:
		return nothing
	case !is || refs > maxRefs:
		return all
	}
	joined, joins := d.joined(s, path, refs)
	if len(path) == 0 {
		return typesNamed(s["type"]) & joined
	}
	own := d.below(s, path, refs)
	switch {
	case !joins:
		return own
	case own == nothing && s["properties"] == nil:
		return nothing
	case own == nothing:
		return joined
	}
	return own & joined
}

// below returns what at returns, by the keywords of a schema about members and items.
func (d document) below(s map[string]any, path []string, refs int) types {
	kinds, step := typesNamed(s["type"]), path[0]
	found := nothing
	if kinds&object != 0 {
		found |= d.member(s, step, path[1:], refs)
	}
	if i, err := strconv.Atoi(step); err == nil && i >= 0 && kinds&list != 0 {
		found |= d.item(s, i, path[1:], refs)
	}
	return found
}

func (d document) member(s map[string]any, name string, rest []string, refs int) types {
	members, named := s["properties"].(map[string]any)
	if member, has := members[name]; has {
		return d.at(member, rest, refs)
	}
	patterns, _ := s["patternProperties"].(map[string]any)
	for pattern := range patterns {
		if p, err := regexp.Compile(pattern); err != nil || p.MatchString(name) {
			return all
		}
	}
	others, said := s["additionalProperties"]
	if !said && named {
		return nothing
	}
	return d.at(others, rest, refs)
}

func (d document) item(s map[string]any, i int, rest []string, refs int) types {
	if first, _ := s["prefixItems"].([]any); i < len(first) {
		return d.at(first[i], rest, refs)
	}
	return d.at(s["items"], rest, refs)
}

// joined returns what the schemas that a schema joins or refers to allow together, and whether there are any.
func (d document) joined(s map[string]any, path []string, refs int) (found types, joins bool) {
	found = all
	if ref, is := s["$ref"].(string); is {
		found, joins = d.at(d.target(ref), path, refs+1), true
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if choices, is := s[keyword].([]any); is {
			either := nothing
			for _, one := range choices {
				either |= d.at(one, path, refs+1)
			}
			found, joins = found&either, true
		}
	}
	every, _ := s["allOf"].([]any)
	known := nothing
	for _, one := range every {
		if t := d.at(one, path, refs+1); t != nothing {
			known, joins = known|t, true
		}
	}
	if len(every) > 0 {
		found, joins = found&known, true
	}
	return found, joins
}

// target returns what a reference within the schema leads to; nil, which allows everything, where that is not known.
func (d document) target(ref string) any {
	pointer, within := strings.CutPrefix(ref, "#")
	if !within {
		return nil
	}
	target := d.root
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if step == "" {
			continue
		}
		members, _ := target.(map[string]any)
		target = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return target
}

// typesAt returns what a schema allows at a path.
func typesAt(schema map[string]any, path []string) types { return document{schema}.at(schema, path, 0) }
