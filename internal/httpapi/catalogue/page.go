package catalogue

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
)

// Page is an answer in each of the forms that it is given in.
type Page struct {
	Text, HTML, JSON []byte
}

// Pages are the pages of all codes, and the list of them.
type Pages struct {
	List Page
	Of   map[fault.Code]Page
}

// Make writes all pages.
func Make() (Pages, error) {
	examples, err := Examples()
	if err != nil {
		return Pages{}, err
	}
	list, err := listPage(entries)
	pages := Pages{List: list, Of: make(map[fault.Code]Page, len(entries))}
	for _, e := range entries {
		if err == nil {
			pages.Of[e.Code], err = codePage(e, examples[e.Code])
		}
	}
	return pages, err
}

// listed is an entry in the list.
type listed struct {
	Type string `json:"type"`
	Entry
}

func listPage(all []Entry) (Page, error) {
	var text, page strings.Builder
	text.WriteString("The codes of problems. GET /problems/CODE says more of each.\n\n")
	page.WriteString(head("Problems") + "<h1>Problems</h1>\n<dl>\n")
	list := make([]listed, len(all))
	for i, e := range all {
		list[i] = listed{Path(e.Code), e}
		fmt.Fprintf(&text, "%s %s: %s\n", e.numbers(), e.Code, e.Means)
		fmt.Fprintf(&page, "<dt><a href=\"%s\">%s</a> (%s)<dd>%s\n", Path(e.Code), e.Code, e.numbers(),
			escape.Replace(e.Means))
	}
	page.WriteString("</dl>\n")
	value, err := json.Marshal(map[string]any{"problems": list}, json.Deterministic(true))
	return Page{[]byte(text.String()), []byte(page.String()), append(value, '\n')}, err
}

func codePage(e Entry, example Example) (Page, error) {
	if example.Problem == nil { // of a code that is new, until its example is recorded
		example.Problem = jsontext.Value("null")
	}
	shown := example.Problem.Clone()
	if err := shown.Indent(jsontext.WithIndent("  ")); err != nil {
		return Page{}, err
	}
	request := example.Request
	if example.Body != "" {
		request += "\n\n" + example.Body
	}
	text, page := "No request brings this about by itself. The answer:", "<p>No request brings this about by itself. The answer:\n"
	if request != "" {
		text = "For example:\n\n" + request + "\n\nis answered:"
		page = "<p>For example:\n<pre>" + escape.Replace(request) + "</pre>\n<p>is answered:\n"
	}
	text = fmt.Sprintf("%s (%s)\n\n%s\n\nWhat to do: %s\n\n%s\n\n%s\n\n%s\n", e.Code,
		e.numbers(), e.Means, e.Fix, e.again(), text, shown)
	page = fmt.Sprintf("%s<h1>%s (%s)</h1>\n<p>%s\n<p>What to do: %s\n<p>%s\n%s<pre>%s</pre>\n<p><a href=\"%s\">All problems</a>\n",
		head(string(e.Code)), e.Code, e.numbers(), escape.Replace(e.Means), escape.Replace(e.Fix), e.again(), page,
		escape.Replace(string(shown)), Root)
	value, err := json.Marshal(struct {
		listed
		Example Example `json:"example"`
	}{listed{Path(e.Code), e}, example}, json.Deterministic(true))
	return Page{[]byte(text), []byte(page), append(value, '\n')}, err
}

// escape is for what stands between tags, where quotes need none.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// head begins a page that needs nothing from elsewhere, and looks as the reader's browser is set to.
func head(title string) string {
	return "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width\">\n" +
		"<meta name=\"color-scheme\" content=\"light dark\">\n<title>" + title + "</title>\n"
}
