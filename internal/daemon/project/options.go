package project

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/token"
)

// Options say what is opened, and how.
type Options struct {
	Data         string        // the data folder
	Store        storage.Place // of the log; the zero Place is the file in the data folder
	Requirements []string      // paths and patterns of the requirement documents
	Reading      reqdoc.Options
	Workflow     string   // of a new project, "" is lifecycle.V1; another than that on record is refused
	Witness      string   // file of a witness that the database is compared with; it need not exist
	Secrets      []string // further files that evidence must not show, and git must not track

	Export         string        // "" writes none
	ExportWait     time.Duration // how long a change waits for the export that contains it
	ExportSync     bool          // it waits until the export is on the disk
	RequireIfMatch bool
	Deterministic  bool // durations in the conductor's traces are 0

	Evidence string        // projection.EvidenceVerified or projection.EvidenceRecorded; "" verifies in a repository
	Branch   string        // evidence counts when this branch of the repository has it; "" keeps the one on record
	Repo     string        // a folder in the repository of the evidence; "" is that of the first document
	Recheck  time.Duration // how often all evidence is looked at again; 0 is never

	// EvidenceSaved says that Evidence comes from a file with settings, and from nobody at this start.
	EvidenceSaved bool

	Origin         string // of the log, chosen at the first start
	AcceptNewKey   string // reason why the log gets another key
	AcceptRollback string // reason to go on from a database that lacks records

	RateLimit  float64 // requests a second of each token; 0 is no limit
	RateBurst  int
	LogBudget  uint64 // bytes that each actor may add on a day; 0 is no limit
	DemoTokens bool   // make a token for each role

	Lease     time.Duration // how long the duty lasts of a replica that does not renew it; 0 is duty.DefaultTTL
	Advertise string        // where other replicas reach this one; "" is the URL of the process
}

// dir returns the data folder.
func (o *Options) dir() datadir.Dir { return datadir.Dir(o.Data) }

// named returns the paths and patterns of the documents, as one text.
func (o *Options) named() string { return strings.Join(o.Requirements, " ") }

// Limit returns how many requests each token may make.
func (o *Options) Limit() token.Limit { return token.Limit{PerSecond: o.RateLimit, Burst: o.RateBurst} }

// ownFiles returns what the service writes or must keep to itself, and what can prove nothing: digests of evidence are
// public.
func (o *Options) ownFiles() []string {
	return append([]string{o.Data, o.Export}, o.Secrets...)
}

// repositoryDir returns the folder whose repository evidence is looked up in.
func (o *Options) repositoryDir() string {
	if o.Repo != "" {
		return o.Repo
	}
	folder := filepath.Dir(o.Requirements[0])
	if at := strings.IndexAny(folder, "*?["); at >= 0 {
		folder = filepath.Dir(folder[:at] + "x")
	}
	return folder
}

// resolveLinks resolves the links in what an operator named, once: what is put in their place later leads nowhere. The
// export itself is no link of the operator's: one in its place is replaced.
func (o *Options) resolveLinks() {
	for _, path := range []*string{&o.Data, &o.Repo, &o.Witness} {
		*path = tree.Resolve(*path)
	}
	if folder := filepath.Dir(o.Export); o.Export != "" && tree.Resolve(folder) != folder {
		o.Export = filepath.Join(tree.Resolve(folder), filepath.Base(o.Export))
	}
}

func (o *Options) checkEvidence() error {
	modes := []string{"", projection.EvidenceVerified, projection.EvidenceRecorded}
	if !slices.Contains(modes, o.Evidence) {
		return fault.New(fault.Invalid, fault.CodeUsage, "--evidence must be verify or record, not %q", o.Evidence).
			WithFix("use verify, which looks it up in the repository, or record, which keeps it as it is given")
	}
	switch {
	case o.Branch == "":
		return nil
	case o.Evidence == projection.EvidenceRecorded:
		return branchWithoutRepository(nil)
	}
	return evidence.CheckBranch(o.Branch)
}

func texts[T ~string](items []T) []string {
	out := make([]string, len(items))
	for i, s := range items {
		out[i] = string(s)
	}
	return out
}

// branchWithoutRepository refuses a branch where no evidence is looked up.
func branchWithoutRepository(cause error) error {
	return fault.New(fault.Invalid, fault.CodeUsage,
		"--branch names a branch, but evidence is not looked up in a repository").
		WithFix("leave --branch out, or start in a git working tree with --evidence verify").Because(cause)
}
