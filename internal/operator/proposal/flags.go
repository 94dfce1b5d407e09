package proposal

import (
	"context"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/rules/lifecycle"
)

// Flags makes the value of a part from what was typed as flags, by the members that they are; nil where none was.
func (p Part) Flags(ctx context.Context, t Tree, texts map[string]*string, lists map[string]*[]string) (map[string]any, error) {
	value := map[string]any{}
	for member, text := range texts {
		if *text != "" {
			value[member] = *text
		}
	}
	for member, words := range lists {
		all := []any{}
		for _, word := range *words {
			item, err := t.member(ctx, member, word)
			if err != nil {
				return nil, err
			}
			all = append(all, item)
		}
		if len(all) > 0 {
			value[member] = all
		}
	}
	if len(value) == 0 {
		return nil, nil
	}
	return value, nil
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
