package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/rs/zerolog"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/conductor/language"
	"orchestrator/internal/conductor/prompt"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/daemon/bridge"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/clockjump"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/system/watch"
	"orchestrator/internal/token"
)

// Limits of the HTTP server, against clients that are slow or greedy.
const (
	readTimeout  = 10 * time.Second // header and body together: one deadline to set, not two
	writeTimeout = 60 * time.Second
	idleTimeout  = 2 * time.Minute
	lastAnswers  = 5 * time.Second // for requests under way when the store has failed
	maxHeader    = 16 << 10
	debounce     = 200 * time.Millisecond
	sweepEvery   = time.Hour

	boundaryEvery = time.Second // how often the boundary's journal is looked at
	heapFloor     = 40 << 20
	maxProblems   = 20 // of a broken document that are logged
	startGC       = 25 // per cent that the heap may grow between collections while the import peaks
)

// server is everything that runs until the process is told to stop.
type server struct {
	options   serveOptions
	log       zerolog.Logger
	store     *boltstore.Store
	ledger    *ledger.Ledger
	service   *requirements.Service
	guard     *control.Guard
	conductor *conductor.Conductor
	driver    *drive.Driver
	files     *token.File
	listener  net.Listener
	workflow  lifecycle.Workflow

	repository *evidence.Repository // nil where evidence is only recorded
	tokens     *token.Authenticator
	issued     []string // roles that got a token at this start
	paths      documents
	seen       watch.Seen
	tokenPath  *tree.Path
	blind      blindness
	lost       []requirements.Moment // that an operator gave up
	draining   atomic.Bool
	begun      time.Time // of the process, with its monotonic reading
	clock      clockjump.Watch

	metricsToken string
	model        *language.LLM      // nil where the environment names none
	prompts      *prompt.Set        // of agents
	contracts    *contract.Registry // of the tools that the conductor can run
	cutOff       []state.Request    // runs of the conductor that had not ended when the service did
	due          dueWork
}

func serve(ctx context.Context, o serveOptions, out io.Writer) error {
	log, flush, err := newLogger(os.Stderr, o.logFormat, o.logLevel)
	if err != nil {
		return err
	}
	debug.SetGCPercent(startGC)
	s := &server{options: o, log: log, begun: time.Now()}
	if err = s.prepare(); err == nil {
		err = s.open(ctx)
	}
	if err == nil {
		err = s.run(ctx, out)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil // told to stop while it started
	}
	return errors.Join(err, s.close(), flush())
}

// prepare checks what can be checked before anything is created.
func (s *server) prepare() (err error) {
	s.options.resolveLinks()
	if s.paths, err = openDocuments(s.options.requirements); err != nil {
		return err
	}
	if s.workflow, err = lifecycle.ParseWorkflow(s.options.workflow); err != nil {
		return err
	}
	if err = checkReading(s.options.reading); err != nil {
		return err
	}
	if err = checkEvidence(s.options.evidence); err != nil {
		return err
	}
	if s.metricsToken, err = readMetricsToken(s.options.metricsTokenFile); err != nil {
		return err
	}
	if err := s.limit().Check(); err != nil {
		return err
	}
	if s.contracts, err = registry(s.options.data); err != nil {
		return err
	}
	if s.prompts, err = prompt.Load(promptsDir(s.options.data)); err != nil {
		return err
	}
	if s.model, err = language.FromEnvironment(os.Getenv); err != nil {
		return err
	}
	s.listener, err = net.Listen("tcp", s.options.addr)
	if err != nil {
		return fault.New(fault.Unavailable, "address", "cannot listen on %s", s.options.addr).
			WithFix("stop what uses it, or give another --addr; port 0 takes a free one").Because(err)
	}
	return nil
}

func (s *server) limit() token.Limit {
	return token.Limit{PerSecond: s.options.rateLimit, Burst: s.options.rateBurst}
}

