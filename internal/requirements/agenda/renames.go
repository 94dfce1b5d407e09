package agenda

import (
	"strings"

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
	p.alike = map[string][]string{}
	found := p.snap.ProposedRenames()
	for _, one := range found.Proposed {
		p.renamed[one.From] = one
	}
	for _, one := range found.Ambiguous {
		for _, old := range one.From {
			for _, now := range one.To {
				p.alike[old.ID] = append(p.alike[old.ID], now.ID)
			}
		}
	}
}

// doRename puts before what is to be done with a retired requirement that it may have another id.
func (p *plan) doRename(id, do string) string {
	if as, is := p.renamed[id]; is {
		return "confirm that it is " + as.To + " now, or " + do
	}
	if ids := p.alike[id]; len(ids) > 0 {
		const shown = 3
		more := ""
		if len(ids) > shown {
			more, ids = " and others", ids[:shown]
		}
		return "say whether it is one of those that look alike now, " + strings.Join(ids, ", ") + more + ", or " + do
	}
	return do
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
