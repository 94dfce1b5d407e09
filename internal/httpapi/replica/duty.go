package replica

import (
	"net/http"
	"strings"

	"orchestrator/internal/fault"
)

// Route is a method and a pattern of paths.
type Route struct{ Method, Pattern string }

// Why a route is served by the replica on duty alone.
const (
	ofDocuments = "documents are imported by one process, and it knows why the last import failed"
	ofBoundary  = "the journal and the policy of the boundary are files beside the replica on duty"
	ofRuns      = "runs and drives live in one process"
	ofSchedules = "schedules are kept by one process"
)

// onDuty are the routes that only the replica on duty serves, and why. All others are served by every replica.
var onDuty = map[Route]string{
	{http.MethodGet, "/project/import"}:             ofDocuments,
	{http.MethodPost, "/project/import"}:            ofDocuments,
	{http.MethodPost, "/project/renames"}:           ofDocuments,
	{http.MethodGet, "/project/review"}:             ofDocuments,
	{http.MethodGet, "/boundary/report"}:            ofBoundary,
	{http.MethodGet, "/boundary/readiness"}:         ofBoundary,
	{http.MethodGet, "/boundary/decisions"}:         ofBoundary,
	{http.MethodPut, "/boundary/mode"}:              ofBoundary,
	{http.MethodPost, "/boundary/attestations"}:     ofBoundary,
	{http.MethodPost, "/obligations"}:               ofRuns,
	{http.MethodPost, "/obligations/{run}/answers"}: ofRuns,
	{http.MethodPost, "/requests"}:                  ofRuns,
	{http.MethodPost, "/drive"}:                     ofRuns,
	{http.MethodDelete, "/schedules/{schedule}"}:    ofSchedules,
}

// Forwarded is the header of a request that a replica has passed on: it is not passed on again.
const Forwarded = "Orchestrator-Forwarded-By"

// OnDuty returns what serves those routes that only the replica on duty serves: here with the lease, or there. refuse
// answers with an error.
//
// Implements: ORC-357
func (c *Config) OnDuty(log Published, routeOf func(*http.Request) string,
	refuse func(http.ResponseWriter, *http.Request, error)) func(http.Handler) http.Handler {
	to := newPassing(c, log, refuse)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if onDuty[Route{methodOf(r), routeOf(r)}] == "" {
				next.ServeHTTP(w, r)
				return
			}
			if under, leave, err := c.Duty.Enter(r.Context()); err == nil {
				defer leave()
				next.ServeHTTP(w, r.WithContext(under))
				return
			}
			if err := to.pass(w, r); err != nil {
				refuse(w, r, err)
			}
		})
	}
}

func methodOf(r *http.Request) string {
	if r.Method == http.MethodHead {
		return http.MethodGet
	}
	return r.Method
}

// holderOf returns the URL of the replica on duty.
func (p *passing) holderOf(r *http.Request) (string, error) {
	if r.Header[Forwarded] != nil {
		return "", vacant("the duty has passed to another replica")
	}
	holder, err := p.holders.holder(r.Context(), p.Duty, fresh)
	switch {
	case r.Context().Err() != nil:
		return "", r.Context().Err()
	case err != nil:
		return "", vacant("it is not known which replica is on duty").Because(err)
	case holder == "":
		return "", vacant("no replica is on duty")
	case holder == p.URL:
		return "", vacant("the replica on duty is said to answer at the address of this one").
			WithFix("send the request again, as Retry-After says: this one may have been started anew while its last " +
				"lease goes on. If that does not help, start each replica with an --advertise of its own")
	case !strings.HasPrefix(holder, "http://") && !strings.HasPrefix(holder, "https://"):
		return "", vacant("the replica on duty answers at an address that others cannot reach")
	}
	return holder, nil
}

func vacant(why string) *fault.Error {
	return fault.New(fault.Unavailable, "duty_vacant", "%s; nothing was done", why).
		WithFix("send the request again, as Retry-After says: another replica takes over when the lease has ended").
		After(retry).ForClients()
}
