package settings

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const space = " \t\r\n"

// add puts a value at the end of an object (under its name) or of an array, written like the ones before it.
func (d *document) add(parent *hujson.Value, name string, value any) error {
	style, all := d.style(), children(parent)
	newline, outer := style.newline, d.indentAt(parent)
	inner, after := outer+style.unit, newline+outer
	lead := newline + inner
	if len(all) > 0 {
		indent, broken := indentOf(*before(parent, 0))
		if lead, inner = newline+indent, indent; !broken {
			style, lead, inner = style.onOneLine(), " ", ""
		}
	}
	v, err := hujson.Parse([]byte(style.value(value, inner)))
	if err != nil {
		return err
	}
	// Comments at the end stand behind the value that is the last one now; the new value comes after them.
	end := before(parent, len(all))
	comments := bytes.TrimRight(*end, space)
	if len(all) > 0 {
		after = string((*end)[len(comments):])
	}
	if len(comments) > 0 {
		lead = string(comments) + newline + strings.TrimLeft(lead, "\r\n")
	}
	*end = hujson.Extra(after)
	appendTo(parent, name, v, hujson.Extra(lead))
	return nil
}

// appendTo puts a value behind the last one, and has a comma after it where there was one after that.
func appendTo(parent *hujson.Value, name string, v hujson.Value, lead hujson.Extra) {
	switch p := parent.Value.(type) {
	case *hujson.Object:
		if n := len(p.Members); n > 0 && p.Members[n-1].Value.AfterExtra != nil {
			v.AfterExtra = hujson.Extra{}
		}
		v.BeforeExtra = hujson.Extra(" ")
		p.Members = append(p.Members, hujson.ObjectMember{
			Name: hujson.Value{BeforeExtra: lead, Value: hujson.Literal(quote(name))}, Value: v})
	case *hujson.Array:
		if n := len(p.Elements); n > 0 && p.Elements[n-1].AfterExtra != nil {
			v.AfterExtra = hujson.Extra{}
		}
		v.BeforeExtra = lead
		p.Elements = append(p.Elements, v)
	}
}

// remove takes a child out of its parent, with the comma that belongs to it. Comments before and after it stay.
func remove(parent *hujson.Value, i int) {
	all := children(parent)
	lead, own, next := before(parent, i), all[i].value.AfterExtra, before(parent, i+1)
	comma := own != nil // of the last one: after it
	switch merged := join(*lead, own, *next); {
	case merged != nil:
		*next = merged
	case len(all) == 1:
		*next = nil
	case i == 0:
		*next = *lead
	}
	switch p := parent.Value.(type) {
	case *hujson.Object:
		p.Members = slices.Delete(p.Members, i, i+1)
	case *hujson.Array:
		p.Elements = slices.Delete(p.Elements, i, i+1)
	}
	if all = children(parent); i == len(all) && i > 0 {
		end, last := before(parent, i), all[i-1].value
		switch {
		case comma && last.AfterExtra == nil:
			last.AfterExtra = hujson.Extra{}
		case !comma && last.AfterExtra != nil:
			*end, last.AfterExtra = slices.Concat(last.AfterExtra, *end), nil
		}
	}
}

// before returns what stands before a child, or before the closing bracket after the last one.
func before(parent *hujson.Value, i int) *hujson.Extra {
	switch p := parent.Value.(type) {
	case *hujson.Object:
		if i < len(p.Members) {
			return &p.Members[i].Name.BeforeExtra
		}
		return &p.AfterExtra
	case *hujson.Array:
		if i < len(p.Elements) {
			return &p.Elements[i].BeforeExtra
		}
		return &p.AfterExtra
	}
	return new(hujson.Extra)
}

// join returns those of the extras that have comments as one, which ends in the space that the last of all ends in; nil
// where none has any.
func join(extras ...hujson.Extra) (all hujson.Extra) {
	for _, e := range extras {
		if !e.IsStandard() {
			all = append(all, e...)
		}
	}
	if all == nil {
		return nil
	}
	last := extras[len(extras)-1]
	end := last[len(bytes.TrimRight(last, space)):]
	all = bytes.TrimRight(all, space)
	if !bytes.Contains(end, []byte("\n")) {
		all = append(all, '\n') // it may be a comment to the end of a line
	}
	return append(all, end...)
}

// indentAt returns the white space at the beginning of the line that a value is in.
func (d *document) indentAt(v *hujson.Value) string {
	d.root.UpdateOffsets()
	text := d.text()
	line := text[bytes.LastIndexByte(text[:v.StartOffset], '\n')+1 : v.StartOffset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// indentOf returns the white space at the beginning of the last line of what stands before a value; broken reports
// whether that begins a line at all.
func indentOf(lead hujson.Extra) (indent string, broken bool) {
	at := bytes.LastIndexByte(lead, '\n')
	line := lead[at+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))]), at >= 0
}

// style returns how the file is written: its unit of indentation and its line ends.
func (d *document) style() style {
	s := style{unit: "  ", newline: "\n"}
	if bytes.Contains(d.text(), []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if len(children(&d.root)) > 0 {
		if indent, broken := indentOf(*before(&d.root, 0)); broken && indent != "" {
			s.unit = indent
		}
	}
	return s
}