// open does, in order, all that can refuse to start.
func (s *server) open(ctx context.Context) error {
	if err := s.refuseTracked(ctx); err != nil {
		return err
	}
	if err := s.openLedger(ctx); err != nil {
		return err
	}
	if err := s.keepOutOfGit(ctx); err != nil {
		return err
	}
	s.files = tokenFile(s.options.data)
	// Looked at before they are read, so that no change in between is missed.
	if err := s.lookAtFiles(ctx); err != nil {
		return err
	}
	if err := s.openTokens(); err != nil {
		return err
	}
	if err := s.openService(ctx); err != nil {
		return err
	}
	if err := s.accountAtStart(ctx); err != nil {
		return err
	}
	if dead := s.workflow.DeadEnds(); len(dead) > 0 {
		s.log.Warn().Str("workflow", s.workflow.Name).Strs("statuses", texts(dead)).
			Msg("these statuses can never reach done; --workflow rework adds the rows that lead back")
	}
	if err := compareExport(ctx, s.service, s.options.export); err != nil {
		return err
	}
	return s.firstImport(ctx)
}

// openService makes the service on the requirements, and the conductor beside it.
func (s *server) openService(ctx context.Context) error {
	repository, err := s.openRepository(ctx)
	if err != nil {
		return err
	}
	mode := projection.Record
	if repository != nil {
		mode = projection.Verify
	}
	signer, err := s.openKey(ctx)
	if err != nil {
		return err
	}
	s.service, err = requirements.Open(ctx, s.ledger, time.Now, requirements.Options{
		Workflow: s.workflow, ExportPath: s.options.export, ExportWait: s.options.exportWait,
		RequireIfMatch: s.options.requireIfMatch,
		Reading:        s.options.reading, Evidence: mode, Repository: repository,
		Signer: signer, AcceptKey: s.options.acceptNewKey, Lost: s.lost, AcceptRollback: s.options.acceptRollback,
		OnFolding: s.logFolding, OnDisplaced: s.logDisplaced,
	})
	if err != nil {
		return startNeedsRoom(err)
	}
	s.openConductor(signer)
	s.cutOff, err = s.conductor.Unfinished(ctx)
	return err
}

// openConductor makes what works on the ledger besides the service.
func (s *server) openConductor(signer audit.Signer) {
	beside := boundaryBeside(s.options.data)
	s.guard = control.New(beside, s.ledger, time.Now, hook.NewID)
	project := bridge.New(s.service, s.ledger, bridge.Options{Signer: signer, Prompts: s.prompts, Cited: s.cited})
	s.conductor = conductor.New(s.ledger, conductor.Options{
		Tools: s.contracts, Box: tools.Box(), Project: project, Root: beside.Root, Clock: time.Now,
		Deterministic: s.options.deterministic,
		Agents:        bridge.Admission{Tokens: s.tokens, URL: s.url, Clock: time.Now},
	})
	s.driver = &drive.Driver{Project: project, Conductor: s.conductor, Draining: s.draining.Load}
}

// firstImport must succeed on an empty database; later a broken document leaves the last good state in
// force, which readyz shows.
func (s *server) firstImport(ctx context.Context) error {
	err := s.reimport(ctx, false)
	if err != nil && s.service.State().Requirements == 0 {
		if f := fault.As(err); f != nil {
			return hintAssign(f, s.options.reading)
		}
		return err
	}
	if isFull(err) {
		s.putOff("documents", err, func(ctx context.Context) error { return s.reimport(ctx, false) })
	} else if err != nil {
		s.logFailure(err, strings.Join(s.options.requirements, " "),
			"the requirement documents were not imported; the last good state stays in force")
	}
	return nil
}

// reimport imports the documents as they are now. What nobody asked for is charged to a budget of its own.
func (s *server) reimport(ctx context.Context, unasked bool) error {
	report, err := s.service.Import(ctx, systemActor(), s.documents(ctx), requirements.ImportOptions{Unasked: unasked})
	if err != nil {
		err = s.service.Refuse(ctx, systemActor(),
			requirements.Refused{Request: "orchestrator serve", Unasked: unasked}, err)
	}
	if err == nil {
		var documents []string
		for _, d := range report.Documents {
			documents = append(documents, d.Path)
		}
		s.log.Info().Strs("documents", documents).Str("report", report.String()).
			Int("warnings", len(report.Warnings)).Int("skipped", len(report.Skipped)).Msg("imported")
	}
	return err
}

