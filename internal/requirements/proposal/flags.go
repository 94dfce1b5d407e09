package proposal

import (
	"context"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/rules/lifecycle"
)

// Typed is what stood in the flags of a command, by the members that they are.
type Typed struct {
	Texts map[string]*string
	Lists map[string]*[]string
}

// Flags makes the value of a part from what was typed as flags.
func (p Part) Flags(ctx context.Context, t Tree, typed Typed) (Value, error) {
	members := map[string]any{}
	for member, text := range typed.Texts {
		if *text != "" {
			members[member] = *text
		}
	}
	for member, words := range typed.Lists {
		all := []any{}
		for _, word := range *words {
			item, err := t.member(ctx, member, word)
			if err != nil {
				return Value{}, err
			}
			all = append(all, item)
		}
		if len(all) > 0 {
			members[member] = all
		}
	}
	return Value{members}, p.checkFilled("a flag", Value{members})
}

// member reads one item of a list.
func (t Tree) member(ctx context.Context, member, word string) (any, error) {
	switch member {
	case "files":
		return t.File(ctx, word)
	case "commits":
		return t.Commit(ctx, word)
	case "evidence":
		cited, err := t.Evidence(ctx, word, false)
		return cited.Evidence, err
	}
	return word, nil
}

// Present returns what a requirement has of the part already, as JSON; nil for nothing.
func (p Part) Present(req lifecycle.Requirement) ([]byte, error) {
	switch {
	case p.Field == lifecycle.FieldDesignSpec:
		return req.DesignSpec, nil
	case p.Field == lifecycle.FieldImplementation:
		return req.Implementation, nil
	case req.Test == nil:
		return nil, nil
	}
	record := *req.Test
	record.Evidence = append([]lifecycle.Evidence{}, record.Evidence...)
	for i := range record.Evidence {
		record.Evidence[i].Found = nil // the service looks again
	}
	return jsonv2.Marshal(record)
}
