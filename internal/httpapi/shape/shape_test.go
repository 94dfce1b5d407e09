package shape

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func TestPreference(t *testing.T) {
	for header, want := range map[string]string{
		"": "", "return=minimal": Minimal, "Return=Minimal": Minimal, `return="minimal"`: Minimal, "return = minimal": Minimal,
		"respond-async, return=representation; x=1": Whole, "return=nothing": "", "return=minimal, return=representation": Minimal,
	} {
		require.Equal(t, want, Preference([]string{header}), header)
	}
	require.Equal(t, Whole, Preference([]string{"wait=10", "return=representation"}))
	require.Empty(t, Preference(nil))
}

func TestFields(t *testing.T) {
	known := []string{"id", "status"}
	names, err := Fields("status, id", known)
	require.NoError(t, err)
	require.Equal(t, []string{"status", "id"}, names)
	for _, wrong := range []string{"", "stat", "id,", "id,ID"} {
		_, err := Fields(wrong, known)
		require.ErrorIs(t, err, fault.Malformed, wrong)
		require.Contains(t, fault.As(err).Fix, "id,status")
	}
}

type inner struct {
	B int `json:"b,omitempty"`
	D int `json:"-"`
}

func TestNames(t *testing.T) {
	type outer struct {
		A string `json:"a"`
		inner
		C int `json:"c,omitzero"`
	}
	require.Equal(t, []string{"a", "b", "c"}, Names[outer]())
}

func TestObjects(t *testing.T) {
	object := []byte(`{"id":"a\"b","n":1.50,"list":[{"x":1}],"w":null}`)
	cut, err := filter(nil, object, []string{"list", "none"}, false)
	require.NoError(t, err)
	require.Equal(t, `{"id":"a\"b","n":1.50,"w":null}`, string(cut))
	cut, err = Only(object, "list", "n")
	require.NoError(t, err)
	require.Equal(t, `{"n":1.50,"list":[{"x":1}]}`, string(cut))
	cut, err = Only(object)
	require.NoError(t, err)
	require.Equal(t, `{}`, string(cut))
	more, err := with(cut, map[string]int{}, map[string]int{"a": 1}, map[string]int{"b": 2})
	require.NoError(t, err)
	require.Equal(t, `{"a":1,"b":2}`, string(more))
	for _, broken := range []string{``, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a"x1}`, `{"a":}`, `{"a":,"b":1}`, `{a:1}`} {
		_, err := Only([]byte(broken), "a")
		require.Error(t, err, broken)
	}
	_, err = with([]byte(`{}`), func() {})
	require.Error(t, err)
}

// TestStoredStays: what is stored is not written over by the answer that is made of it, though it has room to spare.
func TestStoredStays(t *testing.T) {
	stored := append(make([]byte, 0, 100), `{"z":0}`+"\n"...)
	for _, prefer := range []string{"", Whole} {
		empty := map[string]int{}
		more, err := Wanted{Prefer: prefer}.Requirement(stored, empty, map[string]int{"a": 1}, empty)
		require.NoError(t, err)
		require.Equal(t, `{"z":0,"a":1}`, string(more))
		require.Equal(t, `{"z":0}`+"\n", string(stored))
	}
}
