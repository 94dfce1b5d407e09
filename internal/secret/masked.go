package secret

import (
	"slices"

	"orchestrator/internal/fault"
)

// Masked is an error without the secrets that its texts hold; the same one where they hold none. The cause is kept as it is:
// it is shown to nobody.
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

// MaskedField is one field of an error without the secrets that its texts hold.
func MaskedField(f fault.Field) fault.Field {
	return fault.Field{Pointer: Mask(f.Pointer), Code: f.Code, Detail: Mask(f.Detail), Fix: Mask(f.Fix)}
}