// logFailure says why documents were not imported, with a line for each problem in them.
func (s *server) logFailure(err error, document, msg string) {
	problems := requirements.Failed(err).Errors
	located := slices.ContainsFunc(problems, func(r requirements.ReportRemark) bool { return r.Path != "" })
	event := s.log.Error().Str("document", document)
	if !located {
		event.Err(err).Msg(msg)
		return
	}
	event.Int("errors", len(problems)).Msg(msg)
	for _, r := range problems[:min(len(problems), maxProblems)] {
		s.log.Error().Str("at", fmt.Sprintf("%s:%d", r.Path, r.Line)).Str("fix", r.Fix).Msg(r.Message)
	}
}

func (s *server) documents(ctx context.Context) func() ([]reqdoc.File, error) {
	return func() ([]reqdoc.File, error) { return s.paths.read(ctx) }
}

// run serves until ctx ends or the ledger fails.
func (s *server) run(ctx context.Context, out io.Writer) error {
	addr := s.listener.Addr().String()
	if err := s.writeAddr(addr); err != nil {
		return err
	}
	s.greet(out, addr)
	s.explainTokens(out)
	debug.SetGCPercent(100)
	debug.FreeOSMemory() // what the import needed
	defer runtime.KeepAlive(ballast())
	return s.serveUntilDone(ctx, &http.Server{
		Handler: s.handler(), ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: stdLogger(s.log),
	})
}

// ballast counts as live memory and is never touched, so it takes none. It lets the heap grow to heapFloor
// between two collections, which it would not do in a small project, where the collector took a fifth of the time.
func ballast() []byte {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return make([]byte, heapFloor-min(2*m.HeapAlloc, heapFloor))
}

func (s *server) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registerStore(registry, s.store)
	return httpapi.New(httpapi.Config{
		Service: s.service, Boundary: s.guard, Conductor: s.conductor, Driver: s.driver, Model: s.model,
		Tokens: s.tokens, Documents: s.documents(context.Background()), Log: s.log, Metrics: registry,
		MetricsToken: s.metricsToken,
		Hosts:        s.hosts(), Draining: s.draining.Load, Checks: s.checks,
		Version: httpapi.Version{Version: buildVersion, Commit: commit(), Go: runtime.Version()},
	})
}

// hosts are the names that a request may have in Host.
func (s *server) hosts() []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if host, _, err := net.SplitHostPort(s.options.addr); err == nil {
		if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
			hosts = append(hosts, strings.ToLower(host))
		}
	}
	for _, host := range s.options.allowHosts {
		hosts = append(hosts, strings.ToLower(host))
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

func readMetricsToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	b, err := tree.ReadFile(context.Background(), path, maxSecret)
	if secret := strings.TrimSpace(string(b)); err == nil && secret != "" {
		return secret, nil
	}
	return "", fault.New(fault.Invalid, "metrics_token_file", "%s holds no token", path).
		WithFix("write one into it, or leave --metrics-token-file out").Because(err)
}

// greet prints two curl lines that work as printed.
func (s *server) greet(out io.Writer, addr string) {
	s.log.Info().Str("addr", addr).Str("data", s.options.data).Str("workflow", s.options.workflow).Msg("serving")
	if s.model != nil {
		s.log.Info().Stringer("model", s.model).
			Msg("a language model is asked for what the conductor's grammar does not understand")
	}
	secret := filepath.Join(s.options.data, "tokens", "pm.token")
	page, err := s.service.List(requirements.Query{Limit: 1})
	if _, missing := os.Stat(secret); missing != nil || err != nil || len(page.Requirements) == 0 {
		return
	}
	base, auth := localURL(addr), bearer(secret)
	path := base + "/requirements/" + pathEscape(page.Requirements[0].ID)
	fmt.Fprintf(out,
		"\nTry:\n  curl -s %s '%s/next'\n  curl -s -X PATCH %s -H 'Content-Type: application/json' -d "+
			"'{\"pm_notes\":[{\"text\":\"hello\"}]}' '%s?dry_run=true'\n\n",
		auth, path, auth, path)
}

// url is where agents reach the service.
func (s *server) url() string { return localURL(s.listener.Addr().String()) }

// localURL is where a service on this machine answers that listens on addr.
func localURL(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// bearer is the argument of curl that sends the token of a file.
func bearer(file string) string {
	return fmt.Sprintf(`-H "Authorization: Bearer $(cat %s)"`, shellQuote(file))
}
