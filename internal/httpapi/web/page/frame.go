package page

import (
	"time"

	"orchestrator/internal/httpapi/web/session"
)

// Frame is what the template of a page is executed with.
type Frame struct {
	View
	Site    Site
	Nav     string
	Address string // of the page, with its query
	Theme   string // light, dark, or "" as the system has it
	Now     time.Time
	Who     *session.Session // nil for who is not signed in
	Told    []string         // what was done since the last page
}

// Site is what every page says of the project.
type Site struct {
	Project  string
	Items    []Item
	Size     uint64 // of the log
	Root     string
	Key      string // the name under which it is signed
	Workflow string
	Evidence string
	Branch   string
	Broken   string // what is wrong with the documents, one sentence; "" is nothing
}

// Item is an entry of the navigation.
type Item struct {
	Name  string // of the page
	Path  string // below Root
	Count int    // of what waits there; 0 is not shown
}

// Href returns the address of an entry.
func (i Item) Href() string { return Root + i.Path }
