// Package httpapi is the REST API: routes, authentication, request bodies in, JSON and problem+json out.
//
// Handlers return an error; one adapter (handle) turns it into an RFC 9457 problem, and nothing else
// writes a failure. The actor comes from the bearer token alone; no header or body can name a role.
package httpapi

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/conductor/language/translator"
	"orchestrator/internal/httpapi/inflight"
	"orchestrator/internal/httpapi/live"
	"orchestrator/internal/httpapi/mcp"
	"orchestrator/internal/httpapi/replica"
	"orchestrator/internal/httpapi/turns"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/secret"
	"orchestrator/internal/token"
)

// Authenticator knows the tokens and their rate limits.
type Authenticator interface {
	Authenticate(presented string, now time.Time) (token.Token, error)
	Allow(t token.Token, now time.Time) (left int, retryAfter time.Duration, ok bool)
	Kept() []byte // the tokens in force or older ones, as replicas have them in common
}

// Version says which program answers.
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

// Replica is one of several processes that serve a project from one store.
type Replica = replica.Config

// Config is what the service is wired to.
type Config struct {
	Service      *requirements.Service
	Ledger       *ledger.Ledger // of the service
	Boundary     *control.Boundary
	Conductor    *conductor.Conductor
	Driver       *drive.Driver
	Model        *translator.LLM // nil: the grammar and the templates alone
	Tokens       Authenticator
	Limit        token.Limit                   // of each token, and of each address that shows none
	Documents    func() ([]reqdoc.File, error) // reads the requirement documents
	Log          zerolog.Logger
	Metrics      *prometheus.Registry
	MetricsToken string   // "" leaves /metrics open
	Hosts        []string // names that Host may have, without port
	Draining     func() bool
	Stopping     <-chan struct{} // closed when draining begins
	Kinds        []string        // of records that there are
	Checks       func() []Check  // further checks of /readyz; nil adds none
	Version      Version
	Replica      *Replica // this process among those on its store; nil: it is the only one
}

// API is the HTTP service.
type API struct {
	Config
	metrics *metrics
	live    *live.Handlers
	bodies  *inflight.Bodies
	limits  limits
	routes  []string // the patterns of all paths
	root    http.Handler
	door    *mcp.Door
}

// The handlers of each subsystem know its services alone.
type (
	requirementHandlers struct {
		Service   *requirements.Service
		Documents func() ([]reqdoc.File, error)
		reviews   *turns.Reviews
		confirm   func(http.ResponseWriter, *http.Request) error
		waiting   func(func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error
	}
	logHandlers struct {
		Log   *requirements.Log
		Kinds []string
	}
	conductorHandlers struct {
		Conductor *conductor.Conductor
		Driver    *drive.Driver
		Model     *translator.LLM
		refuser
	}
	healthHandlers struct{ Config }

	// refuser puts refusals on record, for the handlers of what the requirement service does not decide.
	refuser struct{ Service *requirements.Service }
)

// handler is a request that succeeds or says why not.
type handler func(w http.ResponseWriter, r *http.Request) error

// refused puts a refusal on record.
func (a refuser) refused(w http.ResponseWriter, r *http.Request, body []byte, err error) error {
	return a.Service.Refuse(r.Context(), wire.ActorOf(w),
		requirements.Refused{Request: r.Method + " " + secret.Mask(r.URL.Path), Body: body, RequestID: wire.CallOf(w).ID}, err)
}
