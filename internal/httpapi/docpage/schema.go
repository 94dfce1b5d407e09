package docpage

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/system/lazyregexp"
)

// longestInline is how many bytes of a schema are shown where it is used.
const longestInline = 120

// shape returns what a schema is, in a few words: the name of one that has one, or the schema itself.
func (p *page) shape(v jsontext.Value) string {
	o := objectOf(v)
	if name, named := strings.CutPrefix(o.text("$ref"), "#/components/schemas/"); named {
		return "<a href=\"#schema-" + esc(name) + "\">" + esc(name) + "</a>"
	}
	compact := v.Clone()
	if v == nil || compact.Compact() != nil {
		return "anything"
	}
	if len(compact) <= longestInline {
		return "<code>" + esc(string(compact)) + "</code>"
	}
	return "<details><summary>schema</summary>" + linked(v) + "</details>"
}

func (p *page) schemas() {
	p.f("<section id=\"schemas\"><h2>schemas</h2>\n")
	for _, s := range p.doc.under("components", "schemas") {
		p.f("<section id=\"schema-%s\"><h3>%s</h3>\n", esc(s.name), esc(s.name))
		p.f("%s\n</section>\n", linked(s.value))
	}
	p.f("</section>\n")
}

var reference = lazyregexp.New(`&#34;#/components/schemas/([A-Za-z0-9._-]+)&#34;`)

// linked returns a schema as JSON, in which each reference is a link.
func linked(v jsontext.Value) string {
	return "<pre>" + reference().ReplaceAllString(esc(shown(v)), `<a href="#schema-$1">$1</a>`) + "</pre>"
}

var (
	code = lazyregexp.New("`([^`]+)`")
	bold = lazyregexp.New(`\*\*([^*]+)\*\*`)
	item = lazyregexp.New(`^(\d+\.|[-*]) `)
)

// prose writes a description: paragraphs, lists, code and bold, as far as CommonMark has them.
func (p *page) prose(text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.TrimSpace(paragraph) == "" {
			continue
		}
		p.f("<p>")
		for i, line := range strings.Split(strings.TrimSpace(paragraph), "\n") {
			line = strings.TrimSpace(line)
			if i > 0 && item().MatchString(line) {
				p.f("<br>")
			}
			line = code().ReplaceAllString(esc(line), "<code>$1</code>")
			p.f("%s\n", bold().ReplaceAllString(line, "<strong>$1</strong>"))
		}
	}
}
