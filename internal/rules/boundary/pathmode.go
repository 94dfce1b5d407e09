package boundary

import "slices"

// PathMode gives files a mode of their own, laxer or stricter than the project's. Off is none: whether a call is about
// the files is known once it is judged.
type PathMode struct {
	Paths []string `json:"paths"`
	Mode  Mode     `json:"mode"`
}

// ModeOf returns the mode for a call that writes the targets: the strictest of their modes. Without a target it is the
// project's.
func (p *Policy) ModeOf(targets []Target) Mode {
	if p.Mode == Off || len(p.PathModes) == 0 || len(targets) == 0 {
		return p.Mode
	}
	mode := Off
	for _, t := range targets {
		mode = stricter(mode, p.modeOfTarget(t))
	}
	return mode
}

// modeOfTarget returns the strictest of the modes of a file by its name and by where its links lead, and of the files
// below it.
func (p *Policy) modeOfTarget(t Target) Mode {
	if t.Unknown {
		return p.modeBelow(t.Path, true, p.Mode)
	}
	mode := p.modeBelow(t.Path, false, p.modeOfPath(t.Path))
	if t.Real != "" && t.Real != t.Path {
		mode = p.modeBelow(t.Real, false, stricter(mode, p.modeOfPath(t.Real)))
	}
	return mode
}

// modeOfPath returns the mode of one name.
func (p *Policy) modeOfPath(name string) Mode {
	for _, m := range p.PathModes {
		if matchAnyPath(m.Paths, name) {
			return m.Mode
		}
	}
	return p.Mode
}

// modeBelow raises a mode to that of files that lie below a folder, or that an unfinished name may become.
func (p *Policy) modeBelow(name string, unfinished bool, mode Mode) Mode {
	for _, m := range p.PathModes {
		if slices.ContainsFunc(m.Paths, func(pattern string) bool {
			return name == "." || name == "" || leadsTo(name, pattern, unfinished)
		}) {
			mode = stricter(mode, m.Mode)
		}
	}
	return mode
}
