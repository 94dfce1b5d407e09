package shell

import (
	"strings"

	"orchestrator/internal/boundary/shell/lists"
)

// scope is what is known at one point of a command. It is copied when the flow splits, so its list never changes.
type scope struct {
	dir  string // the literal cds so far, joined; empty where the command started
	lost bool   // a cd came that cannot be told
	near string // where it is lost: the pattern of the folder, as far as it can be told
	vars *binding

	altered *string // what changed the environment of programs last, if anything did that may steer them
}

// binding is what a variable, or a function (its name ends in "()"), was last bound to. Past a binding of anything
// nothing is known of older ones.
type binding struct {
	name  string
	value arg
	older *binding
	count int // bindings from here on
	doing     // of a function
}

// doing is what a call of a function depends on, and does.
type doing struct {
	vouched bool // it runs programs for which a policy may vouch
	alters  bool // it changes the environment of the programs that run after it
}

const anything = "*"

// bind notes a binding. Of very many the oldest are forgotten, so that a lookup stays short.
func (s *scope) bind(name string, value arg) {
	if s.vars == nil {
		s.vars = &binding{name: name, value: value, count: 1}
		return
	}
	if s.vars.count >= maxBindings {
		s.vars = &binding{name: anything, value: arg{loose: true}, count: 1}
	}
	s.vars = &binding{name: name, value: value, older: s.vars, count: s.vars.count + 1}
}

// forget makes all variables unknown: something may have assigned any of them.
func (s *scope) forget() { s.bind(anything, arg{}) }

// lookup returns the last binding of a variable; bound is false where the command has not touched it.
func (s *scope) lookup(name string) (value arg, bound bool) {
	for b := s.vars; b != nil; b = b.older {
		if b.name == name {
			return b.value, true
		}
		if b.name == anything {
			return arg{loose: true}, true
		}
	}
	return arg{}, false
}

// function reports whether the name was declared a function on the way here.
func (s *scope) function(name string) bool {
	for b := s.vars; b != nil; b = b.older {
		if strings.HasSuffix(b.name, "()") && b.name[:len(b.name)-2] == name {
			return true
		}
	}
	return false
}

// does returns what all functions of the name do: which one is called need not be known.
func (s *scope) does(name string) (all doing) {
	for b := s.vars; b != nil; b = b.older {
		if b.name == name+"()" {
			all.vouched = all.vouched || b.vouched
			all.alters = all.alters || b.alters
		}
	}
	return all
}

// merge takes back what happened after start on a way that may not have been gone.
func (s *scope) merge(start scope) {
	end := *s
	*s = start
	if end.dir != start.dir || end.lost != start.lost {
		s.lost = true
	}
	if end.altered != nil {
		s.altered = end.altered
	}
	for b := end.vars; b != nil && b != start.vars; b = b.older {
		if !strings.HasSuffix(b.name, "()") {
			s.bind(b.name, arg{loose: true})
		}
	}
}

// enter goes to another folder, as cd does.
func (s *scope) enter(to arg) {
	s.approach(to)
	if !to.known {
		s.dir, s.lost = "", true
		return
	}
	if rooted(to.text) {
		s.dir, s.lost = to.text, false
		return
	}
	if s.dir = join(s.dir, to.text); len(s.dir) > maxValue {
		s.dir, s.lost = "", true
	}
}

// approach keeps the pattern of the folder that enter goes to.
func (s *scope) approach(to arg) {
	folder := to.wildcards()
	if !rooted(folder) {
		folder = join(s.where(), folder)
	}
	if s.near = folder; len(folder) > maxValue {
		s.near = ""
	}
}

// target returns the file that a word names, seen from the folder of the scope.
func (s *scope) target(a arg) Target {
	switch {
	case a.text == "" && !a.known, s.lost && !rooted(a.text):
		return Target{}
	case rooted(a.text):
		return Target{Path: a.text, Known: a.known}
	}
	return Target{Path: join(s.dir, a.text), Known: a.known}
}

func join(dir, name string) string {
	if dir == "" || strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// rooted reports whether a path does not depend on the current folder.
func rooted(path string) bool {
	return path != "" && (path[0] == '/' || path[0] == '~' || path[0] == '\\' || len(path) > 2 && path[1] == ':' &&
		(path[2] == '\\' || path[2] == '/'))
}

var harmless = names{"/dev/full", "/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty", "/dev/zero"}

// harm drops the targets that keep nothing.
func harm(targets []Target) []Target {
	var kept []Target
	for i, t := range targets {
		rest, fd := strings.CutPrefix(t.Path, "/dev/fd/")
		if strings.HasPrefix(t.Path, "/dev/") && t.Known &&
			(harmless.has(t.Path) || fd && rest != "" && strings.Trim(rest, "0123456789") == "") {
			continue
		}
		kept = lists.Extend(kept, targets, i)
	}
	return kept
}
