package replay

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/jsonobject"
)

// random returns a value of a type, made anew.
func random(rt *rapid.T, of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch {
	case of == reflect.TypeFor[time.Time]():
		zone := rapid.SampledFrom([]*time.Location{time.UTC, time.FixedZone("", 3600), time.FixedZone("", -5400)})
		at := time.UnixMicro(rapid.Int64Range(0, 1<<58).Draw(rt, "time")).In(zone.Draw(rt, "zone"))
		v.Set(reflect.ValueOf(rapid.SampledFrom([]time.Time{{}, at}).Draw(rt, "at")))
	case of == reflect.TypeFor[json.RawMessage]():
		v.SetBytes(rapid.SampledFrom([][]byte{nil, []byte(`{}`), []byte(`{"a":["b"]}`), []byte(`"ü\u2028<>"`),
			[]byte(`""`), []byte(`[]`), []byte(`null`), []byte(`"\u0041\/"`), []byte(`{"a" : [1.0, "b c"]}`)}).Draw(rt, "raw"))
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			v.Field(i).Set(random(rt, of.Field(i).Type))
		}
	case of.Kind() == reflect.Slice:
		for range rapid.IntRange(0, 2).Draw(rt, "length") {
			v.Set(reflect.Append(v, random(rt, of.Elem())))
		}
	case of.Kind() == reflect.Pointer:
		if rapid.Bool().Draw(rt, "is there") {
			v.Set(random(rt, of.Elem()).Addr())
		}
	case of.Kind() == reflect.String:
		v.SetString(rapid.SampledFrom([]string{"", "a", `"}],{`, "ü\u2028<>\x7f\x00"}).Draw(rt, "text"))
	case of.Kind() == reflect.Bool:
		v.SetBool(rapid.Bool().Draw(rt, "bool"))
	case v.CanInt():
		v.SetInt(rapid.Int64Range(-9, 9).Draw(rt, "int"))
	case v.CanUint():
		v.SetUint(rapid.Uint64Range(0, 9).Draw(rt, "uint"))
	default:
		rt.Fatalf("a requirement has a %s", of)
	}
	return v
}

// leaves returns paths to the members of a struct, and to those of the structs in it.
func leaves(of reflect.Type) (all [][]int) {
	for i := range of.NumField() {
		field := of.Field(i).Type
		if field.Kind() != reflect.Struct || field == reflect.TypeFor[time.Time]() {
			all = append(all, []int{i})
			continue
		}
		for _, path := range leaves(field) {
			all = append(all, append([]int{i}, path...))
		}
	}
	return all
}

// changed is a requirement with one member that is another, or with one more entry, or another one.
func changed(rt *rapid.T, req lifecycle.Requirement) lifecycle.Requirement {
	of := reflect.ValueOf(&req).Elem()
	member := of.FieldByIndex(rapid.SampledFrom(leaves(of.Type())).Draw(rt, "member"))
	if member.Kind() != reflect.Slice || member.Type() == reflect.TypeFor[json.RawMessage]() ||
		rapid.IntRange(0, 3).Draw(rt, "all of it") == 0 {
		member.Set(random(rt, member.Type()))
		return req
	}
	entries := reflect.MakeSlice(member.Type(), member.Len(), member.Len())
	reflect.Copy(entries, member)
	entry := random(rt, member.Type().Elem())
	if n := entries.Len(); n > 0 && rapid.Bool().Draw(rt, "in place") {
		entries.Index(rapid.IntRange(0, n-1).Draw(rt, "entry")).Set(entry)
	} else {
		entries = reflect.Append(entries, entry)
	}
	member.Set(entries)
	return req
}

// TestPieces: whatever changes of a requirement, its pieces amount to its encoding. One that has none, such as of a time
// that is too far away, has no pieces either, and is no hindrance to the next one.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var e jsonobject.Writer
		var before lifecycle.Requirement
		var p pieces
		req := random(rt, reflect.TypeFor[lifecycle.Requirement]()).Interface().(lifecycle.Requirement)
		for range rapid.IntRange(1, 20).Draw(rt, "changes") {
			next, err := p.after(&e, before, req)
			want, failed := ledger.Encode(req)
			require.Equal(rt, failed == nil, err == nil, "%v, %v", failed, err)
			if err == nil {
				require.Equal(rt, string(want), string(next.append(nil)))
				before, p = req, next
			}
			req = changed(rt, req)
		}
	})
}

// TestPiecesAreKept: what a change leaves alone is taken over, and not encoded again.
func TestPiecesAreKept(t *testing.T) {
	req, _ := lifecycle.Define(nil, lifecycle.Definition{ID: "R"}, time.Unix(0, 0), lifecycle.LatestRules)
	req.PMNotes = []lifecycle.Note{{Text: "one"}}
	p, err := pieces{}.after(&jsonobject.Writer{}, lifecycle.Requirement{}, req)
	require.NoError(t, err)
	next := req
	next.Revision++
	next.PMNotes = append(next.PMNotes, lifecycle.Note{Text: "two"})
	q, err := p.after(&jsonobject.Writer{}, req, next)
	require.NoError(t, err)
	require.Same(t, &p.definition[0], &q.definition[0])
	require.Same(t, &p.work[0], &q.work[0])
	require.Len(t, q.notes, 2)
	require.Same(t, &p.notes[0][0], &q.notes[0][0])
	require.NotEqual(t, string(p.state), string(q.state))
}
