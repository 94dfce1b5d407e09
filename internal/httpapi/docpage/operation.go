package docpage

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

func (p *page) operation(op operation) {
	p.f("<section id=\"%s\"><h3><code>%s %s</code></h3>\n<p><strong>%s</strong>\n", esc(op.id()), op.method,
		esc(op.path), esc(op.text("summary")))
	p.prose(op.text("description"))
	p.parameters(slices.Concat(arrayOf(op.shared), arrayOf(op.at("parameters"))))
	if body := p.resolve(op.at("requestBody")); body != nil {
		p.f("<h4>Body</h4>\n")
		p.prose(body.text("description"))
		p.content(body.under("content"))
	}
	p.f("<h4>Answers</h4>\n<dl>\n")
	for _, r := range op.under("responses") {
		p.response(r.name, p.resolve(r.value))
	}
	p.f("</dl>\n</section>\n")
}

func (p *page) parameters(all []jsontext.Value) {
	if len(all) == 0 {
		return
	}
	p.f("<h4>Parameters</h4>\n<dl>\n")
	for _, v := range all {
		param := p.resolve(v)
		needed := ""
		if param.at("required").Kind() == 't' {
			needed = ", required"
		}
		p.f("<dt><code>%s</code> in %s%s: %s\n<dd>", esc(param.text("name")), esc(param.text("in")), needed,
			p.shape(param.at("schema")))
		p.prose(param.text("description"))
	}
	p.f("</dl>\n")
}

func (p *page) response(status string, r object) {
	p.f("<dt><strong>%s</strong><dd>", esc(status))
	p.prose(r.text("description"))
	if codes := arrayOf(r.at("x-problem-codes")); len(codes) > 0 {
		p.f("<p>Codes:")
		for _, code := range codes {
			p.f(" <a href=\"/problems/%s\">%s</a>", esc(textOf(code)), esc(textOf(code)))
		}
		p.f("\n")
	}
	var headers []string
	for _, h := range r.under("headers") {
		headers = append(headers, "<code>"+esc(h.name)+"</code>")
	}
	if len(headers) > 0 {
		p.f("<p>Headers: %s\n", strings.Join(headers, ", "))
	}
	p.content(r.under("content"))
}

// content writes media types with their shapes and examples.
func (p *page) content(types object) {
	for _, media := range types {
		o := objectOf(media.value)
		p.f("<p><code>%s</code>: %s\n", esc(media.name), p.shape(o.at("schema")))
		for _, e := range o.under("examples") {
			example := p.resolve(e.value)
			p.example(e.name, example.text("summary"), example.at("value"))
		}
		if one := o.at("example"); one != nil {
			p.example("example", "", one)
		}
	}
}

func (p *page) example(name, summary string, value jsontext.Value) {
	if summary == "" {
		summary = strings.ReplaceAll(name, "_", " ")
	}
	p.f("<details><summary>%s</summary><pre>%s</pre></details>\n", esc(summary), esc(shown(value)))
}

// shown returns a value as it is read best: a text as it is, all else as indented JSON.
func shown(v jsontext.Value) string {
	if v.Kind() == '"' {
		return textOf(v)
	}
	indented := v.Clone()
	if indented.Indent(jsontext.WithIndent("  ")) != nil {
		return string(v)
	}
	return string(indented)
}
