package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"orchestrator/internal/fault"
)

// decode fills settings from a file. unknown makes the error of a name that is none of them.
func decode(path string, content []byte, settings []setting, unknown func(key string) error) error {
	if !utf8.Valid(content) {
		return wrong(path, 1, "the file is not UTF-8")
	}
	d := yaml.NewDecoder(bytes.NewReader(content))
	var document, more yaml.Node
	err := d.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil // nothing but comments
	}
	if err != nil {
		return notYAML(path, err)
	}
	switch err := d.Decode(&more); {
	case err == nil:
		return wrong(path, more.Line, "there is a second document")
	case !errors.Is(err, io.EOF):
		return notYAML(path, err)
	}
	top := document.Content[0]
	if top.Kind != yaml.MappingNode {
		return wrong(path, top.Line, "this is not a list of KEY: VALUE lines")
	}
	return fill(path, top, settings, unknown)
}

// notYAML refuses a file whose syntax is broken; the library names the line.
func notYAML(path string, err error) error {
	return fault.New(fault.Invalid, CodeSettings, "%s is not YAML", path).
		WithFix("correct the line, or remove the file").Because(err)
}

// fill takes the values of a mapping.
func fill(path string, top *yaml.Node, settings []setting, unknown func(key string) error) error {
	seen := map[string]bool{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		name, value := top.Content[i], top.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.Anchor != "" {
			return wrong(path, name.Line, "this is not a name")
		}
		if seen[name.Value] {
			return wrong(path, name.Line, "%s stands there twice", name.Value)
		}
		seen[name.Value] = true
		if err := set(path, name, value, settings, unknown); err != nil {
			return err
		}
	}
	return nil
}

func set(path string, name, value *yaml.Node, settings []setting, unknown func(key string) error) error {
	for _, s := range settings {
		if s.key != name.Value {
			continue
		}
		if s.list == nil {
			return setText(path, s, value, s.text)
		}
		items := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode && value.Anchor == "" {
			items = value.Content
		}
		if len(items) > maxList {
			return wrong(path, value.Line, "%s has more than %d entries", s.key, maxList)
		}
		*s.list = make([]string, len(items))
		for i, item := range items {
			if err := setText(path, s, item, &(*s.list)[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return at(path, name.Line, unknown(name.Value))
}

// setText takes a text; one that YAML reads as a number or a truth value is the text that stands there.
func setText(path string, s setting, value *yaml.Node, to *string) error {
	if value.Kind != yaml.ScalarNode || value.Anchor != "" || value.ShortTag() == "!!null" || value.Value == "" ||
		value.Style&yaml.TaggedStyle != 0 {
		return wrong(path, value.Line, "%s has no value that is one text", s.key)
	}
	if err := s.check(value.Value); err != nil {
		return at(path, value.Line, err)
	}
	*to = value.Value
	return nil
}

func wrong(path string, line int, format string, args ...any) error {
	return fault.New(fault.Invalid, CodeSettings, "%s:%d: %s", path, line, fmt.Sprintf(format, args...)).
		WithFix("correct the line: orchestrator config --help lists what a file may say")
}

// at puts file and line before an error.
func at(path string, line int, err error) error {
	f := fault.As(err)
	return f.WithDetail("%s:%d: %s", path, line, f.Detail).WithFix("%s", f.Fix)
}

// encode writes the settings that have a value, below a comment.
func encode(comment string, settings []setting) []byte {
	top := &yaml.Node{Kind: yaml.MappingNode}
	add := func(key string, value *yaml.Node) {
		top.Content = append(top.Content, text(key), value)
	}
	for _, s := range settings {
		switch {
		case s.value() == "":
		case s.list == nil:
			add(s.key, text(*s.text))
		default:
			list := &yaml.Node{Kind: yaml.SequenceNode}
			for _, item := range *s.list {
				list.Content = append(list.Content, text(item))
			}
			add(s.key, list)
		}
	}
	var out bytes.Buffer
	out.WriteString(comment)
	if len(top.Content) == 0 {
		return out.Bytes()
	}
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	_ = e.Encode(top) // texts in a buffer
	return out.Bytes()
}

func text(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}
