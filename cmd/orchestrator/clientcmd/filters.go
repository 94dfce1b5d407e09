package clientcmd

import (
	"cmp"
	"strings"

	"orchestrator/cmd/orchestrator/clientcmd/typed"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/rules/lifecycle"
)

// check refuses filters that name nothing there is, or two things at once.
func (l *listing) check() error {
	if l.role != "" && l.waitingFor != "" && l.role != l.waitingFor {
		return fault.Misuse("--role and --waiting-for mean the same, and were given %q and %q", l.role, l.waitingFor).
			WithFix("give one of them; a requirement may wait for several parties, and the list shows each")
	}
	for _, err := range []error{
		typed.OneOf("--status", l.status, lifecycle.Statuses()), typed.OneOf("--role", l.role, lookup.Parties()),
		typed.OneOf("--waiting-for", l.waitingFor, lookup.Parties()),
	} {
		if err != nil {
			return err
		}
	}
	l.waitingFor = cmp.Or(l.waitingFor, l.role)
	return nil
}

// answerable refuses filters that an export cannot answer.
func (l *listing) answerable() error {
	if l.waitingFor == "" {
		return nil
	}
	return fault.New(fault.Unavailable, apiclient.CodeNotRunning,
		"no service runs here, and the export does not say whom a requirement waits for").
		WithFix("start it with orchestrator up; or leave --waiting-for out, and narrow the list by --status")
}

// selects reports whether a requirement of the export is one of those that are listed, as the service would.
func (l *listing) selects(req lifecycle.Requirement) bool {
	said := strings.ToLower(strings.Join([]string{req.ID, req.Title, req.Text}, "\n"))
	return strings.Contains(said, strings.ToLower(l.text)) && (l.status == "" || l.status == string(req.Status)) &&
		(!l.suspect || req.Suspect)
}
