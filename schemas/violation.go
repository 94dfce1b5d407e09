package schemas

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"orchestrator/internal/fault"
)

// The codes of violations that are told apart: keywords of JSON Schema, and one for a schema that is false.
const (
	AdditionalProperties fault.Code = "additionalProperties"

	format     fault.Code = "format"
	not        fault.Code = "not"
	ofType     fault.Code = "type"
	oneOf      fault.Code = "oneOf"
	notAllowed fault.Code = "not_allowed"
	pattern    fault.Code = "pattern"
)

// fieldsOf returns the parts of the library's error, in order; name is what was validated against.
func fieldsOf(name string, err error) []fault.Field {
	if err == nil {
		return nil
	}
	invalid, is := errors.AsType[*jsonschema.ValidationError](err)
	if !is {
		return []fault.Field{{Detail: fmt.Sprintf("cannot be checked against %s: %v", name, err)}}
	}
	var found []fault.Field
	collect(invalid, &found)
	return inOrder(found)
}

// inOrder sorts violations by pointer, keyword and text, since the library reports them in random order, and removes
// duplicates.
func inOrder(found []fault.Field) []fault.Field {
	slices.SortFunc(found, func(a, b fault.Field) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Code, b.Code),
			strings.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(found)
}

// collect keeps the leaves: what stands above them only says that something below is wrong.
func collect(e *jsonschema.ValidationError, found *[]fault.Field) {
	if len(e.Causes) == 0 {
		*found = append(*found, field(e))
	}
	for _, cause := range closest(e) {
		collect(cause, found)
	}
}

// closest returns the causes of an error; of a choice that failed those of the choices that are of the right type, if
// there is one.
func closest(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if keyword(e.KeywordLocation) != oneOf {
		return e.Causes
	}
	var near []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		if !wrongType(cause, e.InstanceLocation) {
			near = append(near, cause)
		}
	}
	if near == nil {
		return e.Causes
	}
	return near
}

// wrongType reports whether an error says nothing but that the value at a location is of another type.
func wrongType(e *jsonschema.ValidationError, at string) bool {
	if len(e.Causes) == 0 {
		return e.InstanceLocation == at && keyword(e.KeywordLocation) == ofType
	}
	return len(e.Causes) == 1 && wrongType(e.Causes[0], at)
}

// falseSchema is the library's message about a value whose schema is false.
const falseSchema = "not allowed"

// field returns a violation with the keyword as its code. Its text never repeats a value that was sent, which may be
// long, or secret.
func field(e *jsonschema.ValidationError) fault.Field {
	f := fault.Field{Pointer: pointer(e.InstanceLocation), Code: keyword(e.KeywordLocation)}
	switch {
	case e.Message == falseSchema: // a member of another kind
		f.Code, f.Detail = notAllowed, "this member does not belong here"
	case f.Code == AdditionalProperties:
		f.Detail = "there is no member " + firstOf(quoted(e.Message))
	case f.Code == pattern:
		f.Detail = "does not match pattern '" + strings.Join(quoted(e.Message), "") + "'"
	case f.Code == not:
		f.Detail = "has what must not stand in it"
	case f.Code == format:
		valid := strings.LastIndex(e.Message, " is not valid ")
		f.Detail = strings.ReplaceAll(e.Message[valid+1:], "'", "")
		if strings.HasSuffix(f.Detail, " date-time") {
			f.Fix = "write it as 2026-11-02T08:00:00Z"
		}
	default:
		f.Detail = reword(f.Code, e.Message)
	}
	return f
}

// pointer returns the RFC 6901 form of a location in an instance, which the library escapes as the path of a URL.
func pointer(location string) string {
	p, err := url.PathUnescape(location)
	if err != nil {
		return location
	}
	return p
}

// keyword returns the keyword that a location in a schema ends with. Only dependentRequired is followed by something,
// the name of a member and an index.
func keyword(location string) fault.Code {
	steps := strings.Split(location, "/")
	last := len(steps) - 1
	if _, err := strconv.Atoi(steps[last]); err == nil && last >= 2 {
		last -= 2
	}
	return fault.Code(steps[last])
}

// rewordings bring the library's messages into one form: what was got, and what is wanted. The messages are those of
// its last release of version 5, which gives a violation no other form than words.
var rewordings = sync.OnceValue(func() []rewording {
	return []rewording{
		{regexp.MustCompile(`^expected (.*), but got (.*)$`), "got $2, want $1"},
		{regexp.MustCompile(`^missing properties: ('(?:[^'\\]|\\.)*')$`), "missing property $1"},
		{regexp.MustCompile(`^missing properties: `), "missing properties "},
		{regexp.MustCompile(`^m\w+imum (\d+) \w+ \w+, but found (\d+) \w+$`), "%s: got $2, want $1"},
		{regexp.MustCompile(`^length must be [<>]= (\d+), but got (\d+)$`), "%s: got $2, want $1"},
		{regexp.MustCompile(`^must be [<>]=? (\S+) but found (\S+)$`), "%s: got $2, want $1"},
		{regexp.MustCompile(`^items at index `), "items at "},
		{regexp.MustCompile(`"(-?\d[\d.eE+-]*)"`), "$1"},
		{regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`), "'$1'"},
	}
})

// rewording is a form of the messages.
type rewording struct {
	from *regexp.Regexp
	to   string // %s is the keyword
}

// reword returns the message about a keyword in the words of this package.
func reword(keyword fault.Code, message string) string {
	for _, r := range rewordings() {
		message = r.from.ReplaceAllString(message, strings.ReplaceAll(r.to, "%s", string(keyword)))
	}
	return message
}

// asGo turns what stands between the library's quotation marks into what Go writes between its own.
var asGo = strings.NewReplacer(`\\`, `\\`, `\'`, `'`, `"`, `\"`)

// quoted returns the texts that a message of the library lists in quotation marks: 'a', 'b'.
func quoted(message string) []string {
	from, to := strings.Index(message, "'"), strings.LastIndex(message, "'")
	if from == to {
		return nil
	}
	texts := strings.Split(message[from+1:to], "', '")
	for i, text := range texts {
		if plain, err := strconv.Unquote(`"` + asGo.Replace(text) + `"`); err == nil {
			texts[i] = plain
		}
	}
	return texts
}

// The most of what a client chose to send that a violation repeats.
const (
	mostNames   = 10
	longestName = 64 // bytes
)

// firstOf returns the first names of a list, in order, and how many more there are.
func firstOf(names []string) string {
	slices.Sort(names)
	var shown []string
	for _, name := range names[:min(len(names), mostNames)] {
		shown = append(shown, fault.Clip(name, longestName))
	}
	list := strings.Join(shown, ", ")
	if more := len(names) - mostNames; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
