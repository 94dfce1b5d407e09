// Package evidence looks cited files, commits and test reports up in a git repository, and later whether they still
// hold.
//
// What it cannot read it refuses: there is no answer "probably". A citation is text by someone who wants it to be
// accepted, so it is checked before anything is opened or started. git sees hexadecimal digits and nothing else of it;
// paths are compared with what git lists, and in the working tree they are opened under the root, never through a
// symbolic link. git runs without the caller's environment, without configuration from outside the repository, never
// over the network, and never longer than the deadline. What holds the answers in memory is derived from git and may be
// dropped at any time.
package evidence

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/git"
)

// Options are the limits of a Repository. A zero member stands for its default.
type Options struct {
	Git      string        // path of the git command; "" looks it up in PATH
	Timeout  time.Duration // of one lookup, and of one command of git in Recheck; 5 s
	MaxBytes int64         // of a file or report; 32 MiB
	Private  []string      // files and folders that nothing is looked up in, such as where the service keeps its tokens
}

// The codes of evidence that a caller decides by.
const (
	CodeUnreadable fault.Code = "evidence_unreadable" // it could not be looked up, and may be there
	CodeGitMissing fault.Code = "git_missing"         // there is no program git

	CodeBranchUnknown   = gitrepo.CodeBranchUnknown   // no branch was named
	CodeBranchGone      = gitrepo.CodeBranchGone      // there is no branch of the name
	CodeObjectsBorrowed = gitrepo.CodeObjectsBorrowed // git would take objects of another repository for its own

	codeLinesOutside fault.Code = "lines_outside" // the file has fewer lines
)

// CheckBranch refuses a name that no branch can have by the rules of git check-ref-format. Code: branch_malformed.
func CheckBranch(name string) error { return gitrepo.CheckBranch(name) }

const (
	defaultTimeout  = 5 * time.Second
	defaultMaxBytes = 32 << 20
)

// Repository is a git working tree in which evidence is looked up. Its methods may be called at the same time.
type Repository struct {
	options Options
	private []string // Options.Private that lie in the working tree, as paths from root
	git     *gitrepo.Repository
	reports reports
	listing listing
	assumed assumed
}

// Open finds the working tree that dir lies in; its root is the top of that tree. Codes: git_missing where there is no
// git command, no_repository where dir is in no working tree, as in a bare repository.
func Open(ctx context.Context, dir string, o Options) (*Repository, error) {
	o = withDefaults(o)
	command, err := findGit(o.Git)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fault.New(fault.Unavailable, "no_repository", "the current folder cannot be told").Because(err)
	}
	in, err := gitrepo.Open(ctx, command, dir, o.Timeout)
	if err != nil {
		return nil, err
	}
	r := &Repository{options: o, git: in, private: pathsUnder(in.Root, o.Private)}
	r.listing.turn, r.assumed.turn = gitrepo.NewTurn(), gitrepo.NewTurn()
	r.reports = reports{gitrepo.NewTurn(), map[string]*readReport{}}
	return r, nil
}

func withDefaults(o Options) Options {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	return o
}

func findGit(name string) (string, error) {
	command, err := git.Find(name)
	if err != nil {
		return "", fault.New(fault.Unavailable, CodeGitMissing, "there is no git command").
			WithFix("install git, or put it in PATH").Because(err)
	}
	return command, nil
}

// Root returns the absolute path of the top of the working tree.
func (r *Repository) Root() string { return r.git.Root }

// Follow sets the branch whose tip counts, as "main" or "origin/main": the local branch of this name, else the one that
// was fetched. "" is none.
func (r *Repository) Follow(branch string) { r.git.Follow(branch) }

// Branch returns the name of the branch that is followed, or "".
func (r *Repository) Branch() string { return r.git.Branch() }

// HeadBranch returns the name of the branch that HEAD names, also of one without commit; "" where HEAD is detached.
func (r *Repository) HeadBranch(ctx context.Context) (string, error) { return r.git.HeadBranch(ctx) }

// Tip returns the full id of the commit at the tip of the branch; "" where HEAD names the branch and it has no commit
// yet. Codes, of kind Unavailable: CodeBranchUnknown, CodeBranchGone, CodeObjectsBorrowed.
func (r *Repository) Tip(ctx context.Context) (string, error) { return r.git.Tip(ctx) }

// nameTip names the tip of the branch in a detail.
func (r *Repository) nameTip(tip string) string {
	if tip == "" {
		return "the tip of " + r.git.Branch() + ", which has no commit yet"
	}
	return "the tip of " + r.git.Branch() + " (" + short(tip) + ")"
}

// Look finds what e cites, or says what is wrong with it; exactly one of the two is nil. The Pointer of the field is
// left to the caller. Code CodeUnreadable means that it could not be looked up, and may be there.
//
// Implements: ORC-090
func (r *Repository) Look(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, *fault.Field) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	found, err := r.look(ctx, e)
	if err != nil {
		return nil, field(err)
	}
	return found, nil
}

func (r *Repository) look(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, error) {
	if err := r.git.CheckObjects(); err != nil {
		return nil, err
	}
	switch e.Kind {
	case lifecycle.EvidenceFile:
		return r.lookFile(ctx, e)
	case lifecycle.EvidenceCommit:
		return r.lookCommit(ctx, e)
	case lifecycle.EvidenceTest:
		return r.lookTest(ctx, e)
	}
	return nil, refuse("kind_unknown", "%q is no kind of evidence", e.Kind).WithFix("write file, commit or test")
}

// field returns an error as the part of a problem.
func field(err error) *fault.Field {
	f := fault.As(err)
	if f == nil {
		f = fault.New(fault.Unavailable, CodeUnreadable, "%v", err)
	}
	if f.Kind == fault.Unavailable {
		f = f.WithDetail("it cannot be looked up: %s", f.Detail).
			WithFix("%s", cmp.Or(f.Fix, "try again; if it stays so, the repository or git is broken"))
		f.Code = CodeUnreadable
	}
	return &fault.Field{Code: f.Code, Detail: f.Detail, Fix: f.Fix}
}

// Close ends the git process that is kept open. Lookups after it fail.
func (r *Repository) Close() error { return r.git.Close() }
