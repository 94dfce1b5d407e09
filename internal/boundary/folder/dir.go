// Package folder reads and writes the folder .orchestrator/boundary of a project: the policy, the journal, the grants
// that lift the boundary for a while, and the mark of an enforcing project.
//
//	policy.json               what the project allows whom; boundary.Policy
//	enforcing                 there while the mode is enforce or confirm, with a text that says which: without it a
//	                          policy that was lost could not be missed; in a repository .git/orchestrator-enforcing as
//	                          well, for when the whole folder is lost
//	grants.json               bypasses in force
//	journal/DAY.jsonl         a line for everything that happened, appended by many processes at once; DAY.1.jsonl, …
//	                          when it grows
//	journal/told/             an empty file for each reminder that a session was given at the end of a turn
//	orchestrator-hook         a link to the program that clients start on this machine; or orchestrator
//	policy.json.broken        a policy that could not be used when a person went back from enforce
//	*.lock                    empty; held by whoever changes what their name says
//
// Nothing else than this folder is needed to judge a call: no server, no store.
package folder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/strictjson"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// Dir is the folder of one project.
type Dir struct {
	Root string // of the project; absolute
	path string
}

// In returns the folder of the project at root.
func In(root string) Dir {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	return Dir{root, filepath.Join(root, ".orchestrator", "boundary")}
}

// Find returns the folder of the project that a path lies in: the nearest above it that has one, or that is marked as
// enforcing. Where projects further up enforce, it is that of the outermost of them: what lies below may have come with
// a branch, and would lift the boundary. What another user put there is passed over.
func Find(from string) (nearest Dir, found bool) {
	for at := filepath.Clean(from); filepath.IsAbs(at); at = filepath.Dir(at) {
		d := In(at)
		if info, err := os.Stat(d.path); err != nil || !info.IsDir() {
			if !d.markedInGit() {
				d = Dir{}
			}
		}
		switch {
		case d.Root == "":
		case !found, d.IsMarked() && (isOf(d.markPath(), nearest.Root) || isOf(d.gitMark(), nearest.Root)):
			nearest, found = d, true
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return nearest, found
}

// FindFor finds the project of a call: as the command line says, as the client's environment says, or above the first
// of the folders that lies in one. Root is "" where the command line names none.
func FindFor(root string, getenv func(string) string, folders ...string) (Dir, bool) {
	if root != "" {
		return Find(In(root).Root)
	}
	var from []string
	for _, variable := range agentclient.ProjectVariables() {
		from = append(from, getenv(variable))
	}
	for _, from := range append(from, folders...) {
		if dir, found := Find(from); found {
			return dir, true
		}
	}
	return Dir{}, false
}

// isOf reports whether a file belongs to this user, to root, or to the owner of a folder.
func isOf(path, folder string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	if info, err = os.Stat(folder); err == nil && info.Sys().(*syscall.Stat_t).Uid == owner {
		return true
	}
	return owner == 0 || int(owner) == os.Geteuid()
}

// Path returns the path of the folder.
func (d Dir) Path() string { return d.path }

func (d Dir) policyPath() string { return filepath.Join(d.path, "policy.json") }
func (d Dir) markPath() string   { return filepath.Join(d.path, "enforcing") }
func (d Dir) gitMark() string    { return filepath.Join(d.Root, ".git", "orchestrator-enforcing") }
func (d Dir) grantsPath() string { return filepath.Join(d.path, "grants.json") }

// Make makes the folder with a policy, unless there is one, and reports whether it did.
func (d Dir) Make(p boundary.Policy) (bool, error) {
	if err := d.MakeFolder(); err != nil {
		return false, err
	}
	switch _, err := os.Lstat(d.policyPath()); {
	case err == nil:
		return false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, unwritable(d.path, err)
	}
	return true, d.WritePolicy(p)
}

// MakeFolder makes the folder without a policy: nothing is judged in the project then.
func (d Dir) MakeFolder() error {
	if err := os.MkdirAll(d.journalPath(), 0o700); err != nil {
		return unwritable(d.path, err)
	}
	return nil
}

// The most bytes that files of the folder may have.
const (
	maxPolicy = 1 << 20
	maxGrants = 1 << 20
)

// Policy reads the policy. One that is not there is fs.ErrNotExist. While the project is marked as enforcing its mode
// is what the mark says, or a stricter one of the file: an older file may have come back from version control, and only
// a switch of the mode is on record.
func (d Dir) Policy() (p boundary.Policy, err error) {
	p, err = d.Written()
	if err == nil && p.Mode != boundary.Enforce && d.IsMarked() {
		if marked := d.markedMode(); marked != p.Mode {
			p.Mode, p.ModeSince = marked, "" // the date is that of the other mode
		}
	}
	return p, err
}

// Written returns the policy as the file has it.
func (d Dir) Written() (boundary.Policy, error) {
	return readPolicy(d.policyPath(), ".orchestrator/boundary/policy.json")
}

// CodePolicyUnreadable is the code of a policy that cannot be read, or is not valid.
const CodePolicyUnreadable fault.Code = "policy_unreadable"

// ReadPolicy reads and checks a policy from any file.
func ReadPolicy(path string) (p boundary.Policy, err error) { return readPolicy(path, path) }

// readPolicy reads the policy at a path, which its error names otherwise: clients of the service meet it, and see no
// folders.
func readPolicy(path, name string) (p boundary.Policy, err error) {
	raw, err := tree.ReadFile(context.Background(), path, maxPolicy)
	if errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if err == nil {
		p, err = ParsePolicy(raw)
	}
	if err == nil {
		return p, nil
	}
	refusal := fault.New(fault.Conflict, CodePolicyUnreadable, "the policy %s cannot be used", name).
		WithFix("mend it by schemas/boundary_policy.schema.json, or move it away and run orchestrator boundary install again")
	if wrong := fault.As(err); wrong != nil {
		return p, refusal.WithFields(wrong.Fields...)
	}
	return p, refusal.Because(err)
}

// ParsePolicy reads and checks a policy. Members that it leaves out are as in the default policy, but for the mode and
// the version.
func ParsePolicy(raw []byte) (boundary.Policy, error) {
	p := unwritten()
	if decodePolicy(raw, &p) {
		return p, p.Check()
	}
	p = unwritten()
	if err := strictjson.Fill(raw, &p); err != nil {
		return p, err
	}
	if err := refuseNull(raw); err != nil {
		return p, err
	}
	return p, p.Check()
}

// unwritten returns the policy of a file in which nothing is written.
func unwritten() boundary.Policy {
	p := boundary.DefaultPolicy()
	p.Mode, p.SchemaVersion = "", 0
	return p
}

// refuseNull keeps null out, which would empty a list or set a threshold to nothing.
func refuseNull(raw []byte) error {
	for d := jsontext.NewDecoder(bytes.NewReader(raw)); ; {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if token.Kind() == 'n' {
			return fault.New(fault.Invalid, "invalid_policy", "the policy of the boundary is not valid").
				WithFields(fault.Field{Pointer: string(d.StackPointer()), Code: "invalid_policy",
					Detail: "it is null", Fix: "leave it out for the default, or write [] for nothing"})
		}
	}
}

// WritePolicy replaces the policy, and sets the mark by its mode. Whatever moment it is cut off at, an enforcing policy
// has its mark, and the mark says no laxer mode than the policy.
func (d Dir) WritePolicy(p boundary.Policy) error {
	if err := p.Check(); err != nil {
		return err
	}
	raw, err := encode(p)
	if err != nil {
		return err
	}
	unlock, err := d.lockMarks()
	if err != nil {
		return err
	}
	defer unlock()
	return put(d, p, raw)
}

// put writes a policy and its marks, in the order that WritePolicy promises.
func put(d Dir, p boundary.Policy, raw []byte) (err error) {
	if p.Mode.Blocks() {
		err = d.mark(p.Mode)
	}
	if err == nil && p.Mode == boundary.Enforce {
		err = d.remark(p.Mode)
	}
	if err == nil {
		err = d.write(d.policyPath(), raw)
	}
	switch {
	case err == nil && p.Mode == boundary.Confirm:
		err = d.remark(p.Mode)
	case err == nil && !p.Mode.Blocks():
		err = d.unmark()
	}
	return err
}

// Grants returns the bypasses that were given, those that have ended included.
func (d Dir) Grants() (all []boundary.Grant, err error) {
	raw, err := tree.ReadFile(context.Background(), d.grantsPath(), maxGrants)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = strictjson.Fill(raw, &grantFile{&all})
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "grants_unreadable",
			"the bypasses %s cannot be read, and none of them is in force", d.grantsPath()).
			WithFix("move the file away").Because(err)
	}
	return all, nil
}

