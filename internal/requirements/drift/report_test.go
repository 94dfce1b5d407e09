package drift

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/measure"
)

func TestNoListOfAnEmptyReportIsNull(t *testing.T) {
	raw, err := json.Marshal(emptyReport()) // of the standard library, which writes null for nil
	require.NoError(t, err)
	require.NotContains(t, string(raw), "null")
}

// A requirement under a new name is added and retired, and text that belongs to none is no drift.
func TestDrifted(t *testing.T) {
	for _, r := range []Report{
		{Added: make([]Added, 1)}, {Changed: make([]Changed, 1)}, {Moved: make([]Moved, 1)},
		{Restored: make([]string, 1)}, {Retired: make([]Retired, 1)},
	} {
		require.True(t, r.Drifted(), "%+v", r)
	}
	for _, r := range []Report{
		{}, {Renamed: make([]Renamed, 1)}, {Others: make([]Other, 1)}, {Warnings: make([]Remark, 1)}, {Unchanged: 3},
	} {
		require.False(t, r.Drifted(), "%+v", r)
	}
}

func TestFailed(t *testing.T) {
	line := fault.Field{Pointer: "a#b/R.md#L12", Detail: "d", Fix: "mend it"}
	for name, c := range map[string]struct {
		err  error
		want []Remark
	}{
		"lines": {
			fault.New(fault.Invalid, "x", "all").WithFix("f").
				WithFields(line, fault.Field{Pointer: "R.md#Lx", Detail: "e"}),
			[]Remark{{Place{"a#b/R.md", 12}, "", "d", "mend it"}, {Place{"R.md#Lx", 0}, "", "e", "f"}},
		},
		"a whole document": {fault.New(fault.Invalid, "x", "R.md: too large").
			WithFix("f"), []Remark{{Place{}, "", "R.md: too large", "f"}}},
		"not a fault": {errors.New("odd"), []Remark{{Place{}, "", "odd", ""}}},
	} {
		require.Equal(t, c.want, Failed(c.err).Errors, name)
	}
	_, err := Preview(nil, []reqdoc.File{{Path: "R.md", Content: []byte("- **REQ-001**: a\n- **REQ-001**: b\n")}},
		reqdoc.Options{})
	report := Failed(err)
	require.Equal(t, Place{"R.md", 2}, report.Errors[0].Place)
	require.NotEmpty(t, report.Errors[0].Fix)
	require.Equal(t, "0 found, 0 unchanged, 1 errors", report.String())
}

func TestWordDiff(t *testing.T) {
	def := func(title, text string, acceptance ...string) lifecycle.Definition {
		d := lifecycle.Definition{Title: title, Text: text}
		for _, a := range acceptance {
			d.Acceptance = append(d.Acceptance, lifecycle.Criterion{Kind: "acceptance", Text: a})
		}
		return d
	}
	numbers := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint(i))
		}
		return strings.Join(all, " ")
	}
	for name, c := range map[string]struct {
		before, after lifecycle.Definition
		want          []Edit
	}{
		"a word": {def("Log in", "at once"), def("Log in", "at last"),
			[]Edit{{"equal", "Log in\nat"}, {"delete", "once"}, {"insert", "last"}}},
		"a criterion": {def("T", "x", "one"), def("T", "x", "one", "two"),
			[]Edit{{"equal", "T\nx\n- one"}, {"insert", "\n- two"}}},
		"line ends": {def("T", "a b\nc d"), def("T", "a\nb c e"),
			[]Edit{{"equal", "T\na b c"}, {"delete", "d"}, {"insert", "e"}}},
		"only spaces": {def("T", "a  b"), def("T", "a b"), []Edit{{"delete", "T\na  b"}, {"insert", "T\na b"}}},
		"a made title": {def("Log in.", "**Log** in. At once."), def("Log in.", "**Log** in. At last."),
			[]Edit{{"equal", "**Log** in. At"}, {"delete", "once."}, {"insert", "last."}}},
		"from the empty": {def("", ""), def("T", ""), []Edit{{"insert", "T"}}},
		"a long text": {
			def("T", numbers(40)+" old "+numbers(40)+" old "+numbers(12)), def("T",
				numbers(40)+" new "+numbers(40)+" new "+numbers(12)),
			[]Edit{
				{"equal", "… 35 36 37 38 39"}, {"delete", "old"}, {"insert", "new"}, {"equal", "0 1 2 3 4 … 35 36 37 38 39"},
				{"delete", "old"}, {"insert", "new"}, {"equal", numbers(12)},
			},
		},
	} {
		require.Equal(t, c.want, wordDiff(c.before, c.after), name)
	}
}

func TestAWordDiffIsTheChange(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	rapid.Check(t, func(rt *rapid.T) {
		before, after := rapid.SliceOfN(word, 1, 200).Draw(rt, "before"), rapid.SliceOfN(word, 1, 200).Draw(rt, "after")
		if fmt.Sprint(before) == fmt.Sprint(after) {
			return
		}
		old, now := lifecycle.Definition{Title: strings.Join(before, " ")},
			lifecycle.Definition{Title: strings.Join(after, " ")}
		var deleted, inserted int
		for _, e := range wordDiff(old, now) {
			switch e.Op {
			case OpDelete:
				deleted += len(strings.Fields(e.Text))
			case OpInsert:
				inserted += len(strings.Fields(e.Text))
			}
		}
		require.Equal(rt, len(after)-len(before), inserted-deleted)
	})
}

// A document of any kind must neither keep an import busy nor make its report large.
func TestAWordDiffIsBounded(t *testing.T) {
	megabyte := func(unit string) string { return strings.Repeat(unit, 1<<20/len(unit)) }
	small := func(seed, step int) string {
		var all []string
		for i := range 6_000 {
			all = append(all, fmt.Sprint((i*step+seed)%1000))
		}
		return strings.Join(all, " ")
	}
	long := strings.Repeat("The service keeps every change that it has confirmed. ", 1_000)
	ordinary := measure.CPU(5, func() {
		require.NotEmpty(t, wordDiff(lifecycle.Definition{Title: long}, lifecycle.Definition{Title: "Once: " + long}))
	})
	for name, c := range map[string][2]string{
		"no spaces": {megabyte("a"), megabyte("b")}, "many words": {megabyte("a b "), megabyte("b c ")},
		"the end differs":  {megabyte("é") + "x", megabyte("é") + "y"},
		"all words differ": {small(0, 7), small(3, 11)}, "longer": {"one", megabyte("a ")},
		"many small changes": {small(0, 1), strings.ReplaceAll(small(0, 1), "5 ", "5x ")},
	} {
		var diff []Edit
		took := measure.CPU(1,
			func() { diff = wordDiff(lifecycle.Definition{Title: c[0]}, lifecycle.Definition{Title: c[1]}) })
		require.Less(t, took, 100*ordinary, name)
		size, ops := 0, map[string]bool{}
		for _, e := range diff {
			size += len(e.Text)
			ops[e.Op] = true
		}
		require.Less(t, size, longestDiff+LongestEdit, name)
		require.True(t, ops[OpDelete] && ops[OpInsert], name)
	}
}
