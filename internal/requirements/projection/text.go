package projection

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/system/jsonobject"
)

// beforeText stands before the text of an encoded requirement. What comes earlier cannot hold it: in a string, a
// quotation mark has a backslash before it.
var beforeText = []byte(`","text":`)

// Text returns the text of the requirement, and decodes nothing else: a search reads those of all requirements.
func (e *Entry) Text() string {
	if e.req != nil {
		return e.req.Text
	}
	_, rest, _ := bytes.Cut(e.Raw, beforeText)
	text, err := jsontext.AppendUnquote(nil, rest[:jsonobject.StringEnd(rest)])
	if err != nil {
		panic(err) // the bytes were encoded from a requirement
	}
	return string(text)
}

// WroteLast reports whether an actor wrote a part of the requirement last. Only what names the actor is decoded.
func (e *Entry) WroteLast(actor string) bool {
	if e.req == nil {
		by, err := jsontext.AppendQuote([]byte(`"by":`), actor)
		if err != nil || !bytes.Contains(e.Raw, by) {
			return false
		}
	}
	return e.Requirement().Stamps.By(actor)
}
