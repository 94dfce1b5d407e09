package hook

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"orchestrator/internal/boundary/shell"
	"orchestrator/internal/rules/boundary"
)

// isRepository reports whether a folder that holds a file of the name may be a repository of git, whose settings may
// name programs.
func isRepository(name string) bool {
	return strings.EqualFold(name, "HEAD") || strings.EqualFold(name, ".git")
}

// mostExempt is how many files of an exempt folder are looked at.
const mostExempt = 2000

// held notes on a target that a folder of the project holds a file in one of the exempt folders which is not harmless
// by its name, or a link, which may lead to anything.
func (r resolver) held(t *boundary.Target, below boundary.Target, harmless func(string) bool) {
	files := 0
	look := func(file string, entry fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(file, r.root+string(filepath.Separator)))
		if files++; files > mostExempt || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Holds = name // what cannot be told may be harmful
			return fs.SkipAll
		}
		if err == nil && (!entry.IsDir() || entry.Name() == ".git") && !harmless(entry.Name()) {
			t.Holds = name
			if entry.Type()&fs.ModeSymlink != 0 {
				t.Link = boundary.SymbolicLink
			}
			return fs.SkipAll
		}
		return nil
	}
	for _, folder := range r.exempt {
		if t.Holds == "" && (isOrBelow(folder, below.Path) || below.Real != "" && isOrBelow(folder, below.Real)) {
			_ = filepath.WalkDir(filepath.Join(r.root, filepath.FromSlash(folder)), look)
		}
	}
}

// isOrBelow reports whether a file is another one, or lies below it.
func isOrBelow(name, above string) bool {
	return above == "." || name == above || strings.HasPrefix(name, above+"/")
}

// textEndings are those of files that no tool takes for code, or for settings that name code.
var textEndings = []string{".csv", ".diff", ".gif", ".jpeg", ".jpg", ".json", ".jsonl", ".log", ".md", ".patch", ".pdf",
	".png", ".svg", ".tsv", ".txt"}

// isText reports whether no tool runs a file of the name.
func isText(name string) bool {
	settings := strings.HasPrefix(name, ".") || name == "package.json" || strings.HasPrefix(name, "tsconfig")
	return !settings && slices.Contains(textEndings, strings.ToLower(filepath.Ext(name)))
}

// Links are followed before a command runs. What it makes itself, or moves from elsewhere, may be a link by the time
// that it writes there; and a file may have other names, which no path tells.

// removers take away a name, and whatever else has the name is left alone.
var removers = []string{"rm", "unlink"}

func (r resolver) partTargets(p shell.Part) []boundary.Target {
	if len(p.Words) == 0 || !slices.Contains(removers, p.Words[0]) {
		return r.targets(p.Targets)
	}
	var all []boundary.Target
	for _, f := range p.Targets {
		all = append(all, r.removed(f)...)
	}
	return all
}

// removed returns a file that is removed: a link goes, and not what it leads to.
func (r resolver) removed(f shell.Target) []boundary.Target {
	dir, base := filepath.Split(f.Path)
	if !f.Known || base == "" || base == "." || base == ".." || base[0] == '~' && dir == "" {
		return r.readings(f.Path, f.Known)
	}
	all := r.readings(cmp.Or(dir, "."), true)
	for i, t := range all {
		all[i] = boundary.Target{Path: below(t.Path, base), Real: below(t.Real, base)}
	}
	return all
}

// below returns the name of a file in a folder as policies name both.
func below(folder, base string) string {
	switch {
	case folder == ".":
		return base
	case strings.HasSuffix(folder, "/"):
		return folder + base
	}
	return folder + "/" + base
}

// placed makes unknown what a command writes where it has placed what may be a link, or hold some: at such a place, and
// below it. To link the whole project is to link all that is guarded in it.
func (r resolver) placed(read []shell.Part, parts []boundary.Part) {
	for i, from := range read {
		if len(from.Placed) == 0 {
			continue
		}
		places := r.targets(from.Placed)
		for n, t := range parts[i].Targets {
			if !t.Unknown && !slices.Contains(places, t) && r.holdsProject(t) {
				parts[i].Targets[n].Path = "."
			}
		}
		for n := range parts {
			if n != i {
				doubt(&parts[n], places, r.goesUp(read[n].Targets, places))
			}
		}
	}
}

// goesUp reports whether a path goes to one of the places, or below it, and up again from wherever that leads.
func (r resolver) goesUp(files []shell.Target, places []boundary.Target) bool {
	return slices.ContainsFunc(files, func(f shell.Target) bool {
		for i := range f.Path {
			if strings.HasPrefix(f.Path[i:], "/..") && i > 0 && reachesAny(r.target(f.Path[:i], true), places, false) {
				return true
			}
		}
		return false
	})
}

// doubt makes targets of a part unknown: all, or those that lie at one of the places, or below.
func doubt(p *boundary.Part, places []boundary.Target, all bool) {
	removes := len(p.Words) > 0 && slices.Contains(removers, p.Words[0])
	for i, t := range p.Targets {
		if all || reachesAny(t, places, removes) {
			p.Targets[i] = boundary.Target{Path: t.Path, Unknown: true}
			p.Why = "what the command puts at " + t.Path + " or above it may be a link: write there in a command of its own"
		}
	}
}

func reachesAny(t boundary.Target, places []boundary.Target, belowOnly bool) bool {
	return slices.ContainsFunc(places, func(place boundary.Target) bool { return reaches(t, place, belowOnly) })
}

// reaches reports whether a file lies below a place, or at it, by one of the names of each.
func reaches(t, place boundary.Target, belowOnly bool) bool {
	for _, name := range []string{t.Path, t.Real} {
		for _, at := range []string{place.Path, place.Real} {
			name, at = strings.ToLower(name), strings.ToLower(strings.TrimSuffix(at, "/"))
			if name != "" && at != "" && isOrBelow(name, at) && (!belowOnly || name != at) {
				return true
			}
		}
	}
	return false
}

// letting are the rules that let a call through because of the names of its files alone.
var letting = []string{boundary.RuleExempt, boundary.RuleNotes, boundary.RuleProduces, boundary.RuleAgent,
	boundary.RuleUnknown}

// judge judges a call. Where it is let through for the names of its files, those that have other names are marked, and
// it is judged again. Nearly all calls only read, and cost nothing here.
func (r resolver) judge(p *boundary.Policy, c boundary.Call,
	by func(*boundary.Policy, boundary.Call) boundary.Verdict) boundary.Verdict {
	v := by(p, c)
	if v.Would != boundary.Allow || !slices.Contains(letting, v.Rule) {
		return v
	}
	marked := r.markHard(c.Targets)
	for _, part := range c.Parts {
		if part.Class != boundary.Reads && (len(part.Words) == 0 || !slices.Contains(removers, part.Words[0])) {
			marked = r.markHard(part.Targets) || marked
		}
	}
	if !marked {
		return v
	}
	return by(p, c)
}

// markHard marks the files that have other names.
func (r resolver) markHard(targets []boundary.Target) (marked bool) {
	for i, t := range targets {
		if t.Unknown || t.Real == "" {
			continue
		}
		file := filepath.FromSlash(t.Real)
		if !filepath.IsAbs(file) {
			file = filepath.Join(r.root, file)
		}
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
			targets[i].Link, marked = boundary.HardLink, true
		}
	}
	return marked
}
