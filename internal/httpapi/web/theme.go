package web

import (
	"net/http"

	"orchestrator/internal/httpapi/web/page"
)

// themeCookie is the name of the cookie with the theme that somebody chose.
const themeCookie = "orchestrator_theme"

// themes are those that a page can have. "" is as the system has it.
var themes = map[string]bool{"light": true, "dark": true, "": true}

func themeOf(r *http.Request) string {
	c, err := r.Cookie(themeCookie)
	if err != nil || !themes[c.Value] {
		return ""
	}
	return c.Value
}

// maxTheme is how many bytes the form with a theme has at most.
const maxTheme = 16 << 10

// chooseTheme keeps a theme for a year.
func (d *Door) chooseTheme(w http.ResponseWriter, r *http.Request) {
	if !takeForm(w, r, maxTheme) || !themes[r.PostFormValue("theme")] {
		http.Redirect(w, r, page.Root+"/", http.StatusSeeOther)
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever there is TLS
		Name: themeCookie, Value: r.PostFormValue("theme"), Path: page.Root,
		MaxAge: 365 * 24 * 3600, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, safe(r.PostFormValue("to")), http.StatusSeeOther)
}
