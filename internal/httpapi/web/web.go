// Package web is the door for people: pages under /ui in which they look, decide and sign.
//
// It decides nothing. A page is made of what the REST API answers to the token of whoever is signed in, and what a form
// asks for is sent as the request that a program would send. Rights, rules, limits and the log are those of the API,
// and so are refusals.
package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/asset"
	"orchestrator/internal/httpapi/web/board"
	"orchestrator/internal/httpapi/web/boundary"
	"orchestrator/internal/httpapi/web/dossier"
	"orchestrator/internal/httpapi/web/fulltext"
	"orchestrator/internal/httpapi/web/importing"
	"orchestrator/internal/httpapi/web/matrix"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/progress"
	"orchestrator/internal/httpapi/web/records"
	"orchestrator/internal/httpapi/web/session"
	"orchestrator/internal/httpapi/web/traces"
	"orchestrator/internal/httpapi/web/waits"
	"orchestrator/internal/httpapi/web/workflow"
)

// Config is what the pages are wired to.
type Config struct {
	API     func() http.Handler                             // for the calls of a request that was counted
	Project func() string                                   // its name
	Refuse  func(http.ResponseWriter, *http.Request, error) // answers with an error as the API does

	// Count counts a request against the limit of a token, or without one of its address. It says why there are to be
	// no calls: there were too many, or the token is not in force.
	Count func(w http.ResponseWriter, r *http.Request, token string) error
}

// Door serves the pages. It is safe for concurrent use.
type Door struct {
	Config
	sessions session.Store
}

// New returns the routes of all paths below page.Root.
func New(c Config) chi.Router {
	d := &Door{Config: c}
	r := chi.NewRouter()
	r.Use(guarded)
	r.NotFound(d.nothingHere)
	r.MethodNotAllowed(d.nothingHere)
	r.Get("/assets/{name}", d.asset)
	r.Get("/sign-in", d.counted(d.askForToken))
	r.Post("/sign-in", d.counted(d.signIn))
	r.Post("/sign-out", d.signOut)
	r.Post("/theme", d.chooseTheme)
	r.Get("/events", d.events)
	for _, p := range pages() {
		r.Get(p.Pattern, d.show(p))
		if p.Act != nil {
			r.Post(p.Pattern, d.act(p))
		}
	}
	return r
}

// pages are all, in the order of the navigation.
func pages() []page.Page {
	return []page.Page{
		waits.Page(),
		board.Page(),
		dossier.Page(),
		fulltext.Page(),
		matrix.Page(), matrix.CSV(),
		progress.Page(),
		records.Page(), records.RecordPage(),
		importing.Page(),
		boundary.Page(),
		traces.Page(),
		traces.RunPage(),
		workflow.Page(),
	}
}

// policy lets a page load what comes from its origin alone, and run no script and no style that stands in it.
const policy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// guarded sets what every answer has.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// ask returns the API in the name of a session.
func (d *Door) ask(w http.ResponseWriter, r *http.Request, who *session.Session) ask.API {
	return ask.API{Handler: d.API(), From: r, Token: who.Token, ID: w.Header().Get("X-Request-Id")}
}

// visit returns what a page is filled for.
func (d *Door) visit(w http.ResponseWriter, r *http.Request, who *session.Session) *page.Visit {
	v := &page.Visit{API: d.ask(w, r, who), Who: who, Query: r.URL.Query(), Now: time.Now()}
	v.Path = strings.TrimPrefix(r.URL.Path, page.Root)
	v.ID = parameter(r)
	v.Form = who.Draft(r.URL.Path)
	return v
}

// show answers with a page.
func (d *Door) show(p page.Page) http.HandlerFunc {
	return d.signedIn(func(w http.ResponseWriter, r *http.Request, who *session.Session) {
		d.render(w, r, p, d.visit(w, r, who), http.StatusOK)
	})
}

// act carries out what a form asks for, and shows the page again: at its address if it was accepted, and in the place
// of the form, with what was typed and the reason, if not.
//
// Implements: ORC-332
func (d *Door) act(p page.Page) http.HandlerFunc {
	return d.signedIn(func(w http.ResponseWriter, r *http.Request, who *session.Session) {
		v := d.visit(w, r, who)
		v.Form = r.PostForm
		done, err := once(p, v)
		switch refused, is := refusalIn(err); {
		case is && refused.Status == http.StatusUnauthorized:
			d.over(w, r)
		case is:
			v.Refused = refused
			d.render(w, r, p, v, refused.Status)
		case err != nil:
			d.fail(w, r, who, err)
		case done.Tried:
			v.Tried = done.Said
			d.render(w, r, p, v, http.StatusOK)
		default:
			who.Tell(done.Said)
			to := done.To
			if to == "" {
				to = r.URL.RequestURI()
			}
			http.Redirect(w, r, safe(to), http.StatusSeeOther) //nolint:gosec // below the pages alone
		}
	})
}

// asset answers with a static file.
func (d *Door) asset(w http.ResponseWriter, r *http.Request) {
	if err := asset.Handler(w, r); err != nil {
		d.Refuse(w, r, err)
	}
}

// once carries a form out, unless the same one was accepted before, as by the first click of two.
func once(p page.Page, v *page.Visit) (done page.Outcome, err error) {
	outcome, err := v.Who.Once(v.Form.Get("once"), func() (any, error) {
		if done, err = p.Act(v); err != nil || done.Tried {
			return nil, err
		}
		return done, nil
	})
	if before, is := outcome.(page.Outcome); is {
		return before, err
	}
	return done, err
}
