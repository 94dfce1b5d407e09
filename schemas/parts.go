package schemas

import (
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"orchestrator/internal/fault"
)

// MaxViolations is how many violations of one value are found; the validation stops there.
const MaxViolations = 100

// smallValue is how many values are validated at once: what they can violate is bounded by their number.
const smallValue = 100

// parts is a schema taken apart, so that a large value can be validated part by part, which the library cannot stop
// doing once it has begun. shell is the schema without what applies to parts of the value, or is a schema of its own.
type parts struct {
	whole, shell *jsonschema.Schema

	all             []*parts // allOf
	condition       *jsonschema.Schema
	holds, holdsNot *parts // then, else
	asked           string // the member that keywordCases asks, and what applies to it
	cases           map[string]*parts
	value           *parts // of keywordValue: what applies to all but references
	members         map[string]*parts
	items           *parts
	indivisible     bool
	acceptor        *acceptor // of an embedded schema as a whole
}

// anything accepts every value.
var anything = func() *jsonschema.Schema { yes := true; return &jsonschema.Schema{Always: &yes} }()

// partsOf takes a schema apart. One whose keywords look at what others have evaluated stays whole.
func partsOf(s *jsonschema.Schema) *parts {
	if s == nil {
		return nil
	}
	p := &parts{whole: s, indivisible: s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil ||
		s.PrefixItems != nil || s.Ref != nil || s.RecursiveRef != nil || s.DynamicRef != nil}
	if p.indivisible {
		return p
	}
	shell := *s
	for _, one := range s.AllOf {
		p.all = append(p.all, partsOf(one))
	}
	p.condition, p.holds, p.holdsNot = s.If, partsOf(s.Then), partsOf(s.Else)
	p.items = partsOf(s.Items2020)
	if keyword, has := s.Extensions[keywordCases].(cases); has {
		p.asked, p.cases = keyword.member, map[string]*parts{}
		for constant, one := range keyword.of {
			p.cases[constant] = partsOf(one)
		}
	}
	if keyword, has := s.Extensions[keywordValue].(valueOf); has {
		p.value = partsOf(keyword.schema)
	}
	shell.AllOf, shell.If, shell.Then, shell.Else, shell.Items2020, shell.Extensions = nil, nil, nil, nil, nil, nil
	if s.Properties != nil {
		p.members, shell.Properties = map[string]*parts{}, map[string]*jsonschema.Schema{}
		for name, member := range s.Properties {
			p.members[name], shell.Properties[name] = partsOf(member), anything
		}
	}
	p.shell = &shell
	return p
}

// finding collects violations until there are more than MaxViolations.
type finding struct {
	name  string // of the schema
	small int    // values that are validated at once
	found []fault.Field
}

func (f *finding) enough() bool { return len(f.found) > MaxViolations }

// add validates a value at once.
func (f *finding) add(at string, s *jsonschema.Schema, value any) {
	for _, violation := range fieldsOf(f.name, s.Validate(value)) {
		violation.Pointer = at + violation.Pointer
		f.found = append(f.found, violation)
	}
}

// check validates a value part by part.
func (f *finding) check(at string, p *parts, value any) {
	if p == nil || f.enough() {
		return
	}
	if p.indivisible || roomAfter(value, f.small) >= 0 {
		f.add(at, p.whole, value)
		return
	}
	f.add(at, p.shell, value)
	for _, one := range p.all {
		f.check(at, one, value)
	}
	if p.condition != nil {
		if p.condition.Validate(value) == nil {
			f.check(at, p.holds, value)
		} else {
			f.check(at, p.holdsNot, value)
		}
	}
	f.check(at, p.cases[constantOf(value, p.asked)], value)
	if !isReference(value) {
		f.check(at, p.value, value)
	}
	f.checkBelow(at, p, value)
}

// checkBelow validates the members or items of a value.
func (f *finding) checkBelow(at string, p *parts, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(p.members)) {
			if member, has := v[name]; has {
				f.check(at+"/"+fault.PointerToken(name), p.members[name], member)
			}
		}
	case []any:
		for i, item := range v {
			if p.items == nil || f.enough() {
				return
			}
			f.check(at+"/"+strconv.Itoa(i), p.items, item)
		}
	}
}

// roomAfter returns how many of some values are left when those of a value are counted off; below 0 when it has more.
func roomAfter(value any, room int) int {
	room--
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			if room < 0 {
				return room
			}
			room = roomAfter(member, room)
		}
	case []any:
		for _, item := range v {
			if room < 0 {
				return room
			}
			room = roomAfter(item, room)
		}
	}
	return room
}
