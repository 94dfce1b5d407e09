package doctor

import (
	"bytes"
	"time"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// Drilled is what was exercised.
type Drilled struct {
	Bypass   Exercise `json:"bypass"`
	Rollback Exercise `json:"rollback"`
}

// Exercise is one way out of the boundary that works.
type Exercise struct {
	By     string `json:"by"`     // what was used: "environment", "grant", or "mode"
	Micros int64  `json:"micros"` // from the use on until the hook let the write through
}

// Drill exercises bypass and rollback through the hook, on a copy of the project's policy that is enforced, and notes
// both in the project's journal. Where one of them does not work, nothing is noted.
func Drill(project folder.Dir, c control.Change, newID func() string) (Drilled, error) {
	policy, err := control.Policy(project)
	if err != nil {
		return Drilled{}, err
	}
	// any client that tells who calls and takes an exit code does
	d := &drill{client: agentclient.All()[0], policy: policy, change: c, newID: newID}
	if c.Reason == "" {
		d.change.Reason = "drill"
	}
	var done Drilled
	if done.Bypass, err = d.enforced(d.bypass); err != nil {
		return done, err
	}
	if done.Rollback, err = d.enforced(d.rollback); err != nil {
		return done, err
	}
	if err := control.NoteDrill(project, report.DrillBypass, done.Bypass.Micros, d.changeNow()); err != nil {
		return done, err
	}
	return done, control.NoteDrill(project, report.DrillRollback, done.Rollback.Micros, d.changeNow())
}

type drill struct {
	client *agentclient.Client
	dir    folder.Dir
	policy boundary.Policy
	change control.Change
	newID  func() string
}

// changeNow returns the change with an id and a moment of its own.
func (d *drill) changeNow() control.Change {
	c := d.change
	c.ID, c.At = d.newID(), time.Now()
	return c
}

// write lets a main session write, and returns what the hook answers.
func (d *drill) write(env map[string]string) agentclient.Answer {
	c := d.client.Calls
	return hook.Run(hook.Input{
		Client: d.client.Name, Root: d.dir.Root, Stdin: bytes.NewReader(call(d.dir.Root, c.Head, c.Main, c.Edit)),
		Getenv: func(name string) string { return env[name] },
		Cwd:    d.dir.Root, Start: time.Now(), Now: time.Now, NewID: d.newID,
	})
}

func failed(format string, args ...any) error {
	return fault.New(fault.Conflict, "drill_failed", "the drill failed, and nothing was noted: "+format, args...).
		WithFix("orchestrator boundary doctor finds what is wrong with the hook; the policy may let the main session " +
			"write")
}

// enforced makes an exercise in a copy of its own, which is enforced and blocks a write.
func (d *drill) enforced(exercise func() (Exercise, error)) (Exercise, error) {
	dir, remove, err := copied(d.policy, boundary.Enforce)
	if err != nil {
		return Exercise{}, err
	}
	defer remove()
	d.dir = dir
	if a := d.write(nil); a.Exit != 2 {
		return Exercise{}, failed("enforced, a write by a main session is not blocked")
	}
	return exercise()
}

// bypass lifts the boundary by the environment variable, or where the policy forbids that, by a grant.
func (d *drill) bypass() (Exercise, error) {
	x := Exercise{By: "environment"}
	env := map[string]string{boundary.BypassVariable: "true"}
	start := time.Now()
	if !d.policy.Bypass.Environment {
		x.By, env = "grant", nil
		if _, err := control.Bypass(d.dir, time.Minute, "", d.changeNow()); err != nil {
			return x, err
		}
	}
	a := d.write(env)
	x.Micros = time.Since(start).Microseconds()
	if got, err := d.client.Heard(a); err != nil || got != boundary.Warn {
		return x, failed("with the bypass of the %s, the write is answered with %q instead of a warning (%v)",
			x.By, got, err)
	}
	h, err := report.Read(d.dir)
	if err != nil {
		return x, err
	}
	if n := len(h.Decisions); n == 0 || h.Decisions[n-1].Verdict.Bypass == "" {
		return x, failed("the bypass of the %s is not on record", x.By)
	}
	return x, nil
}

func (d *drill) rollback() (Exercise, error) {
	x := Exercise{By: "mode"}
	start := time.Now()
	if _, err := control.SetMode(d.dir, boundary.Validate, "", d.changeNow(), report.FromFiles(d.dir)); err != nil {
		return x, err
	}
	a := d.write(nil)
	x.Micros = time.Since(start).Microseconds()
	if got, err := d.client.Heard(a); err != nil || got != boundary.Warn {
		return x, failed("rolled back, the write is answered with %q (%v)", got, err)
	}
	return x, nil
}
