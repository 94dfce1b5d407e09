package schemas

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// acceptor reports whether a schema accepts a value, as the library does, but does not say what is wrong with one.
// Almost every value is accepted, and the library allocates several objects at each level of a value to be ready for an
// error. A schema with a keyword that is not known here is left to the library.
type acceptor struct {
	schema  *jsonschema.Schema
	foreign bool // it has a keyword that is not known here

	always  *bool
	types   []string // in the words of JSON Schema
	allowed []any    // by const and enum, all of them texts, booleans or null; nil is any value
	all     []*acceptor
	anyOf   []*acceptor
	oneOf   []*acceptor
	not     *acceptor

	condition, holds, holdsNot *acceptor

	asked string // the member that keywordCases asks, and what applies to it
	cases map[string]*acceptor
	value *acceptor // of keywordValue

	object objectRules
	array  arrayRules
	text   textRules
	number numberRules
}

type objectRules struct {
	least, most       int // -1 is no bound, as in all rules
	required          []string
	members           map[string]*acceptor
	others            *acceptor // additionalProperties; nil accepts all
	dependentRequired map[string][]string
}

type arrayRules struct {
	least, most int
	items       *acceptor
}

type textRules struct {
	least, most int
	pattern     *regexp.Regexp
}

type numberRules struct{ least, above, most, below *int64 }

// acceptorOf returns the acceptor of a schema that refers to nothing.
func acceptorOf(s *jsonschema.Schema) *acceptor {
	if s == nil {
		return nil
	}
	a := &acceptor{schema: s, always: s.Always, types: s.Types}
	if !a.read(s) {
		return &acceptor{schema: s, foreign: true}
	}
	return a
}

// read takes over every keyword of a schema, and reports whether it knows all of them.
func (a *acceptor) read(s *jsonschema.Schema) bool {
	known := a.readAllowed(s) && a.readNumber(s) && a.readExtensions(s)
	if !known || hasOtherKeywords(s) {
		return false
	}
	a.all, a.anyOf, a.oneOf = acceptorsOf(s.AllOf), acceptorsOf(s.AnyOf), acceptorsOf(s.OneOf)
	a.not, a.condition = acceptorOf(s.Not), acceptorOf(s.If)
	a.holds, a.holdsNot = acceptorOf(s.Then), acceptorOf(s.Else)
	a.object = objectRules{least: s.MinProperties, most: s.MaxProperties, required: s.Required,
		dependentRequired: s.DependentRequired}
	for name, member := range s.Properties {
		if a.object.members == nil {
			a.object.members = map[string]*acceptor{}
		}
		a.object.members[name] = acceptorOf(member)
	}
	switch others := s.AdditionalProperties.(type) {
	case bool:
		a.object.others = &acceptor{always: &others}
	case *jsonschema.Schema:
		a.object.others = acceptorOf(others)
	}
	a.array = arrayRules{s.MinItems, s.MaxItems, acceptorOf(s.Items2020)}
	a.text = textRules{s.MinLength, s.MaxLength, s.Pattern}
	return true
}

// hasOtherKeywords reports whether a schema has a keyword that read does not take over.
func hasOtherKeywords(s *jsonschema.Schema) bool {
	return s.Format != "" || s.ContentEncoding != "" || s.ContentMediaType != "" || s.ContentSchema != nil ||
		s.Ref != nil || s.RecursiveRef != nil || s.DynamicRef != nil || s.RecursiveAnchor || s.DynamicAnchor != "" ||
		s.PropertyNames != nil || s.RegexProperties || len(s.PatternProperties) > 0 || len(s.Dependencies) > 0 ||
		len(s.DependentSchemas) > 0 || s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil || s.UniqueItems ||
		s.Items != nil || s.AdditionalItems != nil || len(s.PrefixItems) > 0 || s.Contains != nil || s.MultipleOf != nil
}

func acceptorsOf(schemas []*jsonschema.Schema) (all []*acceptor) {
	for _, s := range schemas {
		all = append(all, acceptorOf(s))
	}
	return all
}

func (a *acceptor) readAllowed(s *jsonschema.Schema) bool {
	if len(s.Constant) > 0 && len(s.Enum) > 0 {
		return false
	}
	if a.allowed = s.Enum; len(s.Constant) > 0 {
		a.allowed = s.Constant[:1]
	}
	return !slices.ContainsFunc(a.allowed, func(value any) bool {
		switch value.(type) {
		case nil, bool, string:
			return false
		}
		return true
	})
}

func (a *acceptor) readNumber(s *jsonschema.Schema) bool {
	known := true
	whole := func(r *big.Rat) *int64 {
		if r == nil {
			return nil
		}
		known = known && r.IsInt() && r.Num().IsInt64()
		n := r.Num().Int64()
		return &n
	}
	a.number = numberRules{whole(s.Minimum), whole(s.ExclusiveMinimum), whole(s.Maximum), whole(s.ExclusiveMaximum)}
	return known
}

