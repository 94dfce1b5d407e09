package httpapi

import (
	"errors"
	"net/http"
	"net/url"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/changing"
	"orchestrator/internal/httpapi/filter"
	"orchestrator/internal/httpapi/replica"
	"orchestrator/internal/httpapi/shape"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/premise"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/lazyregexp"
)

// Page sizes of the lists.
const (
	defaultPage = filter.DefaultPage
	largestPage = filter.LargestPage
)

func (h *requirementHandlers) project(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	etag, write := h.Service.Project()
	if wire.NotModified(w, r, etag) {
		return nil
	}
	w.Header()["Content-Type"] = wire.TypeJSON
	w.Header()["Cache-Control"] = wire.NoCache
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_ = write(w) // the client may be gone; nothing is left to do for it
	return nil
}

// ofOne answers a request about one requirement.
func (h *requirementHandlers) ofOne(answer func(*requirements.Reader, string, http.ResponseWriter, *http.Request) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := requirementID(r)
		if err != nil {
			return err
		}
		return answer(h.Service.Reader, id, w, r)
	}
}

// ofAll answers a request about all requirements.
func (h *requirementHandlers) ofAll(answer func(*requirements.Reader, http.ResponseWriter, *http.Request) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error { return answer(h.Service.Reader, w, r) }
}

func readChange(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return wire.ReadBody(w, r, wire.MaxBody)
}

func (h *requirementHandlers) patchRequirement(w http.ResponseWriter, r *http.Request) error {
	p, values, err := readProposal(w, r, readChange, "fields")
	var wanted shape.Wanted
	if err == nil {
		wanted, err = changing.Wanted(r, values)
	}
	if err != nil {
		if unconfirmed := h.confirm(w, r); unconfirmed != nil {
			replica.Unrefuse(w.Header())
			return unconfirmed
		}
		return h.Service.Refuse(r.Context(), wire.ActorOf(w), p.Refused(), err)
	}
	answer, err := h.Service.Patch(replica.PremiseOf(w, r, h.Service.Looks()), wire.ActorOf(w), p)
	if errors.Is(err, premise.ErrOpen) {
		if err = h.confirm(w, r); err == nil {
			answer, err = h.Service.Patch(r.Context(), wire.ActorOf(w), p)
		}
	}
	setReplay(w, answer)
	if err != nil {
		return err
	}
	setOutcome(w, p, answer)
	return changing.Write(w, wanted, answer)
}

func setReplay(w http.ResponseWriter, answer requirements.Answer) {
	if answer.Replayed {
		w.Header().Set("Idempotent-Replay", "true")
	}
}

// setOutcome sets the headers that say what became of an accepted change.
func setOutcome(w http.ResponseWriter, p requirements.Proposal, answer requirements.Answer) {
	if p.DryRun {
		w.Header().Set("Dry-Run", "true")
		return
	}
	w.Header().Set("ETag", answer.ETag())
	w.Header().Set("Export-Status", string(answer.Exported))
	changing.SetReceipt(w, answer.Receipt)
}

func (h *requirementHandlers) attachReport(w http.ResponseWriter, r *http.Request) error {
	p, values, err := readProposal(w, r, readReport, "commit", "tests")
	p.Request = "POST /requirements/{id}/test-report"
	var options requirements.AttachOptions
	if err == nil {
		options, err = attachOptions(values)
	}
	if err != nil {
		return h.Service.Refuse(r.Context(), wire.ActorOf(w), p.Refused(), err)
	}
	answer, err := h.Service.Attach(r.Context(), wire.ActorOf(w), p, options)
	setReplay(w, answer.Answer)
	if err != nil {
		return err
	}
	setOutcome(w, p, answer.Answer)
	return changing.WriteAttached(w, r, answer)
}

// commitID is how a change names a commit, too.
var commitID = lazyregexp.New(`^[0-9a-f]{7,64}$`)

