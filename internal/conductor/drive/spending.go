package drive

import (
	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/rules/planning"
)

// spend counts what the agents of a step reported, and returns the sum; nil where none ran.
func (j *job) spend(of conductor.ObligationTrace, end *End) *usage.Sum {
	j.mu.Lock()
	defer j.mu.Unlock()
	var step usage.Sum
	for _, r := range of.Runs {
		if !r.Agent {
			continue
		}
		one := usage.Sum{}
		one.Add(r.Usage)
		by := j.usedBy[r.Tool]
		by.Join(one)
		j.usedBy[r.Tool] = by
		step.Join(one)
	}
	if step.Runs == 0 {
		return nil
	}
	j.used.Join(step)
	if end.Usage == nil {
		end.Usage = &usage.Sum{}
	}
	end.Usage.Join(step)
	return &step
}

// exhausted returns which budget of the order is used up, or "".
func (j *job) exhausted() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.used.Exceeds(j.MaxTokens, j.MaxCostUSD)
}

// bounded gives a request what is left of the budgets of the order.
func (j *job) bounded(r planning.Request) planning.Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.MaxTokens > 0 {
		r.Budgets.MaxTokens = max(j.MaxTokens-j.used.Tokens(), 1)
	}
	if j.MaxCostUSD > 0 {
		const least = 1e-6
		r.Budgets.MaxCostUSD = max(j.MaxCostUSD-j.used.CostUSD, least)
	}
	return r
}
