// Package page is what all pages share: the frame around them, the parts that several have, and the visit that a page
// is filled for.
package page

import (
	"embed"
	"html/template"
	"io/fs"
	"net/url"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/session"
	"orchestrator/internal/rules/lifecycle"
)

// Root is where the pages are. What is below it has the names of the API.
const Root = "/ui"

// Page is one kind of page.
type Page struct {
	Pattern  string // of its path, below Root
	Nav      string // the item of the navigation that it belongs to
	Template func() *template.Template
	Show     func(*Visit) (View, error)

	// Act sends what a form of the page asks for. What the API refuses is an *ask.Refusal, with which the page is shown
	// again. Nil takes no form.
	Act func(*Visit) (Outcome, error)
}

// View is what a page shows.
type View struct {
	Title string // of the window, before the name of the project
	Live  string // ids of the requirements that it shows, with spaces, or "*" for all; "" is not kept up
	Data  any    // of its template
	File  *File  // that is answered in the place of a page; nil for a page
}

// File is what a browser keeps, and does not show.
type File struct {
	Name string
	Type string // its media type
	Body []byte
}

// Outcome is what became of a form that was accepted.
type Outcome struct {
	Said  string // what was done, and its record: one sentence
	To    string // the address to go on at; "" is that of the page
	Tried bool   // nothing was changed: the page is shown again with Said
}

// Visit is one request for a page by somebody who is signed in.
type Visit struct {
	API   ask.API
	Who   *session.Session
	Path  string     // of the page, below Root, decoded: one parameter
	ID    string     // the parameter of the path
	Query url.Values // of the address
	Form  url.Values // what was sent, or was typed before the session ended
	Now   time.Time

	Refused *ask.Refusal // why the form was refused
	Tried   string       // what a form that changes nothing came to
	Found   any          // what Act found for Show, where it changed nothing
}

// Is reports whether whoever looks has a role.
func (v *Visit) Is(role lifecycle.Role) bool { return v.Who.Role == string(role) }

//go:embed *.html
var shared embed.FS

// Parse returns a function that parses the template of a page on its first call: most services show few pages or none.
// The template is the frame, with "content" and whatever else the files of the page define. Without patterns, all its
// *.html files are parsed.
func Parse(files fs.FS, patterns ...string) func() *template.Template {
	if len(patterns) == 0 {
		patterns = []string{"*.html"}
	}
	return sync.OnceValue(func() *template.Template {
		t := template.Must(template.New("frame.html").Funcs(functions()).ParseFS(shared, "*.html"))
		return template.Must(t.ParseFS(files, patterns...))
	})
}

// UnknownForm returns the refusal of a form that asks for nothing that its page does.
func UnknownForm() *ask.Refusal {
	return ask.Refuse(fault.New(fault.Malformed, "invalid_parameter", "the form does not say what to do").
		WithFix("send a form of the page as it is"))
}

// Meanwhile returns the refusal of a form that covers something else than what there is now.
func Meanwhile(detail string) *ask.Refusal {
	return ask.Refuse(fault.New(fault.Conflict, "changed_meanwhile", "%s", detail).
		WithFix("look at it as it is now, and decide again"))
}
