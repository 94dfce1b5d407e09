package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/git"
	"orchestrator/internal/system/lazyregexp"
)

// The codes of what keeps the tip of the branch from being told.
const (
	CodeBranchUnknown   fault.Code = "branch_unknown"   // no branch was named
	CodeBranchGone      fault.Code = "branch_gone"      // there is no branch of the name
	CodeObjectsBorrowed fault.Code = "objects_borrowed" // git would take objects of another repository for its own
)

const (
	headsPrefix   = "refs/heads/"
	remotesPrefix = "refs/remotes/"
	maxBranch     = 1000 // bytes
	maxGuesses    = 3
)

const howToName = "name the branch that counts: serve --branch NAME, as in --branch main or --branch origin/main"

// inNoBranch matches what git allows in no name of a ref, and what would make a name of several lines.
var inNoBranch = lazyregexp.New(`^-|^/|/$|//|\.$|\.\.|@\{|^@$|(?:^|/)\.|\.lock(?:/|$)|[ ~^:?*\[\\]`)

// CheckBranch refuses a name that no branch can have by the rules of git check-ref-format. Code: branch_malformed.
func CheckBranch(name string) error {
	if name == "" || len(name) > maxBranch || !utf8.ValidString(name) || inNoBranch().MatchString(name) ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return fault.New(fault.Invalid, "branch_malformed", "%q is no name of a branch", fault.Clip(name, maxBranch)).
			WithFix("write the name as git branch shows it, as in main or origin/main")
	}
	return nil
}

// Follow sets the branch whose tip counts, as "main" or "origin/main": the local branch of this name, else the one that
// was fetched. "" is none.
func (r *Repository) Follow(branch string) { r.branch.Store(&branch) }

// Branch returns the name of the branch that is followed, or "".
func (r *Repository) Branch() string {
	if name := r.branch.Load(); name != nil {
		return *name
	}
	return ""
}

// HeadBranch returns the name of the branch that HEAD names, also of one without commit; "" where HEAD is detached.
func (r *Repository) HeadBranch(ctx context.Context) (string, error) {
	out, err := r.git.run(ctx, "", "symbolic-ref", "--quiet", "HEAD")
	if git.ExitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", fault.New(fault.Unavailable, CodeFailed, "git does not know which branch HEAD names").Because(err)
	}
	name, isBranch := strings.CutPrefix(strings.TrimSuffix(out, "\n"), headsPrefix)
	if !isBranch {
		return "", nil
	}
	return name, nil
}

// Tip returns the full id of the commit at the tip of the branch; "" where HEAD names the branch and it has no commit
// yet. Codes, of kind Unavailable: CodeBranchUnknown, CodeBranchGone, CodeObjectsBorrowed.
func (r *Repository) Tip(ctx context.Context) (string, error) {
	if err := r.CheckObjects(); err != nil {
		return "", err
	}
	name := r.Branch()
	if err := CheckBranch(name); err != nil {
		return "", fault.New(fault.Unavailable, CodeBranchUnknown, "nobody has named the branch that counts").
			WithFix(howToName).Because(err)
	}
	// git takes each name for a whole one, or for a folder of refs: the answer is compared.
	out, err := r.git.run(ctx, "", "for-each-ref", "--format=%(objectname) %(objecttype) %(refname)", headsPrefix+name,
		remotesPrefix+name)
	if err != nil {
		return "", err
	}
	for _, full := range []string{headsPrefix + name, remotesPrefix + name} {
		for _, line := range linesOf(out) {
			part := strings.SplitN(line, " ", 3)
			if len(part) != 3 || part[2] != full {
				continue
			}
			if len(part[0]) != r.IDLength || part[1] != "commit" {
				return "", fault.New(fault.Unavailable, CodeFailed, "%s is a %s, and no commit", full, part[1])
			}
			return part[0], nil
		}
	}
	return "", r.checkUnborn(ctx, name)
}

// checkUnborn returns nil for a branch that HEAD names and that has no commit yet. One that is broken is neither.
func (r *Repository) checkUnborn(ctx context.Context, name string) error {
	named, err := r.HeadBranch(ctx)
	if err != nil || named == name {
		return err
	}
	return fault.New(fault.Unavailable, CodeBranchGone, "there is no branch %s", name).
		WithFix("%s", r.guess(ctx, name, named))
}

// guess returns what to do where there is no branch name, and HEAD names another one, or none.
func (r *Repository) guess(ctx context.Context, name, head string) string {
	out, err := r.git.run(ctx, "", "for-each-ref", "--format=%(refname)", remotesPrefix+"*/"+name)
	var fetched []string
	for _, full := range linesOf(out) {
		full = strings.TrimPrefix(full, remotesPrefix)
		if strings.HasPrefix(full, "origin/") { // most clones have no other remote
			fetched = slices.Insert(fetched, 0, full)
		} else {
			fetched = append(fetched, full)
		}
	}
	switch {
	case err == nil && len(fetched) > 0:
		return fmt.Sprintf("did you mean %s? name it: serve --branch %s",
			strings.Join(fetched[:min(len(fetched), maxGuesses)], " or "), fetched[0])
	case head == "":
		return "HEAD is detached and names no branch: " + howToName
	}
	return "bring the branch back, or " + howToName
}

// CheckObjects refuses a repository that takes objects of another one for its own: they may be gone tomorrow, and they
// are no part of what was pushed here. Nothing is read.
func (r *Repository) CheckObjects() error {
	info, err := os.Lstat(filepath.Join(r.common, "objects", "info", "alternates"))
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0:
		return nil
	case err != nil:
		return fault.New(fault.Unavailable, CodeFailed, "objects/info/alternates cannot be read: %s", reasonOf(err))
	}
	return fault.New(fault.Unavailable, CodeObjectsBorrowed,
		"this repository borrows objects of another one (objects/info/alternates)").
		WithFix("give the repository its own objects: run git repack -a -d, and remove objects/info/alternates")
}
