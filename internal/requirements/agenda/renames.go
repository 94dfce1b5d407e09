package agenda

import (
	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/renaming"
)

// proposeRenames finds the requirements that seem to have another id, for the role that confirms it.
func (p *plan) proposeRenames(to lifecycle.Role) {
	if to != lifecycle.PM {
		return
	}
	p.renamed = map[string]renaming.Proposal{}
	for _, one := range p.snap.ProposedRenames() {
		p.renamed[one.From] = one
	}
}

// confirmation returns the request that confirms a renaming.
func confirmation(as renaming.Proposal) guidance.Lead {
	body := struct {
		Renames []renaming.Pair `json:"renames"`
		Reason  string          `json:"reason"`
	}{[]renaming.Pair{as.Pair}, "<why>"}
	raw, _ := jsonv2.Marshal(body, jsonv2.Deterministic(true)) // of text alone
	return guidance.Lead{By: lifecycle.Party(lifecycle.PM), Request: guidance.RenameRequest + string(raw),
		Needs: "it seems to be " + as.To + " now, which has the same " + as.Same}
}
