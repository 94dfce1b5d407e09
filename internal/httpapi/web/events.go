package web

import (
	"net/http"
	"net/url"

	"orchestrator/internal/httpapi/web/ask"
)

// events passes the stream of the API on to a page.
func (d *Door) events(w http.ResponseWriter, r *http.Request) {
	who := d.who(r)
	if who == nil {
		http.Error(w, "sign in first", http.StatusUnauthorized)
		return
	}
	if err := d.Count(w, r, who.Token); err != nil {
		d.Refuse(w, r, err)
		return
	}
	ctx, stop := who.Within(r.Context())
	defer stop()
	r = r.WithContext(ctx)
	call := ask.Call{Method: http.MethodGet, Path: "/events", Query: url.Values{},
		Header: http.Header{"Accept": {"text/event-stream"}}}
	if since := r.URL.Query().Get("since"); since != "" {
		call.Query.Set("since", since)
	}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		call.Header.Set("Last-Event-Id", last)
	}
	api := d.ask(w, r, who)
	api.Handler.ServeHTTP(w, api.Request(call))
}
