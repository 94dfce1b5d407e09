package install

import (
	"cmp"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// policy returns the policy of a project that has none.
func (o Options) policy() boundary.Policy {
	p := boundary.DefaultPolicy()
	p.Produces = cmp.Or(o.Produces, p.Produces)
	return p
}

// checkPolicy returns the policy of the project. One that says something else than is asked for is refused.
func (o Options) checkPolicy() (boundary.Policy, error) {
	p, err := control.Policy(o.Dir)
	if err == nil && o.Produces != "" && p.Produces != o.Produces {
		return p, fault.Misuse("the boundary of this project has a policy with produces %s", p.Produces).
			WithFix("a person changes it in .orchestrator/boundary/policy.json; leave it out here")
	}
	return p, err
}

// adopt makes the journal of this machine begin with the mode of a policy that came with a clone, and marks a project
// whose policy blocks.
func (o Options) adopt(mode boundary.Mode) error {
	recorded, err := control.Recorded(o.Dir)
	if err != nil {
		return err
	}
	if recorded == "" {
		if err := o.Dir.Append(folder.Pulled(mode, o.Change.ID, o.Change.At)); err != nil {
			return err
		}
	}
	return o.Dir.Mark()
}
