package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"orchestrator/internal/fault"
)

// The limits of numbers in schemas that come from elsewhere and of what is held against them: the library works numbers
// out exactly, and a short one with a huge exponent would keep it busy for ever.
const (
	maxNumber   = 32
	maxExponent = 308
)

// Schema is a JSON Schema that came from elsewhere: of an input or a result of a tool. It is safe for concurrent use.
type Schema struct {
	compiled *parts
}

// Compile compiles a schema of draft 2020-12 (numbers as json.Number, float64 or int). It may refer to itself and to
// nothing else: nothing is loaded. What is wrong comes as fields, with pointers into the document.
func Compile(doc map[string]any) (*Schema, []fault.Field) {
	if doc == nil {
		return nil, []fault.Field{{Code: "type", Detail: "there is no schema"}}
	}
	plain, err := plainJSON(doc)
	if err != nil {
		return nil, []fault.Field{{Code: "schema", Detail: err.Error()}}
	}
	const name = "schema"
	compiled, err := compile(name, plain, nil)
	if err == nil {
		return &Schema{compiled: partsOf(compiled)}, nil
	}
	if _, is := errors.AsType[*jsonschema.ValidationError](err); is {
		return nil, fieldsOf("the schema of schemas", err)
	}
	if outside, is := errors.AsType[outsideError](err); is {
		return nil, []fault.Field{{Code: "outside",
			Detail: "refers to " + strings.TrimPrefix(string(outside), base) + ": nothing is loaded from elsewhere"}}
	}
	return nil, []fault.Field{{Code: "schema", Detail: strings.ReplaceAll(err.Error(), base+name, "")}}
}

// Violations holds any value that can be written as JSON against the schema, and returns what is wrong as Violations
// does.
func (s *Schema) Violations(value any) []fault.Field {
	plain, err := plainJSON(value)
	if err != nil {
		return []fault.Field{{Code: "json", Detail: err.Error()}}
	}
	return s.compiled.violations("its schema", plain)
}

// plainJSON returns a value as the library knows values. What it does not know, such as a struct, is written as JSON
// and read again.
func plainJSON(value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, string:
		return v, nil
	case json.Number:
		return v, bounded(string(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v is no number in JSON", v)
		}
		return v, nil
	case map[string]any:
		return plainObject(v)
	case []any:
		return plainArray(v)
	}
	written, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("cannot be written as JSON: %w", err)
	}
	var read any
	d := json.NewDecoder(bytes.NewReader(written))
	d.UseNumber()
	if err := d.Decode(&read); err != nil {
		return nil, fmt.Errorf("cannot be read as JSON: %w", err)
	}
	return plainJSON(read)
}

func plainObject(object map[string]any) (any, error) {
	out := make(map[string]any, len(object))
	for name, member := range object {
		plain, err := plainJSON(member)
		if err != nil {
			return nil, err
		}
		out[name] = plain
	}
	return out, nil
}

func plainArray(array []any) (any, error) {
	out := slices.Clone(array)
	for i := range array {
		plain, err := plainJSON(array[i])
		if err != nil {
			return nil, err
		}
		out[i] = plain
	}
	return out, nil
}

// bounded refuses a number that is too long or too large, and what is no number of JSON at all.
func bounded(number string) error {
	exponent := 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(number[i+1:]) // out of range gives the largest int
	}
	if len(number) > maxNumber || exponent > maxExponent || exponent < -maxExponent {
		return fmt.Errorf("a number is too long or too large: at most %d characters and an exponent between -%d and %d", maxNumber, maxExponent, maxExponent)
	}
	if number == "" || strings.Trim(number, "-0123456789.eE+") != "" || !json.Valid([]byte(number)) {
		return errors.New("a number is not written as JSON writes it")
	}
	return nil
}
