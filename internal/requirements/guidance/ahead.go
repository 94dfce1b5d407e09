package guidance

import (
	"slices"

	"orchestrator/internal/rules/lifecycle"
)

// LacksAhead returns what is lacking on the way to done, by the step that needs it first: what a role supplies anew for
// one step, it does not have to supply for a later one. PM's word is asked for at each.
func LacksAhead(w lifecycle.Workflow, req lifecycle.Requirement) (all []lifecycle.Step) {
	var supplied []lifecycle.Role
	for step := range w.Ahead(req) {
		step.Lacks = slices.DeleteFunc(step.Lacks, func(l lifecycle.Lack) bool { return slices.Contains(supplied, l.By) })
		for _, l := range step.Lacks {
			if l.By != lifecycle.PM {
				supplied = append(supplied, l.By)
			}
		}
		if len(step.Lacks) > 0 {
			all = append(all, step)
		}
	}
	return all
}
