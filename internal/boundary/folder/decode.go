package folder

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/rules/boundary"
)

// decodePolicy reads the members of a policy into p, and reports whether that is a policy as it should be written.
// Every call of a hook reads it, and to have the library look at the type first takes many times as long as to read the
// policy. Where it reports false, p may have been changed, and only the library can tell what is wrong.
func decodePolicy(raw []byte, p *boundary.Policy) bool {
	r := members{d: jsontext.NewDecoder(bytes.NewBuffer(raw))}
	r.object(func(name []byte) {
		switch string(name) {
		case `"mode"`:
			p.Mode = boundary.Mode(r.text())
		case `"mode_since"`:
			p.ModeSince = r.text()
		case `"path_modes"`:
			p.PathModes = list(&r, (*members).pathMode)
		case `"agents"`:
			p.Agents = list(&r, (*members).rights)
		case `"unknown_actor"`:
			p.UnknownActor = boundary.ActorRule(r.text())
		case `"ambiguous"`:
			p.Ambiguous = boundary.Decision(r.text())
		case `"produces"`:
			p.Produces = boundary.Decision(r.text())
		case `"bypass"`:
			r.bypass(&p.Bypass)
		case `"thresholds"`:
			r.thresholds(&p.Thresholds)
		case `"schema_version"`:
			p.SchemaVersion = r.number()
		default:
			r.names(name, p)
		}
	})
	if _, err := r.d.ReadToken(); !errors.Is(err, io.EOF) {
		return false
	}
	return !r.odd
}

// members reads the members of objects in a policy.
type members struct {
	d    *jsontext.Decoder
	odd  bool // something is not as it should be written
	room []byte
}

// names reads one of the lists of tools, commands and paths.
func (r *members) names(name []byte, p *boundary.Policy) {
	var into *[]string
	switch string(name) {
	case `"blocked_tools"`:
		into = &p.BlockedTools
	case `"allowed_tools"`:
		into = &p.AllowedTools
	case `"delegate_tools"`:
		into = &p.DelegateTools
	case `"reading_commands"`:
		into = &p.ReadingCommands
	case `"exempt_paths"`:
		into = &p.ExemptPaths
	case `"protected_paths"`:
		into = &p.ProtectedPaths
	default:
		r.odd = true
		return
	}
	*into = list(r, (*members).text)
}

func (r *members) pathMode() (m boundary.PathMode) {
	r.object(func(name []byte) {
		switch string(name) {
		case `"paths"`:
			m.Paths = list(r, (*members).text)
		case `"mode"`:
			m.Mode = boundary.Mode(r.text())
		default:
			r.odd = true
		}
	})
	return m
}

func (r *members) rights() (is boundary.Rights) {
	r.object(func(name []byte) {
		switch string(name) {
		case `"name"`:
			is.Name = r.text()
		case `"for"`:
			is.For = r.text()
		case `"may_write"`:
			is.MayWrite = list(r, (*members).text)
		default:
			r.odd = true
		}
	})
	return is
}

func (r *members) bypass(b *boundary.BypassRule) {
	r.object(func(name []byte) {
		r.odd = r.odd || string(name) != `"environment"`
		kind := r.d.PeekKind()
		r.odd = r.odd || kind != 't' && kind != 'f'
		b.Environment = string(r.value(kind)) == "true"
	})
}

func (r *members) thresholds(t *boundary.Thresholds) {
	r.object(func(name []byte) {
		switch string(name) {
		case `"validate_days"`:
			t.ValidateDays = r.rate()
		case `"tool_uses"`:
			t.ToolUses = r.number()
		case `"accuracy"`:
			t.Accuracy = r.rate()
		case `"labelled"`:
			t.Labelled = r.number()
		case `"misidentified"`:
			t.Misidentified = r.rate()
		case `"hook_errors"`:
			t.HookErrors = r.rate()
		case `"bypass_rollback"`:
			t.BypassRollback = r.rate()
		case `"bypass_review"`:
			t.BypassReview = r.rate()
		case `"rate_days"`:
			t.RateDays = r.number()
		default:
			r.odd = true
		}
	})
}

// object reads an object. It calls member with each name, as it is written; member reads the value.
func (r *members) object(member func(name []byte)) {
	for r.begin('{'); !r.odd && r.d.PeekKind() != '}'; {
		member(r.value('"'))
	}
	r.begin('}')
}

// list reads an array, which is never nil.
func list[V any](r *members, element func(*members) V) []V {
	all := make([]V, 0, 8)
	for r.begin('['); !r.odd && r.d.PeekKind() != ']'; {
		all = append(all, element(r))
	}
	r.begin(']')
	return all
}

// begin reads what begins or ends an object or an array.
func (r *members) begin(kind jsontext.Kind) {
	token, err := r.d.ReadToken()
	r.odd = r.odd || err != nil || token.Kind() != kind
}

// value reads a value of a kind, as it is written. It is good until the next one is read.
func (r *members) value(kind jsontext.Kind) []byte {
	raw, err := r.d.ReadValue()
	if err != nil || raw.Kind() != kind {
		r.odd = true
		return nil
	}
	return raw
}

func (r *members) text() string {
	raw, err := r.d.ReadValue()
	if err == nil && raw.Kind() == '"' {
		r.room, err = jsontext.AppendUnquote(r.room[:0], raw)
	}
	if err != nil || raw.Kind() != '"' {
		r.odd = true
		return ""
	}
	return string(r.room)
}

func (r *members) number() int {
	n, err := strconv.Atoi(string(r.value('0')))
	r.odd = r.odd || err != nil
	return n
}

func (r *members) rate() float64 {
	f, err := strconv.ParseFloat(string(r.value('0')), 64)
	r.odd = r.odd || err != nil
	return f
}
