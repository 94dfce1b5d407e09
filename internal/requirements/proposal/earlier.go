package proposal

import (
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/rules/lifecycle"
)

// Edit is a run of words that two texts share, or that one of them has alone.
type Edit = drift.Edit

// Imports is a page of the log with records of imports.
type Imports struct {
	Records []Imported `json:"records"`
	Next    string     `json:"next"`
}

// Imported is the record of an import, as far as texts are looked for in it.
type Imported struct {
	Data struct {
		Defined []lifecycle.Definition `json:"defined"`
		Blob    string                 `json:"blob"`
	} `json:"data"`
}

// Earlier returns the text that an import gave a requirement, if it is another than the present one.
func (i Imported) Earlier(now lifecycle.Definition) (lifecycle.Definition, bool) {
	for _, d := range i.Data.Defined {
		if d.ID == now.ID && d.Fingerprint != now.Fingerprint {
			return d, true
		}
	}
	return lifecycle.Definition{}, false
}

// Difference returns what changed between two texts of a requirement, word by word.
func Difference(before, after lifecycle.Definition) []Edit { return drift.Difference(before, after) }