// Replace puts a policy into the place of one that cannot be used, which is kept beside it as policy.json.broken.
func Replace(d Dir, p boundary.Policy) error {
	err := os.Rename(d.policyPath(), d.policyPath()+".broken")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritable(d.policyPath(), err)
	}
	return d.WritePolicy(p)
}

type grantFile struct {
	Grants *[]boundary.Grant `json:"grants"`
}

// Lock keeps other processes from changing one thing, which it names.
func (d Dir) Lock(what string) (unlock func(), err error) {
	if unlock, err = durable.Lock(filepath.Join(d.path, what+".lock"), 5*time.Second); err != nil {
		return nil, unwritable(d.path, err)
	}
	return unlock, nil
}

// AddGrant gives a bypass.
func (d Dir) AddGrant(g boundary.Grant, at time.Time) error {
	return ChangeGrants(d, at, func(all []boundary.Grant) ([]boundary.Grant, error) { return append(all, g), nil })
}

// ChangeGrants changes the bypasses that were given, while nobody else does, and forgets those that ended a day before
// at. Where change fails they stay as they are.
func ChangeGrants(d Dir, at time.Time, change func(all []boundary.Grant) ([]boundary.Grant, error)) error {
	unlock, err := d.Lock("grants")
	if err != nil {
		return err
	}
	defer unlock()
	all, err := d.Grants()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(g boundary.Grant) bool { return g.Until.Before(at.Add(-24 * time.Hour)) })
	if all, err = change(all); err != nil {
		return err
	}
	raw, err := encode(grantFile{&all})
	if err != nil {
		return err
	}
	return d.write(d.grantsPath(), raw)
}

func encode(v any) ([]byte, error) {
	raw, err := jsonv2.Marshal(v, jsonv2.Deterministic(true), jsontext.WithIndent("  "), jsontext.EscapeForHTML(false))
	return append(raw, '\n'), err
}

func (d Dir) write(path string, content []byte) error {
	err := durable.WriteFile(path, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(content))
		return err
	})
	if err != nil {
		return unwritable(path, err)
	}
	return nil
}

func unwritable(path string, err error) error {
	return fault.New(fault.Unavailable, "boundary_unwritable", "%s cannot be written", path).
		WithFix("make it writable for this user, or free space on its disk").Because(err)
}
