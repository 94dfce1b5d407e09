package projection

import (
	"bytes"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
)

// Newcomer is a requirement that an import brings: nothing is known of it but its definition.
type Newcomer struct {
	Definition *lifecycle.Definition
	At         time.Time // of the import
}

// Requirement returns the requirement as it begins.
func (n *Newcomer) Requirement() lifecycle.Requirement {
	req, _ := lifecycle.Define(nil, *n.Definition, n.At, lifecycle.LatestRules)
	return req
}

// Put writes the newcomer, given its encoded definition. rest is what Rest returns.
func (n *Newcomer) Put(tx *ledger.Tx, definition, rest []byte) error {
	return TableRequirements.PutEncoded(tx, n.Definition.ID, n.encoded(definition, rest), n)
}

// encoded joins the two in bytes of their own, of which none is to spare.
func (*Newcomer) encoded(definition, rest []byte) ledger.Encoded {
	raw := make([]byte, 0, len(definition)-1+len(rest))
	return append(append(raw, definition[:len(definition)-1]...), rest...)
}

// Rest returns how the encoding goes on after the definition. It is the same for all newcomers of one import.
func (n *Newcomer) Rest() ([]byte, error) {
	var none lifecycle.Definition
	definition, err := ledger.Encode(&none)
	if err != nil {
		return nil, err
	}
	first := Newcomer{&none, n.At}
	whole, err := ledger.Encode(first.Requirement())
	if err != nil {
		return nil, err
	}
	rest, begins := bytes.CutPrefix(whole, definition[:len(definition)-1])
	if !begins {
		panic("a requirement is not encoded as its definition and what follows") // Definition is embedded first
	}
	return rest, nil
}
