package httpapi_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/conductor"
	toolcontract "orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/conductor/evaluating"
	"orchestrator/internal/conductor/language/translator"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/daemon/bridge"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

// sample is the requirement document of a harness, unless a test gives another.
const sample = `# Sample

## REQ-001: Log in with a password

A user logs in with name and password.

Acceptance:

- A wrong password is refused.

## REQ-002: Log out

A user can log out.

## REQ-003: Delete an account

A user can delete the account.
`

// testSigner signs the checkpoints of a harness, always with the same key.
func testSigner(t *testing.T) audit.Signer {
	t.Helper()
	private, err := audit.GenerateKey(strings.NewReader(strings.Repeat("seven...", 8)), "example.org/sample")
	require.NoError(t, err)
	signer, err := audit.ParseSigner(private)
	require.NoError(t, err)
	return signer
}

// options are what a test may choose before the service starts.
type options struct {
	Driven       func(drive.Conductor) drive.Conductor // what drives work with, in place of the harness's own
	Tools        string                                // a folder of contracts, in which they run; "" for the box alone
	WriteTimeout time.Duration
	ReadTimeout  time.Duration // 0 is five minutes, as long as a test may take on a slow machine
	requirements.Options
	Store        store.Store
	Document     string
	Limit        token.Limit
	MetricsToken string
	Model        *translator.LLM
	Log          io.Writer // nil keeps none; to be read when the server is closed
	Unexported   bool      // the export is never tried
	Checks       func() []httpapi.Check
	Replica      *httpapi.Replica                                  // without a Log it gets the ledger's
	Tokens       func(httpapi.Authenticator) httpapi.Authenticator // in place of the harness's
	TokensOf     *harness                                          // whose tokens it takes; nil makes some
	LogBudget    uint64                                            // bytes a day of each actor
	Seen         *seen                                             // collects which documented answers happened
}

// harness is the whole service in one process: a store in memory, the ledger, real tokens in a folder of
// their own, and a server on a loopback port. Every answer is held against api/openapi.yaml.
type harness struct {
	t          *testing.T
	Server     *httptest.Server
	Service    *requirements.Service
	Ledger     *ledger.Ledger
	Clock      *clock
	Document   string // path of the requirement document; an import reads it
	Export     string // path of project_status.json
	Draining   atomic.Bool
	Stopping   chan struct{}
	Project    folder.Dir // its boundary, in validate
	guard      *control.Boundary
	routes     chi.Router
	files      *token.File
	auth       *token.Authenticator
	secrets    map[string]string // by name of the actor
	stop       func()            // ends the service in order, but for its server and its store
	seen       *seen
	conducting *conductor.Conductor
	second     string // a second requirement document, if not empty
	specs      []reqdoc.File
	panics     bool // reading the documents meets a defect
}

// newHarness starts the service with the sample document imported and one token per role, named after it.
func newHarness(t *testing.T, choose ...func(*options)) *harness {
	t.Helper()
	dir := t.TempDir()
	h := &harness{t: t, Clock: newClock(), Stopping: make(chan struct{}), Document: filepath.Join(dir, "REQUIREMENTS.md"), Export: filepath.Join(dir, "project_status.json")}
	o := options{Store: store.NewMemory(), Document: sample, Seen: &seen{}}
	o.Workflow, o.ExportPath, o.ExportWait = lifecycle.V1, h.Export, time.Minute
	o.Signer = testSigner(t)
	for _, f := range choose {
		f(&o)
	}
	h.seen = o.Seen
	h.startService(o)
	h.startBoundary(dir)
	h.startServer(dir, o)
	return h
}

func (h *harness) startService(o options) {
	ctx, stop := context.WithCancel(context.Background())
	var err error
	h.Ledger, err = ledger.Open(ctx, o.Store, h.Clock.Now)
	require.NoError(h.t, err)
	h.Ledger.LimitSpending(o.LogBudget)
	h.Service, err = requirements.Open(ctx, h.Ledger, h.Clock.Now, o.Options)
	require.NoError(h.t, err)
	var exporting sync.WaitGroup
	h.stop = func() { stop(); exporting.Wait() }
	h.t.Cleanup(func() {
		h.stop()
		require.NoError(h.t, h.Ledger.Close())
	})
	h.write(o.Document)
	_, err = h.Service.Import(ctx, lifecycle.Actor{Name: "orchestrator", Role: "system"}, h.documents,
		requirements.ImportOptions{Origin: projection.ImportOrigin{Via: projection.ViaStart}})
	require.NoError(h.t, err)
	if !o.Unexported { // after the import, as in a service: what it reads of the log it reads at once
		exporting.Go(func() { _ = h.Service.Run(ctx) })
	}
}

