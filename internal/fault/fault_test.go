package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKindAndCauseAreTargets(t *testing.T) {
	err := fmt.Errorf("around: %w", New(Conflict, "some_code", "it is %d", 7).WithFix("do %s", "this").Because(io.EOF))
	require.ErrorIs(t, err, Conflict)
	require.ErrorIs(t, err, io.EOF)
	require.NotErrorIs(t, err, Invalid)
	var f *Error
	require.True(t, errors.As(err, &f))
	require.Equal(t, "it is 7", f.Detail)
	require.Equal(t, io.EOF, f.Cause())
	require.Equal(t, "around: it is 7: EOF (do this)", err.Error())
	require.NoError(t, New(Invalid, "c", "d").Cause())
}

func TestFieldsAreCut(t *testing.T) {
	long := strings.Repeat("é", 2000)
	f := New(Invalid, "c", "d").WithFields(Field{Pointer: "/" + long, Detail: long}, Field{Pointer: "/a", Detail: "b"})
	require.LessOrEqual(t, len(f.Fields[0].Pointer), maxPointer+3)
	require.LessOrEqual(t, len(f.Fields[0].Detail), maxDetail+3)
	require.Equal(t, Field{Pointer: "/a", Detail: "b"}, f.Fields[1])
	require.Contains(t, f.Error(), "; /a: b")
}

func TestAnotherDetailKeepsKindAndCodeAlone(t *testing.T) {
	f := New(Internal, "c", "secret").WithFix("secret").WithFields(Field{Detail: "secret"}).Because(errors.New("secret"))
	require.Equal(t, &Error{Kind: Internal, Code: "c", Detail: "public"}, f.WithDetail("public"))
}

func TestExamplesAreNotKept(t *testing.T) {
	f := New(Invalid, "c", "d").WithFields(Field{Pointer: "/a", Example: `{"a":1}`}, Field{Pointer: "/b"})
	kept := f.ToKeep()
	encoded, err := json.Marshal(kept)
	require.NoError(t, err)
	require.NotContains(t, string(encoded), `xample`)
	require.Equal(t, f.Fields, kept.Shown())
	require.Equal(t, f.Fields, f.Shown())
	require.Equal(t, JSON(`{"a":1}`), f.Fields[0].Example, "what was given is as it was")
}
