package settings

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tailscale/hujson"

	"orchestrator/internal/agentclient"
)

// jsonServers edits settings in JSON, which may have comments and trailing commas.
type jsonServers struct{ agentclient.Servers }

var errNoObject = errors.New("it is no JSON object")

func (j jsonServers) parse(text []byte) (*document, error) {
	doc, err := parseFile(text)
	if err == nil && !isObject(&doc.root) {
		err = errNoObject
	}
	return doc, err
}

func (j jsonServers) find(text []byte) (*Server, error) {
	doc, err := j.parse(text)
	if err != nil {
		return nil, err
	}
	entry := doc.get(j.Table, serverName)
	if entry == nil {
		return nil, nil
	}
	words := []string{}
	for _, list := range []*hujson.Value{get(entry, "command"), get(entry, "args")} {
		if list != nil && !isArray(list) {
			words = append(words, str(list))
		}
		if isArray(list) {
			for _, c := range children(list) {
				words = append(words, str(c.value))
			}
		}
	}
	if len(words) == 0 {
		return &Server{Program: str(get(entry, "url"))}, nil
	}
	return &Server{Program: words[0], Args: words[1:]}, nil
}

// command returns the members that say what is started.
func (j jsonServers) command(s Server) fields {
	var args []any
	for _, a := range s.Args {
		args = append(args, a)
	}
	if j.OneList {
		return fields{{"command", append([]any{s.Program}, args...)}}
	}
	return fields{{"command", s.Program}, {"args", args}}
}

func (j jsonServers) entry(s Server) fields {
	var all fields
	if j.Type != "" {
		all = append(all, field{"type", j.Type})
	}
	all = append(all, j.command(s)...)
	if j.Besides != nil {
		all = append(all, field{j.Besides.Name, j.Besides.Value})
	}
	return all
}

func (j jsonServers) with(text []byte, s Server) ([]byte, error) {
	doc, err := j.parse(text)
	if err != nil {
		return nil, err
	}
	table := doc.get(j.Table)
	switch entry := get(table, serverName); {
	case table == nil:
		err = doc.add(&doc.root, j.Table, fields{{serverName, j.entry(s)}})
	case !isObject(table):
		err = errors.New(j.Table + " is no object")
	case entry == nil:
		err = doc.add(table, serverName, j.entry(s))
	case !isObject(entry):
		err = errors.New(serverName + " is no object")
	default:
		for _, f := range j.command(s) {
			err = errors.Join(err, doc.set(entry, f))
		}
	}
	return doc.text(), err
}

// set gives a member a value, in its place if it is there. One that has the value already stays as it is written.
func (d *document) set(parent *hujson.Value, f field) error {
	have := get(parent, f.name)
	if have == nil {
		return d.add(parent, f.name, f.value)
	}
	style := d.style()
	if !bytes.Contains([]byte(literal(have)), []byte("\n")) {
		style = style.onOneLine()
	}
	v, err := hujson.Parse([]byte(style.value(f.value, d.indentAt(have))))
	if err == nil && compact(v) != compact(hujson.Value{Value: have.Value}) {
		have.Value = v.Value
	}
	return err
}

func (j jsonServers) without(text []byte) ([]byte, error) {
	doc, err := j.parse(text)
	if err != nil {
		return nil, err
	}
	at := index(&doc.root, j.Table)
	table := doc.get(j.Table)
	way := []step{{&doc.root, at}, {table, index(table, serverName)}}
	last := way[1]
	if last.alone() {
		last = way[0]
	}
	remove(last.parent, last.index)
	return doc.text(), nil
}

func (j jsonServers) said(text []byte) (all map[string]any, err error) {
	doc, err := j.parse(text)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(doc.standard()))
	d.UseNumber()
	err = d.Decode(&all)
	return all, err
}

func (j jsonServers) bare(text []byte) bool {
	doc, err := j.parse(text)
	return err == nil && len(children(&doc.root)) == 0 && doc.comments() == ""
}
