package page

import (
	"crypto/rand"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/httpapi/web/asset"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/lifecycle"
)

// functions are those that every template has.
func functions() template.FuncMap {
	return template.FuncMap{
		"foreign": words.Foreign, "words": words.Status, "plain": words.Plain, "part": words.Part,
		"by": words.By, "key": rand.Text, "letter": letter,
		"num": number, "count": words.Count, "upper": words.Upper, "plural": words.Plural,
		"day": words.Day, "moment": words.Moment, "clock": words.Clock, "iso": iso,
		"asset": asset.URL, "mark": mark, "status": statusMark, "outcome": outcome,
		"to": To, "id": anchor, "lines": lines, "themes": func() []theme { return themes },
	}
}

// number returns a number with commas, of either type that answers have.
func number(n any) string {
	if u, is := n.(uint64); is {
		return words.Number(int(u))
	}
	return words.Number(n.(int)) //nolint:forcetypeassert // a template with another type is a defect
}

// iso returns a time for the attribute datetime.
func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// mark returns a mark of the file of symbols. It is never alone: its word stands beside it.
func mark(name string) template.HTML {
	symbol := template.HTMLEscapeString(name)
	file := template.HTMLEscapeString(asset.URL("marks.svg"))
	//nolint:gosec // both were escaped
	return template.HTML(`<svg class="mark ` + symbol + `" aria-hidden="true" width="16" height="16"><use href="` +
		file + "#" + symbol + `"/></svg>`)
}

// statusMark returns the mark of a status.
func statusMark(status lifecycle.Status) template.HTML { return mark("s-" + string(status)) }

// To returns the address of a page: parts of its path below Root, which are escaped.
func To(parts ...string) string {
	var b strings.Builder
	b.WriteString(Root)
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(p))
	}
	return b.String()
}

// Address returns the address of a path below Root, with a query if there is one.
func Address(path string, q url.Values) string {
	if len(q) == 0 {
		return Root + path
	}
	return Root + path + "?" + q.Encode()
}

// letter returns the letter that stands for a role.
func letter(role string) string {
	if role == "" {
		return ""
	}
	return strings.ToUpper(role[:1])
}

// anchor returns the id of an element that shows a requirement. It has no character that a selector would read.
func anchor(prefix, id string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for _, r := range id {
		if r < 0x80 && (r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			b.WriteRune(r)
		} else {
			b.WriteString("_" + strconv.FormatInt(int64(r), 16) + "_")
		}
	}
	return b.String()
}

// theme is how a page can look.
type theme struct{ Value, Name string }

var themes = []theme{{"light", "Light"}, {"dark", "Dark"}, {"", "As the system"}}

// lines returns the lines of a text.
func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// outcome returns the mark of how a test ended.
func outcome(result string) string {
	switch result {
	case "pass":
		return "m-holds"
	case "fail":
		return "m-refused"
	}
	return "m-ahead"
}
