// Package strictjson reads JSON strictly by RFC 8259 and RFC 7493 (I-JSON), for all input of the service.
//
// It refuses what lenient decoders let through or repair: duplicate names, invalid UTF-8, lone surrogates,
// NUL characters, a byte order mark, data after the value, nesting deeper than MaxDepth, more values than
// MaxValues, and numbers that no reader can hold (longer than MaxNumber characters, or with an exponent beyond
// MaxExponent).
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
)

// The limits of a value.
const (
	MaxDepth    = 32  // levels of objects and arrays
	MaxNumber   = 32  // characters of a number
	MaxExponent = 308 // absolute value of a number's exponent

	// MaxValues is how many values a body may hold, nested ones included. In memory a value takes up to a hundred
	// times the two bytes that it takes in a body, so the bytes alone bound nothing.
	MaxValues = 20_000
)

// Parse reads one JSON value into map[string]any, []any, string, json.Number, bool and nil. Its error is
// a *fault.Error of kind Malformed that points at the place. It stops at the first value beyond MaxValues.
//
// Implements: ORC-027
func Parse(body []byte) (any, error) { return parse(body, MaxValues) }

// ParseUncounted parses, without counting values, what is not the body of a request and is bounded otherwise: what the
// log has, which an earlier version may have accepted with more values, contracts, and answers of tools and language
// models.
func ParseUncounted(body []byte) (any, error) { return parse(body, math.MaxInt) }

// decoders keeps the memory of decoders from one body to the next; they read nothing meanwhile.
var (
	decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}
	nothing  = strings.NewReader("")
)

func parse(body []byte, most int) (any, error) {
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		return nil, malformed("", "json_byte_order_mark", "the body starts with a byte order mark").
			WithFix("send UTF-8 without a byte order mark")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, malformed("", "json_empty", "the body is empty").WithFix("send one JSON object")
	}
	decoder := decoders.Get().(*jsontext.Decoder)
	decoder.Reset(bytes.NewBuffer(body))
	defer func() {
		decoder.Reset(nothing) // lets go of the body
		decoders.Put(decoder)
	}()
	d := &reader{Decoder: decoder, left: most, most: most}
	value, err := readValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, malformed("", "json_trailing_data", "there is data after the JSON value, at byte %d",
			d.InputOffset()).WithFix("send exactly one JSON value")
	}
	return value, nil
}

// Fill reads a body that Parse has accepted, in which no name stands twice, into v; numbers into any as Exact has it.
// A member or type that does not fit is *fault.Error of kind Invalid.
func Fill(body []byte, v any) error {
	if jsontext.Value(body).Kind() == 'n' { // which would empty v, and be no error
		return fault.New(fault.Invalid, "json_type", "the body is null").
			WithFields(fault.Field{Code: "type", Detail: "it is null"}).WithFix("compare it with the schema under /schemas/")
	}
	err := jsonv2.Unmarshal(body, v, jsonv2.RejectUnknownMembers(true), exactly(), jsontext.AllowDuplicateNames(true))
	if err == nil {
		return nil
	}
	field := fault.Field{Code: "type", Detail: "cannot be read: " + err.Error()}
	var semantic *jsonv2.SemanticError
	if errors.As(err, &semantic) {
		field = fault.Field{Pointer: string(semantic.JSONPointer), Code: "type",
			Detail: "has a type or value that does not belong here"}
	}
	return fault.New(fault.Invalid, "json_type", "the body does not have the expected shape").WithFields(field).
		WithFix("compare it with the schema under /schemas/")
}

// reader counts the values that it reads.
type reader struct {
	*jsontext.Decoder
	left, most int
}

func readValue(d *reader) (any, error) {
	tok, err := d.ReadToken()
	if err != nil {
		return nil, syntax(d, err)
	}
	if d.left--; d.left < 0 {
		return nil, malformed("", "json_values", "the body holds more than %d values", d.most).
			WithFix("send less at once; cite files instead of copying them")
	}
	switch tok.Kind() {
	case '{':
		return readObject(d)
	case '[':
		return readArray(d)
	case '"':
		return readString(d, tok)
	case '0':
		return readNumber(d, tok.String())
	case 't', 'f':
		return tok.Bool(), nil
	}
	return nil, nil
}

func readObject(d *reader) (any, error) {
	if err := checkDepth(d); err != nil {
		return nil, err
	}
	object := map[string]any{}
	for d.PeekKind() != '}' {
		tok, err := d.ReadToken()
		if err != nil {
			return nil, syntax(d, err)
		}
		name, err := readString(d, tok)
		if err != nil {
			return nil, err
		}
		if object[name], err = readValue(d); err != nil {
			return nil, err
		}
	}
	return object, closing(d)
}

func readArray(d *reader) (any, error) {
	if err := checkDepth(d); err != nil {
		return nil, err
	}
	array := []any{}
	for d.PeekKind() != ']' {
		value, err := readValue(d)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	return array, closing(d)
}

func closing(d *reader) error {
	if _, err := d.ReadToken(); err != nil {
		return syntax(d, err)
	}
	return nil
}

func readString(d *reader, tok jsontext.Token) (string, error) {
	s := tok.String()
	if strings.ContainsRune(s, 0) {
		return "", malformed(pointer(d), "json_nul", "a string contains the NUL character").WithFix("leave \\u0000 out")
	}
	return s, nil
}

func readNumber(d *reader, text string) (any, error) {
	exponent := 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(text[i+1:]) // out of range gives the largest int
	}
	if len(text) > MaxNumber || exponent > MaxExponent || exponent < -MaxExponent {
		return nil, malformed(pointer(d), "json_number", "a number is too long or too large").
			WithFix("use at most %d characters and an exponent between -%d and %d", MaxNumber, MaxExponent, MaxExponent)
	}
	return json.Number(text), nil
}

func checkDepth(d *reader) error {
	if d.StackDepth() > MaxDepth {
		return malformed("", "json_depth", "the value is nested deeper than %d levels", MaxDepth).
			WithFix("send a flatter value")
	}
	return nil
}

func syntax(d *reader, err error) error {
	at := pointer(d)
	var where *jsontext.SyntacticError
	if errors.As(err, &where) {
		at = string(where.JSONPointer)
		err = where.Err
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return malformed(at, "json_duplicate_name", "a name stands twice in one object").WithFix("send every name once")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return malformed(at, "json_syntax", "the JSON ends early").WithFix("send one complete JSON value")
	}
	return malformed(at, "json_syntax", "this is not JSON, at byte %d: %s", d.InputOffset(), err).
		WithFix("send one valid JSON value in UTF-8")
}

func pointer(d *reader) string { return string(d.StackPointer()) }

func malformed(at string, code fault.Code, format string, args ...any) *fault.Error {
	err := fault.New(fault.Malformed, code, format, args...)
	return err.WithFields(fault.Field{Pointer: at, Detail: err.Detail})
}
