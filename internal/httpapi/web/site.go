package web

import (
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/traces"
	"orchestrator/internal/httpapi/web/words"
)

//go:embed failed/*.html
var failedFiles embed.FS

//go:embed signin/*.html
var signinFiles embed.FS

// The pages that are not of the API.
var (
	failed    = page.Parse(failedFiles, "failed/*.html")
	signingIn = page.Parse(signinFiles, "signin/*.html")
)

// site asks the API for what every page says of the project. What is not answered is left out: no page fails for it.
func site(api ask.API, project string) page.Site {
	s := page.Site{Project: project, Items: items()}
	var workflow struct {
		Name     string `json:"name"`
		Evidence string `json:"evidence"`
		Branch   string `json:"branch"`
	}
	if api.Get("/workflow", nil, &workflow) == nil {
		s.Workflow, s.Evidence, s.Branch = workflow.Name, workflow.Evidence, workflow.Branch
	}
	var agenda struct {
		AsOf  uint64 `json:"as_of"`
		Total int    `json:"total"`
	}
	if api.Get("/next", url.Values{"limit": {"1"}, "fields": {"as_of,total"}}, &agenda) == nil {
		s.Size, s.Items[0].Count = agenda.AsOf, agenda.Total
	}
	count(s.Items, "Conductor", traces.Waiting(api))
	s.Broken = documents(api, s.Items)
	s.Key, s.Root = signed(api)
	return s
}

// documents counts the lines of the documents that were not taken, and returns what is wrong where the last import
// failed.
func documents(api ask.API, items []page.Item) (broken string) {
	var read struct {
		Last struct {
			At      time.Time `json:"at"`
			Problem *struct {
				Detail string `json:"detail"`
				Errors []struct {
					Path string `json:"path"`
					Line int    `json:"line"`
				} `json:"errors"`
			} `json:"problem"`
		} `json:"last"`
		Counts struct {
			Skipped int `json:"skipped"`
		} `json:"counts"`
	}
	if api.Get("/project/import", nil, &read) != nil {
		return ""
	}
	count(items, "Import", read.Counts.Skipped)
	failed := read.Last.Problem
	switch {
	case failed == nil:
		return ""
	case len(failed.Errors) == 0 || failed.Errors[0].Line == 0:
		return fmt.Sprintf("The documents were not imported since %s: %s.", words.Clock(read.Last.At), failed.Detail)
	}
	first := failed.Errors[0]
	return fmt.Sprintf("%s was not imported since %s: line %d.", first.Path, words.Clock(read.Last.At), first.Line)
}

// signed returns, from the newest checkpoint, the name under which the log is signed, and the root.
func signed(api ask.API) (key, root string) {
	got := api.Send(ask.Call{Method: http.MethodGet, Path: "/audit/checkpoint",
		Header: http.Header{"Accept": {"text/plain"}}})
	lines := strings.SplitN(string(got.Body), "\n", 4)
	if got.Status != http.StatusOK || len(lines) < 4 {
		return "", ""
	}
	return lines[0], lines[2]
}

func items() []page.Item {
	return []page.Item{
		{Name: "Waits for you", Path: "/"},
		{Name: "Board", Path: "/requirements"},
		{Name: "Matrix", Path: "/project/review"},
		{Name: "Progress", Path: "/progress"},
		{Name: "Log", Path: "/audit"},
		{Name: "Import", Path: "/project/import"},
		{Name: "Boundary", Path: "/boundary/report"},
		{Name: "Conductor", Path: "/traces"},
	}
}

// count says how much waits at an entry.
func count(items []page.Item, name string, n int) {
	for i := range items {
		if items[i].Name == name {
			items[i].Count = n
		}
	}
}
