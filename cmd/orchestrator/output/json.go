package output

import (
	"bytes"
	"fmt"
	"io"

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