// startBoundary sets the boundary of a project up. Ids count up, so that answers are the same each time.
func (h *harness) startBoundary(dir string) {
	h.Project = folder.In(dir)
	_, err := control.SetUp(h.Project, boundary.DefaultPolicy(),
		control.Change{By: "local:test", Reason: "set up", At: h.Clock.Now(), ID: "00000000000000aa"})
	require.NoError(h.t, err)
	var last atomic.Int64
	h.guard = control.New(h.Project, h.Ledger, h.Clock.Now, func() string { return fmt.Sprintf("%016x", last.Add(1)) })
}

func (h *harness) startServer(dir string, o options) {
	data := dir
	if o.TokensOf != nil {
		data = filepath.Dir(o.TokensOf.Export)
	}
	h.files = token.NewFile(datadir.Dir(filepath.Join(data, "data")))
	h.secrets = map[string]string{}
	if o.TokensOf != nil {
		h.secrets = o.TokensOf.secrets
	}
	var roles []string
	for _, role := range lifecycle.Roles() {
		roles = append(roles, string(role))
	}
	created, err := h.files.Bootstrap(roles, time.Now())
	require.NoError(h.t, err)
	for role, path := range created {
		secret, err := os.ReadFile(path)
		require.NoError(h.t, err)
		h.secrets[role] = strings.TrimSpace(string(secret))
	}
	if o.Limit == (token.Limit{}) {
		o.Limit = token.Limit{PerSecond: 1e6, Burst: 1e6} // told in every answer, and never reached
	}
	h.auth, err = token.NewAuthenticator(h.files, o.Limit)
	require.NoError(h.t, err)
	log := zerolog.Nop()
	if o.Log != nil {
		log = zerolog.New(zerolog.SyncWriter(o.Log))
	}
	conducting := h.conductor(o.Tools)
	h.conducting = conducting
	var driven drive.Conductor = conducting
	if o.Driven != nil {
		driven = o.Driven(conducting)
	}
	if o.Replica != nil && o.Replica.Log == nil {
		o.Replica.Log = h.Ledger
	}
	var tokens httpapi.Authenticator = h.auth
	if o.Tokens != nil {
		tokens = o.Tokens(tokens)
	}
	driver := &drive.Driver{Project: h.overProject(), Conductor: driven, Draining: h.Draining.Load}
	handler := httpapi.New(httpapi.Config{
		Service: h.Service, Ledger: h.Ledger, Stopping: h.Stopping, Boundary: h.guard, Conductor: conducting, Driver: driver, Model: o.Model, Tokens: tokens, Limit: o.Limit, Documents: h.documents, Log: log, Metrics: prometheus.NewRegistry(),
		MetricsToken: o.MetricsToken, Hosts: []string{"127.0.0.1"}, Draining: h.Draining.Load, Checks: o.Checks, Replica: o.Replica, Kinds: replay.Kinds(),
		Version: httpapi.Version{Version: "test", Commit: "none", Go: "go1.26"},
	})
	h.routes = handler.(chi.Router)
	h.Server = httptest.NewUnstartedServer(handler)
	h.Server.Config.ReadTimeout, h.Server.Config.WriteTimeout = cmp.Or(o.ReadTimeout, 5*time.Minute), o.WriteTimeout
	h.Server.Config.DisableGeneralOptionsHandler = true
	h.Server.Start()
	h.t.Cleanup(h.Server.Close)
}

// overProject is the harness's project, for the conductor.
func (h *harness) overProject() *bridge.Project {
	prompts, err := prompt.Load(filepath.Join(h.t.TempDir(), "none"))
	require.NoError(h.t, err)
	return bridge.New(h.Service, h.Ledger, bridge.Options{Signer: testSigner(h.t), Prompts: prompts, Cited: func(path string) string { return path }})
}

// conductor is one with the tools of the box and those of a folder, over the harness's project, whose durations are 0.
func (h *harness) conductor(folder string) *conductor.Conductor {
	box := tools.Box()
	contracts := evaluating.Contracts()
	for _, t := range box {
		contracts = append(contracts, t.Contract)
	}
	root := h.t.TempDir()
	if folder == "" {
		folder = filepath.Join(root, "none")
	} else {
		root = folder
	}
	registry, err := toolcontract.Load(folder, contracts)
	require.NoError(h.t, err)
	project := h.overProject()
	return conductor.New(h.Ledger, conductor.Options{
		Tools: registry, Box: box, Project: project, Root: root, Clock: h.Clock.Now, Deterministic: true,
		Agents: bridge.Admission{Tokens: h.auth, Project: project, URL: "http://127.0.0.1:1", Clock: h.Clock.Now},
	})
}

