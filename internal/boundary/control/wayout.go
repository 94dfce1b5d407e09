package control

import (
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// wayOut reports whether this is a switch to a mode that blocks nothing while the policy cannot be used: the way out of
// the boundary must not depend on what is broken. A project that never had a policy has no boundary to leave.
func (s Switch) wayOut(dir folder.Dir, unusable error) bool {
	f := fault.As(unusable)
	switch {
	case f == nil || s.To.Blocks():
		return false
	case f.Code == CodeNoBoundary:
		return dir.IsMarked()
	}
	return f.Code == folder.CodePolicyUnreadable
}

// replace notes the switch, and puts the default policy with the new mode into the place of one that cannot be used.
func (s Switch) replace(dir folder.Dir) (from boundary.Mode, err error) {
	if from = folder.Marked(dir); from == "" {
		from = boundary.Validate // without a mark nothing was blocked
	}
	if err := s.note(dir, from); err != nil {
		return from, err
	}
	p := boundary.DefaultPolicy()
	p.Mode, p.ModeSince = s.To, s.Change.day()
	return from, folder.Replace(dir, p)
}

// settle puts on record a mode that the policy has already, and has the marks follow. It came with a clone or was
// written by hand, or the policy was and the marks hold against it.
func (s Switch) settle(dir folder.Dir, p boundary.Policy) error {
	written, err := dir.Written()
	if err != nil {
		return err
	}
	recorded, err := Recorded(dir)
	if err != nil {
		return err
	}
	if recorded != s.To || written.Mode != s.To {
		if err := s.note(dir, recorded); err != nil {
			return err
		}
	}
	if written.Mode != s.To {
		p.ModeSince = s.Change.day()
		return dir.WritePolicy(p)
	}
	return folder.Settle(dir)
}

// note notes the switch.
func (s Switch) note(dir folder.Dir, from boundary.Mode) error {
	l := s.Change.line(folder.KindMode)
	l.From, l.Mode, l.Override = from, s.To, s.Override
	return dir.Append(l)
}

// Recorded returns the mode that the journal of this machine has last; "" where it has none.
func Recorded(dir folder.Dir) (mode boundary.Mode, err error) {
	return mode, dir.Read(func(l folder.Line, err error) error {
		if err == nil && l.Kind == folder.KindMode {
			mode = l.Mode
		}
		return nil
	})
}
