package trace

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/system/jsonobject"
	"orchestrator/internal/system/jsonobject/jsonobjecttest"
)

// TestTracesAreEncodedAsAllValuesAre holds the bytes of a trace, and of each of its parts, to those of the library.
func TestTracesAreEncodedAsAllValuesAre(t *testing.T) {
	types := jsonobjecttest.Types{
		reflect.TypeFor[[]Obligation](): rapid.Just[any]([]Obligation(nil)), // of one without steps
	}
	few := rapid.SliceOfN(jsonobjecttest.Drawn[Obligation](types), 0, 2)
	types[reflect.TypeFor[[]Obligation]()] = rapid.Custom(func(t *rapid.T) any {
		all := few.Draw(t, "obligations")
		for i := range all {
			all[i].Steps = few.Draw(t, "steps")
		}
		return all
	})
	jsonobjecttest.Like(t, types, (*Trace).encode)
	partLike(t, types, writeObligation)
	partLike(t, types, writeRun)
	partLike(t, types, writeVerification)
	partLike(t, types, writeAnswer)

	_, err := (&Trace{ID: "\xff"}).encode()
	require.ErrorContains(t, err, "encode trace.Trace")
}

func partLike[T any](t *testing.T, types jsonobjecttest.Types, write func(*jsonobject.Writer, *T)) {
	t.Helper()
	jsonobjecttest.Like(t, types, func(part *T) ([]byte, error) {
		return jsonobject.Bytes(func(w *jsonobject.Writer) { write(w, part) })
	})
}
