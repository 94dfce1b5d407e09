package web

import (
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/session"
)

// cookieOf returns the name of the cookie that shows a session. Only the pages read it: the API takes tokens alone.
// Browsers keep the cookies of a host for all its ports, so that services side by side need names of their own.
func cookieOf(r *http.Request) string {
	const name = "orchestrator_session"
	if _, port, err := net.SplitHostPort(r.Host); err == nil && port != "" {
		return name + "_" + port
	}
	return name
}

// The most bytes of a form, and of one that is kept until somebody has signed in.
const (
	maxForm  = 1 << 20
	maxDraft = 384 << 10
)

// sign is what the page to sign in shows.
type sign struct {
	Why   string // somebody has to sign in, or could not
	To    string // where they go then
	Draft []field
}

// field is what was typed into another form.
type field struct{ Name, Value string }

// signedIn calls a handler with the session of a request. Whoever has none is asked to sign in.
func (d *Door) signedIn(next func(http.ResponseWriter, *http.Request, *session.Session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := d.admit(w, r)
		if err != nil {
			d.fail(w, r, nil, err)
			return
		}
		most := int64(maxDraft)
		if who != nil {
			leave, err := who.Enter(r.Context())
			if err != nil {
				return // the client is gone
			}
			defer leave()
			most = maxForm
		}
		switch {
		case r.Method == http.MethodPost && !takeForm(w, r, most):
			d.noForm(w, r)
		case who == nil:
			d.over(w, r)
		default:
			next(w, r, who)
		}
	}
}

// admit counts a request, and returns its session; nil where it has none, or its token is not in force.
func (d *Door) admit(w http.ResponseWriter, r *http.Request) (*session.Session, error) {
	if who := d.who(r); who != nil {
		err := d.Count(w, r, who.Token)
		if f := fault.As(err); f == nil || f.Kind != fault.Unauthenticated {
			return who, err
		}
	}
	return nil, d.Count(w, r, "")
}

// counted counts the requests of those who have no session yet.
func (d *Door) counted(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := d.Count(w, r, ""); err != nil {
			d.fail(w, r, nil, err)
			return
		}
		next(w, r)
	}
}

// noForm answers whoever sent something else than a form.
func (d *Door) noForm(w http.ResponseWriter, r *http.Request) {
	why := "What was sent is no form of these pages, or is too long."
	d.showSignIn(w, r, sign{Why: why, To: page.Root + "/"}, http.StatusBadRequest)
}

// takeForm reads the form of a request. It reports whether there is one.
func takeForm(w http.ResponseWriter, r *http.Request, most int64) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	r.Body = http.MaxBytesReader(w, r.Body, most)
	return kind == "application/x-www-form-urlencoded" && r.ParseForm() == nil
}

func (d *Door) who(r *http.Request) *session.Session {
	c, err := r.Cookie(cookieOf(r))
	if err != nil {
		return nil
	}
	return d.sessions.Find(c.Value, time.Now())
}

// over asks for a sign-in where a session is over or never began, and keeps what was typed.
func (d *Door) over(w http.ResponseWriter, r *http.Request) {
	s := sign{To: safe(r.URL.RequestURI())}
	if c, err := r.Cookie(cookieOf(r)); err == nil {
		s.Why = "Your session is over: it ends after twelve hours, when its token is revoked or expires, and when " +
			"the service is started anew."
		d.sessions.End(c.Value)
		d.setCookie(w, r, "", -1)
	}
	if r.Method == http.MethodPost {
		s.To = safe(r.URL.EscapedPath())
		s.Why += " Nothing was sent. What you typed is kept until you have signed in."
		for name, values := range r.PostForm {
			for _, value := range values {
				s.Draft = append(s.Draft, field{"draft." + name, value})
			}
		}
	}
	d.showSignIn(w, r, s, http.StatusUnauthorized)
}

