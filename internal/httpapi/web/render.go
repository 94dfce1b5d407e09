package web

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http"
	"net/url"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/fixed"
	"orchestrator/internal/httpapi/problem"
	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/session"
)

// parameter returns the one parameter of a page's path, decoded.
func parameter(r *http.Request) string {
	id := r.PathValue("id")
	if r.URL.RawPath == "" {
		return id
	}
	if decoded, err := url.PathUnescape(id); err == nil {
		return decoded
	}
	return id
}

func refusalIn(err error) (*ask.Refusal, bool) { return errors.AsType[*ask.Refusal](err) }

// render fills a page and writes it.
func (d *Door) render(w http.ResponseWriter, r *http.Request, p page.Page, v *page.Visit, status int) {
	f := d.frame(w, r, v.Who, v.Now) // first: the page follows the log from the size that it names
	view, err := p.Show(v)
	if err != nil {
		d.fail(w, r, v.Who, err)
		return
	}
	if view.File != nil {
		give(w, r, *view.File)
		return
	}
	f.Told = v.Who.Told()
	f.View, f.Nav = view, p.Nav
	d.write(w, r, p, f, status)
}

// give answers with a file.
func give(w http.ResponseWriter, r *http.Request, f page.File) {
	w.Header().Set("Content-Type", f.Type)
	w.Header().Set("Content-Disposition", `attachment; filename="`+f.Name+`"`)
	writeWhole(w, r, http.StatusOK, f.Body)
}

// frame returns what surrounds a page.
func (d *Door) frame(w http.ResponseWriter, r *http.Request, who *session.Session, now time.Time) page.Frame {
	f := page.Frame{Address: r.URL.RequestURI(), Theme: themeOf(r), Now: now, Who: who}
	f.Site.Project = d.Project()
	if who != nil {
		f.Site = site(d.ask(w, r, who), f.Site.Project)
	}
	return f
}

// write executes a template. What fails in it is a defect, of which the client sees no half.
func (d *Door) write(w http.ResponseWriter, r *http.Request, p page.Page, f page.Frame, status int) {
	var b bytes.Buffer
	if err := p.Template().Execute(&b, f); err != nil {
		panic(err) // the API logs it, and answers with its request id
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	writeWhole(w, r, status, b.Bytes())
}

// writeWhole writes a page, compressed for those who take that.
func writeWhole(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Add("Vary", "Accept-Encoding")
	if len(body) <= fixed.WorthPacking || !fixed.TakesGzip(r) {
		w.WriteHeader(status)
		_, _ = w.Write(body) // the client may be gone; nothing is left to do for it
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	z := gzip.NewWriter(w)
	_, _ = z.Write(body)
	_ = z.Close()
}

// fail shows why there is no page, to somebody or to nobody who is signed in.
func (d *Door) fail(w http.ResponseWriter, r *http.Request, who *session.Session, err error) {
	refused, is := refusalIn(err)
	switch {
	case is && refused.Status == http.StatusUnauthorized:
		d.over(w, r)
		return
	case !is:
		refused = &ask.Refusal{Problem: problem.Of(err, w.Header().Get("X-Request-Id"))}
	}
	if retry := refused.RetrySeconds(); retry != "" {
		w.Header().Set("Retry-After", retry)
	}
	f := d.frame(w, r, who, time.Now())
	f.View = page.View{Title: "Not shown", Data: page.NewPanel(refused)}
	d.write(w, r, page.Page{Template: failed}, f, refused.Status)
}

// nothingHere answers for a path that has no page.
func (d *Door) nothingHere(w http.ResponseWriter, r *http.Request) {
	d.signedIn(func(w http.ResponseWriter, r *http.Request, who *session.Session) {
		d.fail(w, r, who, fault.New(fault.NotFound, "unknown_path", "there is no page at this address").
			WithFix("begin with what waits for you"))
	})(w, r)
}
