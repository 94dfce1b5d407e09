package secret

import (
	"slices"

	"orchestrator/internal/fault"
)

// Refuse refuses a text that holds what looks like a secret; nil where there is none. What is its name, and pointer
// where it stands.
func Refuse(what, pointer, text string) error {
	found := Find(text)
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "secret_in_text", "the %s holds what looks like %s; nothing of it was kept", what,
		found[0].What).
		WithFix(Fix).WithFields(fault.Field{Pointer: pointer, Code: found[0].Rule,
		Detail: "it looks like " + found[0].What})
}

// Fix is what to do about a secret that was sent.
const Fix = "name where the secret is kept, never the secret; revoke it if it was real"

// Masked returns an error without the secrets that its texts hold; the same one where they hold none. The cause is kept
// as it is: it is shown to nobody.
func Masked(err *fault.Error) *fault.Error {
	if err == nil {
		return nil
	}
	masked := *err
	masked.Detail, masked.Fix, masked.Fields = Mask(err.Detail), Mask(err.Fix), slices.Clone(err.Fields)
	changed := masked.Detail != err.Detail || masked.Fix != err.Fix
	for i, f := range err.Fields {
		masked.Fields[i] = MaskedField(f)
		changed = changed || masked.Fields[i] != f
	}
	if !changed {
		return err
	}
	return &masked
}

// MaskedField returns one field of an error without the secrets that its texts hold.
func MaskedField(f fault.Field) fault.Field {
	return fault.Field{Pointer: Mask(f.Pointer), Code: f.Code, Detail: Mask(f.Detail), Fix: Mask(f.Fix),
		Example: fault.JSON(Mask(string(f.Example)))}
}
