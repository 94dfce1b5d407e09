package record

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
)

// TestProposalsAreEncodedAsAllValuesAre holds the bytes of a proposal to those of the ledger, member by member.
func TestProposalsAreEncodedAsAllValuesAre(t *testing.T) {
	drawn := rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[time.Time](): rapid.Custom(func(t *rapid.T) any {
			return time.UnixMicro(rapid.Int64Range(0, 1<<57).Draw(t, "time")).UTC()
		}),
		reflect.TypeFor[json.RawMessage](): rapid.SampledFrom([]any{json.RawMessage(nil), json.RawMessage(`{}`),
			json.RawMessage(`{"status" : "done"}`), json.RawMessage(`{"pm_notes":[{"text":"\u0041\/\n"}]}`)}),
		reflect.TypeFor[*fault.Error](): rapid.SampledFrom([]any{(*fault.Error)(nil),
			fault.New(fault.Conflict, "gate_unmet", "no").WithFix("do it")}),
	}}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.MakeCustom[Proposed](drawn).Draw(t, "proposal")
		want, wrong := ledger.Encode(&p)
		got, err := p.Encode()
		require.Equal(t, wrong == nil, err == nil, "%v, %v", wrong, err)
		if err == nil {
			require.Equal(t, string(want), string(got))
		}
	})
}
