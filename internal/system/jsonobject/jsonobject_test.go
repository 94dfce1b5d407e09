package jsonobject

import (
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type value struct {
	Text      string    `json:"text"`
	SomeText  string    `json:"some_text,omitempty"`
	Bool      bool      `json:"bool"`
	SomeBool  bool      `json:"some_bool,omitzero"`
	Uint      uint64    `json:"uint"`
	SomeUint  uint64    `json:"some_uint,omitzero"`
	Int       int64     `json:"int"`
	SomeInt   int64     `json:"some_int,omitzero"`
	Time      time.Time `json:"time"`
	SomeTime  time.Time `json:"some_time,omitzero"`
	Some      *value    `json:"some,omitempty"`
	List      []value   `json:"list"`
	SomeList  []value   `json:"some_list,omitempty"`
	Texts     []string  `json:"texts"`
	SomeTexts []string  `json:"some_texts,omitempty"`
	Object    struct {
		Empty string `json:"empty,omitempty"`
	} `json:"object"`
}

func writeValue(w *Writer, v *value) { v.write(w) }

func (v *value) write(w *Writer) {
	w.Begin()
	w.Text("text", v.Text)
	w.SomeText("some_text", v.SomeText)
	w.Bool("bool", v.Bool)
	w.SomeBool("some_bool", v.SomeBool)
	w.Uint("uint", v.Uint)
	w.SomeUint("some_uint", v.SomeUint)
	w.Int("int", v.Int)
	w.SomeInt("some_int", v.SomeInt)
	w.Time("time", v.Time)
	w.SomeTime("some_time", v.SomeTime)
	w.SomeValue("some", v.Some)
	List(w, "list", v.List, writeValue)
	SomeList(w, "some_list", v.SomeList, writeValue)
	w.Texts("texts", v.Texts)
	w.SomeTexts("some_texts", v.SomeTexts)
	w.Object("object")
	w.SomeText("empty", v.Object.Empty)
	w.End()
	w.End()
}

func drawn(t *rapid.T, depth int) (v value) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "{", `"`, `\`, "\u2028<>&\x7f\x00\n"}))
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		zone := time.FixedZone("", 60*rapid.IntRange(-23*60, 23*60).Draw(t, "minutes"))
		return time.Unix(rapid.Int64Range(-60e9, 250e9).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(zone)
	})
	v.Text, v.SomeText, v.Object.Empty = text.Draw(t, "a"), text.Draw(t, "b"), text.Draw(t, "c")
	v.Bool, v.SomeBool = rapid.Bool().Draw(t, "d"), rapid.Bool().Draw(t, "e")
	v.Uint, v.SomeUint = rapid.Uint64().Draw(t, "f"), rapid.Uint64Range(0, 1).Draw(t, "g")
	v.Int, v.SomeInt = rapid.Int64().Draw(t, "h"), rapid.Int64Range(-1, 1).Draw(t, "i")
	if v.Time = moment.Draw(t, "j"); rapid.Bool().Draw(t, "k") {
		v.SomeTime = moment.Draw(t, "l")
	}
	v.Texts, v.SomeTexts = rapid.SliceOfN(text, 0, 2).Draw(t, "m"), rapid.SliceOfN(text, 0, 2).Draw(t, "o")
	for range rapid.IntRange(0, depth).Draw(t, "n") {
		v.List = append(v.List, drawn(t, depth-1))
		v.Some, v.SomeList = &v.List[0], v.List[:rapid.IntRange(0, len(v.List)).Draw(t, "p")]
	}
	return v
}

// TestTheBytesAreThoseOfTheLibrary: what one of the two cannot write, the other cannot write either.
func TestTheBytesAreThoseOfTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawn(t, 2)
		want, err := jsonv2.Marshal(v)
		var w Writer
		v.write(&w)
		require.Equal(t, err == nil, w.Err == nil, "%v, %v", err, w.Err)
		if err == nil {
			require.Equal(t, string(want), string(w.B))
		}
	})
}

func TestTheFirstErrorIsKept(t *testing.T) {
	var w Writer
	w.Begin()
	w.Text("a", "fine")
	require.NoError(t, w.Err)
	w.Text("b", "\xff")
	first := w.Err
	require.Error(t, first)
	w.Time("c", time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))
	require.Equal(t, first, w.Err)
}