func attachOptions(values url.Values) (requirements.AttachOptions, error) {
	o := requirements.AttachOptions{Commit: values.Get("commit"), Tests: values.Get("tests")}
	for _, name := range []string{"commit", "tests"} {
		if values.Has(name) && values.Get(name) == "" {
			return o, wire.Parameter(name, "it is empty").WithFix("leave it out, or give it a value")
		}
	}
	if o.Commit == "" || commitID().MatchString(o.Commit) {
		return o, nil
	}
	return o, wire.Parameter("commit", "%q is no commit id of 7 to 64 hexadecimal digits", wire.Clip(o.Commit)).
		WithFix("write the id of the commit that was tested, as git log shows it")
}

// readReport reads a test report, whose format is told from its bytes: any media type will do.
func readReport(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := wire.CheckCoding(w, r); err != nil {
		return nil, err
	}
	return wire.ReadBytes(w, r, wire.MaxReport)
}

// readProposal reads a proposal, and the parameters that its path has besides dry_run.
func readProposal(w http.ResponseWriter, r *http.Request, read func(http.ResponseWriter, *http.Request) ([]byte, error),
	parameters ...string) (requirements.Proposal, url.Values, error) {
	p := requirements.Proposal{Request: "PATCH /requirements/{id}", RequestID: wire.CallOf(w).ID, Holder: wire.CallOf(w).Holder,
		Parsed: wire.CallOf(w).Held.Rest}
	var err error
	var values url.Values
	if p.DryRun, values, err = dryRunOf(r, parameters...); err != nil {
		return p, nil, err
	}
	if p.ID, err = requirementID(r); err != nil {
		return p, nil, err
	}
	if p.IfMatch, err = wire.IfMatch(r); err != nil {
		return p, nil, err
	}
	if p.IdempotencyKey, err = wire.IdempotencyKey(r); err != nil {
		return p, nil, err
	}
	p.Body, err = read(w, r)
	return p, values, err
}

func (h *requirementHandlers) importDocuments(w http.ResponseWriter, r *http.Request) error {
	dryRun, _, err := dryRunOf(r)
	var report drift.Report
	if err == nil {
		report, err = h.runImport(w, r, dryRun)
	}
	if dryRun && errors.Is(err, fault.Invalid) { // the report that was asked for says what is wrong with the documents
		report, err = drift.Failed(err), nil
		report.DryRun = true
	}
	if err != nil {
		refused := requirements.Refused{Request: "POST /project/import", RequestID: wire.CallOf(w).ID, DryRun: dryRun}
		return h.Service.Refuse(r.Context(), wire.ActorOf(w), refused, err)
	}
	return changing.WriteImported(w, h.Service.Reader, report)
}

// dryRunOf reads dry_run, and returns all parameters; others are those that the path has besides.
func dryRunOf(r *http.Request, others ...string) (bool, url.Values, error) {
	values, err := wire.Query(r, append([]string{"dry_run"}, others...)...)
	if err != nil {
		return false, nil, err
	}
	dry, err := wire.BoolParameter(values, "dry_run")
	return dry != nil && *dry, values, err
}

func (h *requirementHandlers) runImport(w http.ResponseWriter, r *http.Request, dryRun bool) (drift.Report, error) {
	if who := wire.ActorOf(w); who.Role != lifecycle.PM {
		return drift.Report{}, fault.New(fault.Forbidden, "role_forbidden",
			"importing the requirement documents is for role pm, not for role %s", who.Role).
			WithFix("ask a pm to send it")
	}
	if r.ContentLength != 0 {
		return drift.Report{}, fault.New(fault.Malformed, "body_not_expected", "an import takes no body").
			WithFix("change the requirement document on disk, and send this request without a body")
	}
	return h.Service.Import(r.Context(), wire.ActorOf(w), h.Documents,
		requirements.ImportOptions{RequestID: wire.CallOf(w).ID, DryRun: dryRun,
			Origin: projection.ImportOrigin{Via: projection.ViaAPI, Token: wire.CallOf(w).Held.Token()}})
}
