package settings

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// document is a JSON text and where its values stand in it. It is changed by cutting the text, never by writing it
// anew, so that what is not touched stays as it was written.
type document struct {
	text    []byte
	root    *node
	lenient bool // comments or trailing commas were passed over: it can be read, but not be changed
}

// node is one value: its place, and what it holds. In an array the children have no names.
type node struct {
	kind       jsontext.Kind
	start, end int
	children   []child
}

type child struct {
	name  string
	at    int // where it begins, with its name
	value *node
}

// parse reads a text. Comments and trailing commas are passed over and noted.
func parse(text []byte) (*document, error) {
	doc := &document{text: bytes.Clone(text)}
	root, err := readRoot(doc.text)
	if err != nil {
		plain := withoutComments(doc.text)
		if bytes.Equal(plain, doc.text) {
			return nil, err
		}
		if root, err = readRoot(plain); err != nil {
			return nil, err
		}
		doc.text, doc.lenient = plain, true
	}
	doc.root = root
	return doc, nil
}

func readRoot(text []byte) (*node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	root, err := readNode(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the value, at byte " + strconv.FormatInt(d.InputOffset(), 10))
	}
	return root, nil
}

func readNode(d *jsontext.Decoder) (*node, error) {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		raw, err := d.ReadValue()
		end := int(d.InputOffset())
		return &node{kind: kind, start: end - len(raw), end: end}, err
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	n := &node{kind: kind, start: int(d.InputOffset()) - 1}
	for {
		if next := d.PeekKind(); next == '}' || next == ']' {
			_, err := d.ReadToken()
			n.end = int(d.InputOffset())
			return n, err
		}
		var c child
		named := kind == '{'
		if named {
			raw, err := d.ReadValue()
			if err != nil {
				return nil, err
			}
			c.at = int(d.InputOffset()) - len(raw)
			c.name = unquote(raw)
		}
		value, err := readNode(d)
		if err != nil {
			return nil, err
		}
		if !named {
			c.at = value.start
		}
		c.value = value
		n.children = append(n.children, c)
	}
}

func unquote(raw []byte) string {
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return ""
	}
	return string(text)
}

// index is where a member stands in its object, -1 where there is none.
func (n *node) index(name string) int {
	if n.kind != '{' {
		return -1
	}
	return slices.IndexFunc(n.children, func(c child) bool { return c.name == name })
}

// get is a member of an object, by its path; nil where there is none.
func (n *node) get(path ...string) *node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		at := n.index(name)
		if at < 0 {
			return nil
		}
		n = n.children[at].value
	}
	return n
}

// str is a string's text, "" for anything else.
func (d *document) str(n *node) string {
	if n == nil || n.kind != '"' {
		return ""
	}
	return unquote(d.text[n.start:n.end])
}

// literal is a value as it is written, "" for none.
func (d *document) literal(n *node) string {
	if n == nil {
		return ""
	}
	return string(d.text[n.start:n.end])
}

// num is a number, 0 for anything else.
func (d *document) num(n *node) float64 {
	if n == nil || n.kind != '0' {
		return 0
	}
	number, err := strconv.ParseFloat(string(d.text[n.start:n.end]), 64)
	if err != nil {
		return 0
	}
	return number
}

// replace puts other text in the place of a part, and reads the whole anew: places known before are wrong afterwards.
func (d *document) replace(from, to int, with string) error {
	text := append(append(bytes.Clone(d.text[:from]), with...), d.text[to:]...)
	root, err := readRoot(text)
	if err != nil {
		return err
	}
	d.text, d.root = text, root
	return nil
}

// remove takes a child out of its parent, with the comma that belongs to it.
func (d *document) remove(parent *node, i int) error {
	all := parent.children
	switch {
	case len(all) == 1:
		return d.replace(parent.start+1, parent.end-1, "")
	case i == 0:
		return d.replace(all[0].at, all[1].at, "")
	}
	return d.replace(all[i-1].value.end, all[i].value.end, "")
}

// add puts a value at the end of an object (under its name) or of an array, written like the ones before it.
func (d *document) add(parent *node, name string, value any) error {
	style := d.style()
	if len(parent.children) == 0 {
		outer := d.indentAt(parent.start)
		inner := outer + style.unit
		return d.replace(parent.start+1, parent.end-1,
			style.newline+inner+style.member(name, value, inner)+style.newline+outer)
	}
	first, last := parent.children[0], parent.children[len(parent.children)-1]
	lead := string(d.text[parent.start+1 : first.at])
	if !strings.Contains(lead, "\n") {
		return d.replace(last.value.end, last.value.end, ", "+style.onOneLine().member(name, value, ""))
	}
	inner := lead[strings.LastIndex(lead, "\n")+1:]
	return d.replace(last.value.end, last.value.end, ","+style.newline+inner+style.member(name, value, inner))
}

// indentAt is the white space at the beginning of the line that a place is in.
func (d *document) indentAt(place int) string {
	line := d.text[bytes.LastIndexByte(d.text[:place], '\n')+1 : place]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// style is how the file is written: its unit of indentation and its line ends.
func (d *document) style() style {
	s := style{unit: "  ", newline: "\n"}
	if bytes.Contains(d.text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if len(d.root.children) > 0 {
		lead := string(d.text[d.root.start+1 : d.root.children[0].at])
		if at := strings.LastIndex(lead, "\n"); at >= 0 && len(lead) > at+1 {
			s.unit = lead[at+1:]
		}
	}
	return s
}
