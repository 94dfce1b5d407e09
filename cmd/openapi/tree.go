package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// object is a JSON object that keeps the order of its members. Other values of a tree are []any and scalars.
type object []member

type member struct {
	name  string
	value any
}

// get returns a member, or nil.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (o object) has(name string) bool {
	return slices.ContainsFunc(o, func(m member) bool { return m.name == name })
}

// with returns the object with a member set, which keeps its place or comes last.
func (o object) with(name string, value any) object {
	out := slices.Clone(o)
	for i := range out {
		if out[i].name == name {
			out[i].value = value
			return out
		}
	}
	return append(out, member{name, value})
}

// without returns the object without some members.
func (o object) without(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return slices.Contains(names, m.name) })
}

// objectOf returns a member that is an object, or nil.
func (o object) objectOf(name string) object {
	below, _ := o.get(name).(object)
	return below
}

// parse reads YAML, of which JSON is a part.
func parse(text []byte) (object, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	tree, err := treeOf(&doc)
	if err != nil {
		return nil, err
	}
	root, is := tree.(object)
	if !is {
		return nil, fmt.Errorf("the document is no object")
	}
	return root, nil
}

// treeOf returns what a node of YAML stands for, aliases resolved.
func treeOf(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.DocumentNode:
		return treeOf(n.Content[0])
	case yaml.AliasNode:
		return treeOf(n.Alias)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i := range n.Content {
			var err error
			if list[i], err = treeOf(n.Content[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.MappingNode:
		return objectAt(n)
	}
	return scalar(n)
}

func objectAt(n *yaml.Node) (object, error) {
	o := make(object, 0, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		value, err := treeOf(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		if name := n.Content[i].Value; !o.has(name) && name != "<<" {
			o = append(o, member{name, value})
		} else {
			return nil, fmt.Errorf("line %d: %s stands twice, or merges", n.Line, name)
		}
	}
	return o, nil
}

// scalar returns a text, a truth value, nil, or a number as it is written.
func scalar(n *yaml.Node) (any, error) {
	switch n.Tag {
	case "!!int", "!!float":
		return json.Number(n.Value), nil
	case "!!bool", "!!null":
		var value any
		return value, n.Decode(&value)
	}
	return n.Value, nil
}

// encode returns a tree as JSON. Objects down to a depth have a line for each member, so that a change of one operation
// or component is a change of one line.
func encode(tree any, depth int) ([]byte, error) {
	var out bytes.Buffer
	err := encodeTo(&out, tree, depth)
	return out.Bytes(), err
}

func encodeTo(out *bytes.Buffer, tree any, depth int) error {
	switch n := tree.(type) {
	case object:
		return encodeObject(out, n, depth)
	case []any:
		out.WriteByte('[')
		for i := range n {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := encodeTo(out, n[i], 0); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	err := e.Encode(tree)
	out.Truncate(out.Len() - 1) // the line end
	return err
}

func encodeObject(out *bytes.Buffer, o object, depth int) error {
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		if depth > 0 {
			out.WriteByte('\n')
		}
		if err := encodeTo(out, m.name, 0); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := encodeTo(out, m.value, depth-1); err != nil {
			return err
		}
	}
	if depth > 0 && len(o) > 0 {
		out.WriteByte('\n')
	}
	out.WriteByte('}')
	return nil
}
