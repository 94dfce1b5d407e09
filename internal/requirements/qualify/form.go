package qualify

import (
	"cmp"
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

// CodeOnRecord is the code of a form that is asked for while another one is on record.
const CodeOnRecord fault.Code = "qualification_on_record"

// Check refuses a form that there is not. Whoever asks for none, "", takes the one on record.
func Check(asked string) error {
	if asked == "" || asked == Families || slices.Contains(Forms(), asked) {
		return nil
	}
	return fault.New(fault.Invalid, "unknown_qualification", "--qualify must be %s, not %q",
		strings.Join(Forms(), " or "), asked).
		WithFix("use %s, which puts the folder of the document in front of each id, or %s, which takes the ids as they "+
			"stand; or leave --qualify out, and the ids keep the form that they have", Folder, None)
}

// InForce returns the form of the ids of a project: what it has on record, or what is asked for as long as nothing was
// imported.
func InForce(asked, onRecord string, imported bool) string {
	if imported {
		return cmp.Or(onRecord, None)
	}
	return cmp.Or(onRecord, asked, Families)
}

// Agree refuses a form that is asked for while another one is in force. The error is a *fault.Error.
func Agree(asked, onRecord string, imported bool) error {
	if err := Check(asked); err != nil {
		return err
	}
	form := InForce(asked, onRecord, imported)
	if asked == "" || asked == form {
		return nil
	}
	return fault.New(fault.Conflict, CodeOnRecord, "--qualify %s is asked for, and the ids of this project are %s",
		asked, described[form]).
		WithFix("leave --qualify, or qualify in orchestrator.yaml, out; orchestrator rename --qualify %s gives every "+
			"requirement its new id, and keeps its history", asked)
}

// described says in words how the ids of a form look.
var described = map[string]string{
	Families: "qualified by folder where the family numbers per folder",
	Folder:   "qualified by folder",
	None:     "not qualified",
}

// Defined is a requirement as the state has it: its id, its document, and the family by which it was read.
type Defined struct{ ID, Path, Family string }

// InForm returns the ids that requirements have in a form, in their order. It takes off the folders that they have now.
func InForm(form string, all []Defined) []string {
	perFolder := map[string]bool{}
	for _, d := range all {
		perFolder[d.Path] = perFolder[d.Path] || PerFolder(d.Family)
	}
	ids := make([]string, len(all))
	for i, d := range all {
		ids[i] = Whole(FolderOf(form, d.Path, perFolder[d.Path]), Short(d.ID, d.Path))
	}
	return ids
}
