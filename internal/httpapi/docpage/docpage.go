// Package docpage renders an OpenAPI document, as JSON in one file, as one HTML page that needs nothing from elsewhere:
// no script, no font, no image. It is pure.
package docpage

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// style is all that decides how the page looks.
const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;` +
	`padding:1rem;overflow-wrap:anywhere}pre{overflow-x:auto;padding:.6rem;background:#8881;overflow-wrap:normal}` +
	`code,pre{font:.9em ui-monospace,monospace}section{border-top:1px solid #8886;margin-top:1.5rem}` +
	`dt{margin-top:.4rem}dd{margin-left:1.2rem}summary{cursor:pointer}`

// Policy returns the Content-Security-Policy of the page: its own style, and nothing else.
func Policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// page is what is written of a document.
type page struct {
	strings.Builder
	doc object
}

// Render returns the page of a document. What it does not know it leaves out.
func Render(document []byte) ([]byte, error) {
	doc := objectOf(document)
	if doc.at("openapi") == nil || doc.at("paths") == nil {
		return nil, errors.New("docpage: this is no OpenAPI document in JSON")
	}
	p := &page{doc: doc}
	info := doc.under("info")
	p.f("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n<style>%s</style>\n<h1>%s %s</h1>\n",
		esc(info.text("title")), style, esc(info.text("title")), esc(info.text("version")))
	p.prose(info.text("description"))
	p.contents()
	for _, tag := range p.tags() {
		p.f("<section id=\"tag-%s\"><h2>%s</h2>\n", esc(tag.text("name")), esc(tag.text("name")))
		p.prose(tag.text("description"))
		for _, op := range p.operations(tag.text("name")) {
			p.operation(op)
		}
		p.f("</section>\n")
	}
	p.schemas()
	return []byte(p.String()), nil
}

func (p *page) f(format string, args ...any) { fmt.Fprintf(p, format, args...) }

func esc(text string) string { return html.EscapeString(text) }

// resolve follows a reference within the document. A value that is none is returned as it is.
func (p *page) resolve(v jsontext.Value) object {
	o := objectOf(v)
	ref, local := strings.CutPrefix(o.text("$ref"), "#/")
	if !local {
		return o
	}
	return p.doc.under(strings.Split(ref, "/")...)
}

// tags returns the tags in order, and one without a name for operations that have none.
func (p *page) tags() []object {
	var all []object
	for _, v := range arrayOf(p.doc.at("tags")) {
		all = append(all, objectOf(v))
	}
	return all
}

// operation is one method of a path.
type operation struct {
	method, path string
	shared       jsontext.Value // parameters of the path
	object
}

func (o operation) id() string { return o.text("operationId") }

// methods are those that a path may have, in the order of the page.
var methods = []string{"get", "put", "post", "patch", "delete"}

// operations returns those of a tag, in the order of the document.
func (p *page) operations(tag string) []operation {
	var all []operation
	for _, path := range p.doc.under("paths") {
		item := objectOf(path.value)
		for _, m := range item {
			op := operation{strings.ToUpper(m.name), path.name, item.at("parameters"), objectOf(m.value)}
			if tags := arrayOf(op.at("tags")); slices.Contains(methods, m.name) && len(tags) > 0 && textOf(tags[0]) == tag {
				all = append(all, op)
			}
		}
	}
	return all
}

func (p *page) contents() {
	p.f("<nav>\n")
	for _, tag := range p.tags() {
		p.f("<h2><a href=\"#tag-%s\">%s</a></h2>\n<ul>\n", esc(tag.text("name")), esc(tag.text("name")))
		for _, op := range p.operations(tag.text("name")) {
			p.f("<li><a href=\"#%s\"><code>%s %s</code></a> %s\n", esc(op.id()), op.method, esc(op.path),
				esc(op.text("summary")))
		}
		p.f("</ul>\n")
	}
	p.f("<h2><a href=\"#schemas\">schemas</a></h2>\n</nav>\n")
}
