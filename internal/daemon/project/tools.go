package project

import (
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/evaluating"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/datadir"
)

// Tools reads the contracts beside a database: those of the box, and those of the folder tools.
func Tools(data datadir.Dir) (*contract.Registry, error) {
	box := evaluating.Contracts()
	for _, t := range tools.Box() {
		box = append(box, t.Contract)
	}
	return contract.Load(data.Tools(), box)
}