func (a *acceptor) readExtensions(s *jsonschema.Schema) bool {
	for _, extension := range s.Extensions {
		switch keyword := extension.(type) {
		case cases:
			a.asked, a.cases = keyword.member, map[string]*acceptor{}
			for constant, one := range keyword.of {
				a.cases[constant] = acceptorOf(one)
			}
		case valueOf:
			a.value = acceptorOf(keyword.schema)
		default:
			return false
		}
	}
	return true
}

// accepts reports whether the schema accepts a value; a nil acceptor accepts all.
func (a *acceptor) accepts(value any) bool {
	switch {
	case a == nil:
		return true
	case a.always != nil:
		return *a.always
	case a.foreign || isUnusual(value):
		return a.schema.Validate(value) == nil
	}
	return a.acceptsType(value) && (a.allowed == nil || slices.Contains(a.allowed, scalar(value))) &&
		a.acceptsContent(value) && a.acceptsCombined(value)
}

// scalar returns a value that can be compared: one that no constant is equal to in the place of an object or array.
func scalar(value any) any {
	switch value.(type) {
	case nil, bool, string:
		return value
	}
	return 0
}

// isUnusual reports whether a value is a number that is not written as a whole one of 64 bits, such as 1.0, which is an
// integer as well.
func isUnusual(value any) bool {
	number, is := value.(json.Number)
	if !is {
		return typeOf(value) == "number"
	}
	_, err := strconv.ParseInt(string(number), 10, 64)
	return err != nil
}

func (a *acceptor) acceptsType(value any) bool {
	if len(a.types) == 0 {
		return true
	}
	name := typeOf(value)
	return slices.Contains(a.types, name) || name == "number" && slices.Contains(a.types, "integer")
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "number"
}

// acceptsContent applies what there is for values of one type.
func (a *acceptor) acceptsContent(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return a.object.accept(v)
	case []any:
		refused := func(item any) bool { return !a.array.items.accepts(item) }
		return within(len(v), a.array.least, a.array.most) && (a.array.items == nil || !slices.ContainsFunc(v, refused))
	case string:
		return a.text.accept(v)
	case json.Number:
		n, _ := v.Int64() // isUnusual has seen to it
		return a.number.accept(n)
	}
	return true
}

func within(n, least, most int) bool { return n >= least && (most < 0 || n <= most) }

func (r *objectRules) accept(object map[string]any) bool {
	if !within(len(object), r.least, r.most) {
		return false
	}
	has := func(name string) bool { _, has := object[name]; return has }
	lacks := func(name string) bool { return !has(name) }
	if slices.ContainsFunc(r.required, lacks) {
		return false
	}
	for name, others := range r.dependentRequired {
		if has(name) && slices.ContainsFunc(others, lacks) {
			return false
		}
	}
	for name, value := range object {
		rule, known := r.members[name]
		if !known {
			rule = r.others
		}
		if !rule.accepts(value) {
			return false
		}
	}
	return true
}

func (r *textRules) accept(text string) bool {
	return r.acceptsLength(text) && (r.pattern == nil || r.pattern.MatchString(text))
}

// acceptsLength counts characters only where the bytes leave it open: a character has up to four.
func (r *textRules) acceptsLength(text string) bool {
	fewest, most := (len(text)+utf8.UTFMax-1)/utf8.UTFMax, len(text)
	return within(fewest, r.least, r.most) && within(most, r.least, r.most) ||
		within(utf8.RuneCountInString(text), r.least, r.most)
}

func (r *numberRules) accept(n int64) bool {
	return (r.least == nil || n >= *r.least) && (r.above == nil || n > *r.above) && (r.most == nil || n <= *r.most) &&
		(r.below == nil || n < *r.below)
}

// acceptsCombined applies other schemas to the same value.
func (a *acceptor) acceptsCombined(value any) bool {
	accept := func(other *acceptor) bool { return other.accepts(value) }
	refuse := func(other *acceptor) bool { return !other.accepts(value) }
	switch {
	case slices.ContainsFunc(a.all, refuse), a.not != nil && accept(a.not),
		len(a.anyOf) > 0 && !slices.ContainsFunc(a.anyOf, accept), len(a.oneOf) > 0 && count(a.oneOf, accept) != 1:
		return false
	case a.condition != nil && (accept(a.condition) && refuse(a.holds) || refuse(a.condition) && refuse(a.holdsNot)):
		return false
	}
	return accept(a.cases[constantOf(value, a.asked)]) && (isReference(value) || accept(a.value))
}

func count(all []*acceptor, is func(*acceptor) bool) (n int) {
	for _, one := range all {
		if is(one) {
			n++
		}
	}
	return n
}