// documents reads the requirement document as the command does.
func (h *harness) documents() ([]reqdoc.File, error) {
	if h.panics {
		panic("a defect")
	}
	content, err := os.ReadFile(h.Document)
	if err != nil {
		return nil, fault.New(fault.Conflict, "requirements_unreadable", "the requirement document cannot be read").Because(err)
	}
	files := []reqdoc.File{{Path: "REQUIREMENTS.md", Content: content}}
	if h.second != "" {
		files = append(files, reqdoc.File{Path: "MORE.md", Content: []byte(h.second)})
	}
	return append(files, h.specs...), nil
}

// propose replaces a file of an open change; without content it is gone.
func (h *harness) propose(change, capability, content string) {
	path := "openspec/changes/" + change + "/specs/" + capability + "/spec.md"
	h.specs = slices.DeleteFunc(h.specs, func(f reqdoc.File) bool { return f.Path == path })
	if strings.TrimSpace(content) != "" {
		h.specs = append(h.specs, reqdoc.File{Path: path, Content: []byte(content), Change: change})
	}
}

// write replaces the requirement document; POST /project/import then reads it.
func (h *harness) write(document string) {
	h.t.Helper()
	require.NoError(h.t, os.WriteFile(h.Document, []byte(document), 0o600))
}

// addToken makes a further token. do then takes who, its name; of several with one name, the newest.
func (h *harness) addToken(who string, role lifecycle.Role) {
	h.t.Helper()
	h.addTokenUntil(who, role, time.Time{}, time.Now())
}

// addTokenUntil is addToken for one that expires, as if it were made at now.
func (h *harness) addTokenUntil(who string, role lifecycle.Role, expires, now time.Time) {
	h.t.Helper()
	secret, _, err := h.files.Add(who, string(role), expires, now)
	require.NoError(h.t, err)
	require.NoError(h.t, h.auth.Reload())
	h.secrets[who] = secret
}

// response is an answer that was read to its end.
type response struct {
	Status int
	Header http.Header
	Body   []byte
}

// do sends a request as who (a role, or a name given to addToken; "" sends no token). headers are names and
// values in turn; a body goes as application/json unless they say otherwise.
func (h *harness) do(who, method, path, body string, headers ...string) response {
	h.t.Helper()
	req, err := http.NewRequest(method, h.Server.URL+path, strings.NewReader(body))
	require.NoError(h.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if who != "" {
		require.Contains(h.t, h.secrets, who)
		req.Header.Set("Authorization", "Bearer "+h.secrets[who])
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Host = req.Header.Get("Host")
	r := h.send(req)
	h.seen.example(method+" "+path, headers, body, r)
	return r
}

func (h *harness) send(req *http.Request) response {
	h.t.Helper()
	sent, err := http.DefaultTransport.RoundTrip(req) // no redirects, no cookies
	require.NoError(h.t, err)
	return h.read(req.Method, req.URL.EscapedPath(), sent)
}

// read reads an answer and holds it against the contract.
func (h *harness) read(method, path string, from *http.Response) response {
	h.t.Helper()
	body, err := io.ReadAll(from.Body)
	require.NoError(h.t, errors.Join(err, from.Body.Close()))
	if from.Header.Get("Content-Encoding") == "gzip" && method != http.MethodHead {
		z, err := gzip.NewReader(bytes.NewReader(body))
		require.NoError(h.t, err)
		body, err = io.ReadAll(z)
		require.NoError(h.t, err)
	}
	r := response{from.StatusCode, from.Header, body}
	require.NoError(h.t, theContract().check(h.seen, h.pattern(method, path), method, r), "%s %s: %d %s", method, path, r.Status, body)
	return r
}

// pattern is the route that a request takes, or "" for none.
func (h *harness) pattern(method, path string) string {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rc := chi.NewRouteContext()
	if !h.routes.Match(rc, method, path) {
		return ""
	}
	return documentedPath(rc.RoutePattern())
}

// documentedPath is a route as OpenAPI writes it, which has no parameter over several segments.
func documentedPath(route string) string { return strings.Replace(route, "/tile/*", "/tile/{tile}", 1) }

// patch sends a change to REQ-001 and expects it to be accepted.
func (h *harness) patch(who, body string, headers ...string) response {
	h.t.Helper()
	r := h.do(who, http.MethodPatch, "/requirements/REQ-001", body, headers...)
	require.Equal(h.t, http.StatusOK, r.Status, "%s", r.Body)
	return r
}

// move is a change of status with a justification.
func move(to lifecycle.Status) string {
	return `{"status":"` + string(to) + `","justification":{"reason":"a test","evidence":[{"kind":"file","path":"plan.md"}]}}`
}

// json is the body as generic JSON.
func (r response) json(t *testing.T) map[string]any {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.Unmarshal(r.Body, &v), "%s", r.Body)
	return v
}

// clock is the service's; it stands still until it is advanced.
type clock struct{ now atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.now.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) Now() time.Time          { return time.Unix(0, c.now.Load()).UTC() }
func (c *clock) Advance(d time.Duration) { c.now.Add(int64(d)) }