// safe returns an address if it is that of a page, and otherwise that of the first page.
func safe(address string) string {
	u, err := url.Parse(address)
	below := err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(u.Path, page.Root+"/") &&
		!strings.ContainsAny(address, "\\\r\n") && !strings.Contains(u.Path, "/.")
	if !below || strings.HasPrefix(u.Path, page.Root+"/sign-") {
		return page.Root + "/"
	}
	return u.RequestURI()
}

func (d *Door) askForToken(w http.ResponseWriter, r *http.Request) {
	d.showSignIn(w, r, sign{To: safe(r.URL.Query().Get("to"))}, http.StatusOK)
}

func (d *Door) showSignIn(w http.ResponseWriter, r *http.Request, s sign, status int) {
	f := d.frame(w, r, nil, time.Now())
	f.View = page.View{Title: "Sign in", Data: s}
	d.write(w, r, page.Page{Template: signingIn}, f, status)
}

// signIn begins a session for whoever shows a token that is in force.
//
// Implements: ORC-331
func (d *Door) signIn(w http.ResponseWriter, r *http.Request) {
	if !takeForm(w, r, maxDraft) {
		d.noForm(w, r)
		return
	}
	to, token := safe(r.PostFormValue("to")), strings.TrimSpace(r.PostFormValue("token"))
	one, why := d.caller(w, r, token)
	if one == nil {
		d.showSignIn(w, r, sign{Why: why, To: to, Draft: drafted(r.PostForm)}, http.StatusUnauthorized)
		return
	}
	if c, err := r.Cookie(cookieOf(r)); err == nil {
		d.sessions.End(c.Value)
	}
	one.Keep(session.Draft{Path: pathOf(to), Form: typed(r.PostForm)})
	d.setCookie(w, r, d.sessions.Begin(one, time.Now()), int(session.Lasts/time.Second))
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// caller returns the session of a token, or why it has none.
func (d *Door) caller(w http.ResponseWriter, r *http.Request, token string) (*session.Session, string) {
	if token == "" || strings.ContainsAny(token, " \r\n\t") {
		return nil, "Paste a token: one line without spaces."
	}
	one := &session.Session{Token: token}
	var front struct {
		Caller *struct {
			Name        string `json:"name"`
			Role        string `json:"role"`
			Requirement string `json:"requirement"`
		} `json:"caller"`
		Token string `json:"token"`
	}
	api := ask.API{Handler: d.API(), From: r, Token: token, ID: w.Header().Get("X-Request-Id")}
	if err := api.Get("/", nil, &front); err != nil {
		refused, is := refusalIn(err)
		if !is {
			return nil, "The service could not look at the token. Try again."
		}
		return nil, refused.Detail + ". " + refused.Fix + "."
	}
	if front.Caller == nil {
		return nil, front.Token + "."
	}
	one.Name, one.Role, one.Requirement = front.Caller.Name, front.Caller.Role, front.Caller.Requirement
	return one, ""
}

// drafted returns the fields of a form that hold what was typed into another.
func drafted(form url.Values) (all []field) {
	for name, values := range form {
		if strings.HasPrefix(name, "draft.") {
			for _, value := range values {
				all = append(all, field{name, value})
			}
		}
	}
	return all
}

// typed returns what was typed into another form.
func typed(form url.Values) url.Values {
	out := url.Values{}
	for _, f := range drafted(form) {
		out.Add(strings.TrimPrefix(f.Name, "draft."), f.Value)
	}
	return out
}

func pathOf(address string) string {
	path, _, _ := strings.Cut(address, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}

func (d *Door) signOut(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieOf(r)); err == nil {
		d.sessions.End(c.Value)
	}
	d.setCookie(w, r, "", -1)
	http.Redirect(w, r, page.Root+"/sign-in", http.StatusSeeOther)
}

// setCookie sets the cookie of a session, or takes it away with a negative age.
func (d *Door) setCookie(w http.ResponseWriter, r *http.Request, id string, age int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever there is TLS
		Name: cookieOf(r), Value: id, Path: page.Root, MaxAge: age, HttpOnly: true,
		Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode})
}
