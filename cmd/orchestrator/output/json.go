package output

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func Indented(out io.Writer, raw []byte) error {
	value := jsontext.Value(bytes.TrimSpace(raw))
	if err := value.Indent(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, string(value))
	return err
}

// WriteJSON writes one line for programs.
func WriteJSON(out io.Writer, v any) error {
	b, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err == nil {
		_, err = fmt.Fprintln(out, string(b))
	}
	return err
}

// WritePlainJSON writes one line for programs, in which everything that a terminal would obey or hide is escaped. What
// is no UTF-8 is replaced.
func WritePlainJSON(out io.Writer, v any) error {
	b, err := jsonv2.Marshal(v, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	var line strings.Builder
	for _, r := range string(b) {
		switch {
		case unicode.IsPrint(r):
			line.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&line, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&line, `\u%04x`, r)
		}
	}
	_, err = fmt.Fprintln(out, line.String())
	return err
}
