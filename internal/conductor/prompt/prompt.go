// Package prompt writes what agents are told. There is one built-in template for each role, and a project can replace
// any of them with a file of its own.
//
// A template is Go's text/template over Data. Those of a project may use the built-in parts: {{template "requirement"
// .}} and {{template "answer" .}}. All are executed once when they are loaded, so that none fails when it is needed.
//
// What documents and agents wrote is shown as it is, between two lines that it cannot have itself: see Data.Fence.
package prompt

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/tree"
)

// CodeMalformed is the code of a prompt that cannot be used.
const CodeMalformed fault.Code = "prompt_malformed"

// Data is what a template is written over.
type Data struct {
	Agent string // the name that the log has for it
	Role  string
	URL   string // of the requirement in the service

	ID, Title, Text, Status string
	Acceptance              []string
	Revision                uint64
	Fingerprint             string   // of the text
	Suspect                 bool     // the text changed after work began
	Reason                  string   // why it is in its status
	Notes                   []string // of the pm, oldest first
	Deviations              []string // that are open
	Design                  string   // the parts that stand, as JSON; "" where there is none
	Implementation          string
	Test                    string

	Work  string   // the obligation: ACHIEVE(requirement.implementation)
	Needs []string // what is to be supplied
	To    string   // the status that it is to be moved to, where the work is a move

	Branch string // of the working tree that it is started in; "" where that is the folder of the project

	FailIsFinal bool // no move leads on from tested_fail
}

// shortFence is how many dashes a fence has at least.
const shortFence = 16

// Fence returns the line before and after what others wrote of the requirement. Nothing of that has such a line: it has
// more dashes.
func (d Data) Fence() string {
	written := slices.Concat(
		[]string{d.Title, d.Text, d.Reason, d.Design, d.Implementation, d.Test}, d.Acceptance, d.Notes, d.Deviations)
	most, run := shortFence-1, 0
	for _, text := range written {
		for _, c := range []byte(text + "\n") {
			if run++; c != '-' {
				run = 0
			}
			most = max(most, run)
		}
	}
	return strings.Repeat("-", most+1) + " " + d.ID
}

//go:embed templates/*.md
var box embed.FS

// parts is the file of the box with what the templates of all roles share.
const parts = "parts.md"

// Roles returns the roles that have templates.
func Roles() []string { return []string{"pm", "architect", "coder", "tester"} }

// Set is the templates of a project. It never changes, and is safe for concurrent use.
type Set struct {
	byRole map[string]*template.Template
	source map[string]string
	path   map[string]string
}

// Load reads the templates of a folder, which need not be there, over those of the box: pm.md, architect.md, coder.md,
// tester.md. A file that cannot be used is fault.Malformed, and refuses all.
//
// Implements: ORC-290
func Load(dir string) (*Set, error) {
	s := &Set{byRole: map[string]*template.Template{}, source: map[string]string{}, path: map[string]string{}}
	shared, err := box.ReadFile("templates/" + parts)
	if err != nil {
		return nil, err
	}
	common, err := template.New(parts).Option("missingkey=error").Parse(string(shared))
	if err != nil {
		return nil, err
	}
	if err := stray(dir); err != nil {
		return nil, err
	}
	for _, role := range Roles() {
		if err := s.add(common, role, filepath.Join(dir, role+".md")); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// stray refuses a file that is for no role: somebody believes that it is used.
func stray(dir string) error {
	entries, err := tree.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return malformed(dir, err.Error())
	}
	for _, e := range entries {
		role, isTemplate := strings.CutSuffix(e.Name(), ".md")
		if isTemplate && !slices.Contains(Roles(), role) {
			return malformed(filepath.Join(dir, e.Name()),
				"there is no such role; the files are "+strings.Join(Roles(), ".md, ")+".md")
		}
	}
	return nil
}

// longest is the most bytes of a template.
const longest = 256 << 10

// read returns the template of a role, and where it was found: at path, or built in.
func read(role, path string) (text []byte, from string, err error) {
	text, err = tree.ReadFile(context.Background(), path, longest)
	if errors.Is(err, fs.ErrNotExist) {
		if _, none := os.Lstat(path); none == nil {
			return nil, path, malformed(path, "it is a link to no file")
		}
		path = "in the box"
		text, err = box.ReadFile("templates/" + role + ".md")
	}
	switch {
	case errors.Is(err, tree.ErrTooLarge):
		err = malformed(path, "it is longer than 256 KiB")
	case err != nil:
		err = malformed(path, err.Error())
	case !utf8.Valid(text):
		err = malformed(path, "it is not UTF-8")
	}
	return text, path, err
}

func (s *Set) add(common *template.Template, role, path string) error {
	text, path, err := read(role, path)
	if err != nil {
		return err
	}
	own, err := common.Clone()
	if err == nil {
		own, err = own.New(role + ".md").Parse(string(text))
	}
	if err == nil {
		err = tryOut(own)
	}
	if err != nil {
		return malformed(path, err.Error())
	}
	s.byRole[role], s.source[role], s.path[role] = own, string(text), path
	return nil
}

// tryOut writes a template over all that there may be of a requirement, and over nothing of it; over what is a move,
// and what is suspect, and what is not.
func tryOut(t *template.Template) error {
	one := []string{"x"}
	all := Data{
		Agent: "x", Role: "x", URL: "x", ID: "x", Title: "x", Text: "x", Status: "x", Acceptance: one, Revision: 1,
		Fingerprint: "x", Reason: "x", Notes: one, Deviations: one,
		Design: "x", Implementation: "x", Test: "x", Work: "x", Needs: one,
	}
	for _, d := range []Data{all, {}} {
		for _, d.To = range []string{"", "x"} {
			for _, d.Suspect = range []bool{false, true} {
				d.Branch = d.To
				var out bytes.Buffer
				if err := t.Execute(&out, d); err != nil {
					return err
				}
				if d.ID != "" && len(bytes.TrimSpace(out.Bytes())) == 0 {
					return errors.New("it says nothing")
				}
			}
		}
	}
	return nil
}

func malformed(path, why string) error {
	return fault.New(fault.Malformed, CodeMalformed, "the prompt %s cannot be used: %s", path, why).
		WithFix("correct it, or remove it to use the built-in one; orchestrator prompts ROLE prints a prompt that works")
}

// Path returns the file of a role's template, or that it is the built-in one.
func (s *Set) Path(role string) string { return s.path[role] }

// Source returns the template of a role, as it was written.
func (s *Set) Source(role string) (string, error) {
	text, known := s.source[role]
	if !known {
		return "", unknownRole(role)
	}
	return text, nil
}

// Write writes what an agent of a role is told.
func (s *Set) Write(role string, d Data) (string, error) {
	t, known := s.byRole[role]
	if !known {
		return "", unknownRole(role)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, d); err != nil {
		return "", malformed(role+".md", err.Error())
	}
	return out.String(), nil
}

func unknownRole(role string) error {
	return fault.New(fault.Invalid, "prompt_role", "there is no prompt for the role %q", fault.Clip(role, 40)).
		WithFix("give one of %s", strings.Join(Roles(), ", "))
}
