package replay

import (
	"cmp"
	"fmt"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/schemas"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// request is the data of a decided request, with its change as it was read.
type request struct {
	record.Proposed
	change    lifecycle.Change
	changeErr error // why there is none
}

// Kinds makes Replay a ledger.Replay.
func (r *Replay) Kinds() []string { return record.Kinds() }

// Read makes Replay a ledger.Replay.
func (r *Replay) Read(blobs store.Getter, from audit.Record) (any, error) {
	data, err := record.Read(blobs, from)
	proposed, is := data.(record.Proposed)
	if !is || err != nil {
		return data, err
	}
	decided := request{Proposed: proposed}
	if decided.decides() {
		decided.change, decided.changeErr = readChange(from, proposed)
	}
	return decided, nil
}

// decides reports whether the record has what the decision was about.
func (r request) decides() bool { return r.Change != nil || r.Refusal == nil }

// readChange reads the change of a record as it was read when it was decided.
func readChange(from audit.Record, data record.Proposed) (lifecycle.Change, error) {
	change, err := decision.ReadRecorded(data.Change, lifecycle.Role(from.Actor.Role))
	change.Size, change.Looked, change.Record = len(data.Change), data.Looked, from.Seq
	change.Rules = cmp.Or(data.Rules, lifecycle.Rules1)
	if change.Rules < lifecycle.Rules3 {
		change.Violations = append(change.Violations, unknownBefore3(change)...)
	}
	if change.Rules < lifecycle.Rules4 {
		change.Violations = append(change.Violations, unknownBefore4(change)...)
	}
	return change, err
}

// unknownBefore3 returns what the schema of a change did not allow before lifecycle.Rules3.
func unknownBefore3(change lifecycle.Change) (wrong []fault.Field) {
	for _, claim := range change.Claims() {
		if claim.ReportCommit != "" {
			wrong = append(wrong, fault.Field{Pointer: claim.Pointer + "/report_commit", Code: schemas.AdditionalProperties})
		}
	}
	for _, name := range change.Names {
		if name.Kind == lifecycle.EvidenceFile && name.Commit != "" {
			wrong = append(wrong, fault.Field{Pointer: name.Pointer + "/commit", Code: schemas.AdditionalProperties})
		}
	}
	return wrong
}

// rulesOf returns the version of the rules by which a record says that it was decided. From lifecycle.Rules3 on, no
// later record may be decided by older ones.
func (r *Replay) rulesOf(recorded lifecycle.Rules) (lifecycle.Rules, error) {
	rules := cmp.Or(recorded, lifecycle.Rules1)
	switch {
	case !rules.Known():
		return rules, fmt.Errorf("it was decided by version %d of the rules, which this program does not know", rules)
	case rules < r.rules:
		return rules, fmt.Errorf("it was decided by version %d of the rules, after version %d was in force", rules, r.rules)
	case rules >= lifecycle.Rules3:
		r.rules = rules
	}
	return rules, nil
}

// unknownBefore4 returns what the schema of a change did not allow before lifecycle.Rules4: an implementation named
// files as objects, and a design as paths.
func unknownBefore4(change lifecycle.Change) []fault.Field {
	return append(filesLike('"', lifecycle.FieldImplementation, change.Implementation),
		filesLike('{', lifecycle.FieldDesignSpec, change.DesignSpec)...)
}

// filesLike returns the files of a part that are JSON values of a kind, as violations.
func filesLike(kind jsontext.Kind, name string, part []byte) (wrong []fault.Field) {
	var named struct {
		Files []jsontext.Value `json:"files"`
	}
	if jsonv2.Unmarshal(part, &named) != nil {
		return nil // there is none, or the schema has refused it
	}
	for i, file := range named.Files {
		if file.Kind() == kind {
			wrong = append(wrong, fault.Field{Pointer: "/" + name + lifecycle.PointerTo("files", i), Code: "type"})
		}
	}
	return wrong
}
