package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"orchestrator/cmd/checkclients/model"
)

// How the boundary stands in a session.
const (
	Control    = "control" // there is no hook
	Validate   = "validate"
	Confirm    = "confirm"
	Enforce    = "enforce"
	Bypass     = "bypass"     // enforce, with a bypass granted
	Broken     = "broken"     // enforce, with a hook that crashes
	Late       = "late"       // enforce, with a hook that does not answer in time
	Below      = "below"      // enforce, in a folder below the project's
	Everywhere = "everywhere" // the same, registered in the user's settings
	Untrusted  = "untrusted"  // enforce, with a hook that no person has trusted
	Finish     = "finish"     // validate, with a claim of which something is lacking
)

// mode is how a session is set up, and what is done in it.
type mode struct {
	name   string
	phase  string // of the boundary; "" is none
	users  bool   // the hook is registered in the user's settings, not in the project's
	folder string // below the project's, in which the session starts
	bypass bool
	claim  bool   // a service runs, and the session has claimed a requirement
	strict bool   // the hook needs the trust of a person
	doctor bool   // doctor is asked afterwards
	hook   string // stands in for the hook's program; "" is none
	steps  func(*place) []model.Step
}

var modes = []mode{
	{name: Control, steps: (*place).everything},
	{name: Validate, phase: Validate, steps: (*place).everything},
	{name: Confirm, phase: Confirm, steps: (*place).oneEdit},
	{name: Enforce, phase: Enforce, steps: (*place).everything},
	{name: Bypass, phase: Enforce, bypass: true, steps: (*place).oneEdit},
	{name: Broken, phase: Enforce, hook: "#!/bin/sh\nexit 1\n", steps: (*place).oneEdit},
	{name: Late, phase: Enforce, hook: "#!/bin/sh\nexec sleep 15\n", steps: (*place).oneEdit},
	{name: Below, phase: Enforce, folder: "below", doctor: true, steps: (*place).oneEdit},
	{name: Everywhere, phase: Enforce, users: true, folder: "below", steps: (*place).oneEdit},
	{name: Untrusted, phase: Enforce, strict: true, doctor: true, steps: (*place).oneEdit},
	{name: Finish, phase: Validate, claim: true, steps: func(*place) []model.Step { return nil }},
}

func modeOf(name string) mode {
	for _, m := range modes {
		if m.name == name {
			return m
		}
	}
	return mode{name: name, phase: Enforce} // of no check
}

// install sets the boundary up.
func (p *place) install(ctx context.Context) error {
	m := p.mode
	if m.phase == "" {
		return nil
	}
	steps := [][]string{{"orchestrator", "boundary", "install", p.client.Name}}
	if m.users { // what the project has is its boundary alone
		steps = append(steps, []string{"orchestrator", "boundary", "install", p.client.Name, "--scope", "user"},
			[]string{"orchestrator", "boundary", "uninstall", p.client.Name})
	}
	if m.phase != Validate {
		steps = append(steps, []string{"orchestrator", "boundary", "mode", m.phase, "--reason", "a check",
			"--override", "a check"})
	}
	if m.bypass {
		steps = append(steps, []string{"orchestrator", "boundary", "bypass", "--for", "30m", "--reason", "a check"})
	}
	for _, step := range steps {
		if said, err := p.run(ctx, step...); err != nil {
			return err
		} else if err := appendTo(p.dir("install.txt"), said); err != nil {
			return err
		}
	}
	if m.hook == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(p.dir("bin"), "orchestrator-hook"), []byte(m.hook), 0o700)
}

// claims starts a service and takes a requirement for the session, whose token lacks its design.
func (p *place) claims(ctx context.Context) (stop func(), err error) {
	if stop, err = p.serve(ctx); err != nil {
		return nil, err
	}
	for _, status := range []string{"planned", "design_in_progress"} {
		if _, err = p.run(ctx, "orchestrator", "change", "SHOP-001", "--status", status, "--reason", "a check",
			"--evidence", "commit:HEAD"); err != nil {
			break
		}
	}
	p.token = p.project(".orchestrator/tokens/architect.token")
	if err == nil {
		_, err = p.run(ctx, "orchestrator", "claim", "SHOP-001")
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("nothing is claimed: %w", err)
	}
	return stop, nil
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}
