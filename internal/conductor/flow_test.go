package conductor

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/tools"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// plan returns an obligation that is brought about by steps.
func plan(steps ...planning.Obligation) planning.Obligation {
	var list []any
	for _, s := range steps {
		step := map[string]any{"type": string(s.Type), "payload": s.Payload}
		if s.Name != "" {
			step["name"] = s.Name
		}
		list = append(list, step)
	}
	return ob(planning.Achieve, "plan", "steps", list)
}

func called(name string, o planning.Obligation) planning.Obligation {
	o.Name = name
	return o
}

func take(reference string) map[string]any { return map[string]any{"from": reference} }

// echoing is a tool that takes an input and answers with it.
func echoing(name, satisfies string, change ...func(*fake)) fake {
	return named(name, satisfies, append([]func(*fake){withInput("n"), func(f *fake) {
		f.run = func(in tools.In) (map[string]any, error) { return map[string]any{"value": in.Input["n"]}, nil }
	}}, change...)...)
}

// Verifies: ORC-250
func TestValuesFlow(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), echoing("t.say", "REPORT(k.say)"))
	four := ob(planning.Report, "query.math", "expr", "2+2")
	for name, c := range map[string]struct {
		all  []planning.Obligation
		want []string
	}{
		"in a text":        {[]planning.Obligation{four, ob(planning.Report, "normalize.email", "email", "JEFF+{{o1.value}}@Example.COM")}, []string{"2+2 = 4", "The address is JEFF+4@example.com"}},
		"as a member":      {[]planning.Obligation{four, ob(planning.Report, "query.math", "expr", take("o1.value"))}, []string{"2+2 = 4", "4 = 4"}},
		"from a later one": {[]planning.Obligation{ob(planning.Report, "query.math", "expr", "{{ o2.value }}*2"), four}, []string{"4*2 = 8", "2+2 = 4"}},
		"by a name":        {[]planning.Obligation{called("sum", four), ob(planning.Report, "query.math", "expr", "{{sum.value}}*{{o1.value}}")}, []string{"2+2 = 4", "4*4 = 16"}},
		"a chain":          {[]planning.Obligation{four, ob(planning.Report, "query.math", "expr", "{{o1.value}}+1"), ob(planning.Report, "query.math", "expr", "{{o2.value}}+{{o1.value}}")}, []string{"2+2 = 4", "4+1 = 5", "5+4 = 9"}},
		"a number":         {[]planning.Obligation{ob(planning.Report, "query.count_letters", "text", "strawberry", "letter", "r"), ob(planning.Report, "query.math", "expr", "{{o1.value}}**2")}, []string{`"strawberry" has the letter "r" 3 times.`, "3**2 = 9"}},
		"braces":           {[]planning.Obligation{ob(planning.Report, "query.count_letters", "text", `a{{"{{"}}`, "letter", "{")}, []string{`"a{{" has the letter "{" 2 times.`}},
		"in a list":        {[]planning.Obligation{four, ob(planning.Report, "k.say", "n", []any{"x", take("o1.value"), map[string]any{"a": take("o1.value")}})}, []string{"2+2 = 4", `k.say: x, 4, {"a":"4"} (not verified)`}},
		"in no name":       {[]planning.Obligation{ob(planning.Report, "k.say", "n", map[string]any{`{{"{{"}}o1}}`: 1, `{{""}}from`: "o1.value"})}, []string{`k.say: {"from":"o1.value","{{o1}}":1} (not verified)`}},
		"deep":             {[]planning.Obligation{ob(planning.Report, "k.say", "n", map[string]any{"list": []any{"x", map[string]any{"id": "R-1"}}}), ob(planning.Report, "k.say", "n", take("o1.value.list.1.id"))}, []string{`k.say: {"list":["x",{"id":"R-1"}]} (not verified)`, "k.say: R-1 (not verified)"}},
	} {
		t.Run(name, func(t *testing.T) {
			one := b
			one.t = t
			trace := one.conduct(c.all...)
			require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations)
			require.Equal(t, c.want, texts(trace))
			for i, o := range trace.Obligations {
				require.Equal(t, c.all[i], o.Obligation, "it stands as it was asked for")
			}
		})
	}
	trace := b.conduct(four, ob(planning.Report, "query.math", "expr", "{{o1.value}}+1"))
	require.Equal(t, []Taken{{To: "/expr", From: "o1.value", Obligation: "o1"}}, trace.Obligations[1].Takes)
	require.Equal(t, map[string]any{"expr": "4+1"}, trace.Obligations[1].Runs[0].Inputs)
}

// Verifies: ORC-251
func TestReferencesThatAreRefused(t *testing.T) {
	f := echoing("t.say", "REPORT(k.say)")
	b := conductorOf(t, store.NewMemory(), f)
	before := b.ledger.Head().Size
	for name, c := range map[string]struct {
		all         []planning.Obligation
		at, because string
	}{
		"unknown":  {[]planning.Obligation{ob(planning.Report, "k.say", "n", take("o9.value"))}, "/obligations/0/payload/n", "there is no obligation o9"},
		"itself":   {[]planning.Obligation{ob(planning.Report, "k.say", "n", take("o1.value"))}, "/obligations/0/payload/n", "o1 refers to itself"},
		"a circle": {[]planning.Obligation{ob(planning.Report, "k.say", "n", take("o2.value")), called("b", ob(planning.Report, "k.say", "n", "{{o1.value}}"))}, "/obligations/0/payload", "o1 → b → o1"},
		"no path":  {[]planning.Obligation{ob(planning.Report, "query.math", "expr", "1"), ob(planning.Report, "k.say", "n", take("o1.valeu"))}, "/obligations/1/payload/n", "no result of REPORT(query.math) has valeu"},
		"a type":   {[]planning.Obligation{ob(planning.Report, "query.count_letters", "text", "a", "letter", "a"), ob(planning.Report, "query.math", "expr", take("o1.value"))}, "/obligations/1/payload/expr", "o1.value is of the type number, and expr takes string"},
		"a list":   {[]planning.Obligation{ob(planning.Report, "query.people", "filters", map[string]any{"a": "b"}), ob(planning.Report, "query.math", "expr", "{{o1.values}}")}, "/obligations/1/payload/expr", "a text takes"},
		"braces":   {[]planning.Obligation{ob(planning.Report, "query.count_letters", "text", "{{x", "letter", "x")}, "/obligations/0/payload/text", "no reference follows"},
		"a guardrail that refers": {[]planning.Obligation{ob(planning.Report, "query.math", "expr", "1"), {Type: planning.Avoid, Payload: map[string]any{"condition": "'{{o1.value}}' == '1'"}}},
			"/obligations/1/payload/condition", "cannot refer to o1.value"},
		"a guardrail": {[]planning.Obligation{{Type: planning.Avoid, Payload: map[string]any{"condition": "false"}}, ob(planning.Report, "k.say", "n", take("o1.value"))}, "/obligations/1/payload/n", "is a guardrail"},
		"answers":     {[]planning.Obligation{ob(planning.Verify, "answers"), ob(planning.Report, "k.say", "n", take("o1.value"))}, "/obligations/1/payload/n", "has no result"},
		"a name":      {[]planning.Obligation{called("o7", ob(planning.Report, "query.math", "expr", "1"))}, "/obligations/0/name", "taken"},
		"in a list":   {[]planning.Obligation{ob(planning.Report, "query.math", "expr", "1"), ob(planning.Report, "k.say", "n", []any{take("o1.value"), take("o1.valeu")})}, "/obligations/1/payload/n/1", "has valeu"},
		"in a name":   {[]planning.Obligation{ob(planning.Report, "query.math", "expr", "1"), ob(planning.Report, "k.say", "n", map[string]any{"{{o1.value}}": "x"})}, "/obligations/1/payload/n/{{o1.value}}", "cannot refer"},
		"a VERIFY":    {[]planning.Obligation{plan(ob(planning.Report, "query.math", "expr", "1"), ob(planning.Verify, "answers"))}, "/obligations/0/payload/steps/1/payload", "is no step"},
		"a step":      {[]planning.Obligation{plan(ob(planning.Report, "query.math", "expr", 3))}, "/obligations/0/payload/steps/0/payload/expr", "want string"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: c.all})
			require.ErrorIs(t, err, fault.Malformed)
			require.Equal(t, c.at, fault.As(err).Fields[0].Pointer)
			require.Contains(t, fault.As(err).Fields[0].Detail, c.because)
			_, planned := b.Plan(t.Context(), ada, planning.Request{Obligations: c.all})
			require.Equal(t, err, planned)
		})
	}
	require.Zero(t, *f.runs)
	require.Equal(t, before, b.ledger.Head().Size, "nothing is recorded")
}

// An obligation without the value that it takes has no run: it fails, or waits.
//
// Verifies: ORC-253
func TestWhatHasNoValueDoesNotRun(t *testing.T) {
	doubted := func(f *fake) {
		f.contract.Verify, f.run = planning.CheckBlocking, func(tools.In) (map[string]any, error) { return map[string]any{"value": "5"}, nil }
		f.again = func(_ context.Context, _ map[string]any) error {
			return fault.New(fault.Conflict, "answer_differs", "it is 4")
		}
	}
	unsure := func(f *fake) { doubted(f); f.contract.Verify = planning.CheckNonBlocking }
	for name, c := range map[string]struct {
		source planning.Obligation
		tool   fake
		status planning.Status
		why    string
	}{
		"it failed":      {ob(planning.Report, "query.math", "expr", "1/0"), fake{}, planning.Failed, "o1, whose result it takes, ended as failed: math.eval: it failed"},
		"it waits":       {ob(planning.Report, "status.name"), fake{}, planning.Active, "it waits for o1"},
		"it is doubted":  {ob(planning.Report, "k.d"), named("t.d", "REPORT(k.d)", doubted), planning.Failed, "o1, whose result it takes, was not confirmed: it is 4"},
		"it is unsure":   {ob(planning.Report, "k.d"), named("t.d", "REPORT(k.d)", unsure), planning.Failed, "o1, whose result it takes, was not confirmed: it is 4"},
		"nobody does it": {ob(planning.Report, "query.astronauts"), fake{}, planning.Failed, "o1, whose result it takes, ended as failed: no tool"},
		"without it": {ob(planning.Report, "k.d"), named("t.d", "REPORT(k.d)", func(f *fake) {
			f.run = func(tools.In) (map[string]any, error) { return map[string]any{"values": []any{"1"}}, nil }
		}), planning.Failed, "the result of o1 has no value"},
		"that is no text": {ob(planning.Report, "k.d"), named("t.d", "REPORT(k.d)", func(f *fake) {
			f.run = func(tools.In) (map[string]any, error) { return map[string]any{"value": []any{"1"}}, nil }
		}), planning.Failed, "o1.value is no text, number or boolean"},
	} {
		t.Run(name, func(t *testing.T) {
			fakes := []fake{}
			if c.tool.run != nil {
				fakes = append(fakes, c.tool)
			}
			trace := conductorOf(t, store.NewMemory(), fakes...).conduct(c.source, ob(planning.Report, "query.math", "expr", "{{o1.value}}"))
			require.Equal(t, c.status, trace.Obligations[1].Status)
			require.Contains(t, trace.Obligations[1].Why, c.why)
			require.Empty(t, trace.Obligations[1].Runs)
		})
	}
}

// What is doubted is given to none of those that take it.
//
// Verifies: ORC-253
func TestWhatIsDoubtedIsTakenByNone(t *testing.T) {
	doubted := named("t.d", "REPORT(k.d)", lying(planning.CheckBlocking, differs))
	say := echoing("t.say", "REPORT(k.say)")
	trace := conductorOf(t, store.NewMemory(), doubted, say).conduct(ob(planning.Report, "k.d"), ob(planning.Report, "k.say", "n", take("o1.value")), ob(planning.Report, "k.say", "n", take("o1.value")))
	for _, o := range trace.Obligations[1:] {
		require.Equal(t, "o1, whose result it takes, was not confirmed: it is 5", o.Why)
	}
	require.Zero(t, *say.runs)
}

// A value is held against the schema of what takes it, when it is there.
func TestAValueThatDoesNotFit(t *testing.T) {
	said := named("t.d", "REPORT(k.d)", func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) { return map[string]any{"value": "no"}, nil }
	})
	trace := conductorOf(t, store.NewMemory(), said).conduct(ob(planning.Report, "k.d"), ob(planning.Report, "query.count_letters", "text", "a", "letter", "a", "case_sensitive", take("o1.value")))
	require.Contains(t, trace.Obligations[1].Why, "does not fit its schema: /case_sensitive")
	require.Empty(t, trace.Obligations[1].Runs)
}

// What another tool said is no statement of the caller: a reference confirms no answer, and contradicts none.
func TestAReferenceStatesNothing(t *testing.T) {
	asks := func(f *fake) { f.contract.Verify = planning.CheckBlocking }
	b := conductorOf(t, store.NewMemory(), echoing("t.first", "REPORT(k.first)"), named("t.say", "REPORT(k.say)", asks))
	answered := func(value any) Answer {
		all := b.conduct(ob(planning.Report, "k.first", "n", "t.say"), ob(planning.Report, "k.say", "value", value)).Answers
		return all[len(all)-1]
	}
	require.False(t, answered("t.say").Uncertain, "the caller states it")
	require.True(t, answered(take("o1.value")).Uncertain)
	require.True(t, answered("{{o1.value}}").Uncertain)
}

// The values that are taken are within the budgets, and a result is read once.
//
// Verifies: ORC-256
func TestValuesAreTakenWithinTheBudgets(t *testing.T) {
	large := named("t.large", "REPORT(k.large)", func(f *fake) {
		f.run = func(tools.In) (map[string]any, error) {
			return map[string]any{"value": strings.Repeat("x", 8000), "list": []any{strings.Repeat("y", 8000)}}, nil
		}
	})
	say := echoing("t.say", "REPORT(k.say)")
	for name, c := range map[string]struct {
		value   any
		budgets planning.Budgets
		because string
	}{
		"in a text":     {strings.Repeat("{{o1.value}}", 20_000), planning.Budgets{}, "exceed 8 MiB"},
		"as members":    {slices.Repeat([]any{take("o1")}, 20_000), planning.Budgets{}, "exceed 8 MiB"},
		"of other ways": {slices.Repeat([]any{take("o1.list.0"), take("o1.list.00")}, 10_000), planning.Budgets{}, "exceed 8 MiB"},
		"of its own":    {"{{o1.value}}{{o1.value}}", planning.Budgets{MaxResultBytes: 30_000}, "exceed the 30000 bytes of max_result_bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			*say.runs = 0
			trace, err := conductorOf(t, store.NewMemory(), large, say).Conduct(t.Context(), ada,
				planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.large"), ob(planning.Report, "k.say", "n", c.value)}, Budgets: c.budgets})
			require.NoError(t, err)
			require.Equal(t, planning.OutTruncated, trace.Status)
			require.Equal(t, planning.OutTruncated, trace.Obligations[1].Outcome)
			require.Contains(t, trace.Obligations[1].Why, c.because)
			require.Zero(t, *say.runs)
			require.LessOrEqual(t, len(trace.Obligations[1].Takes), 20_000)
		})
	}
	trace := conductorOf(t, store.NewMemory(), large, say).conduct(ob(planning.Report, "k.large"), ob(planning.Report, "k.say", "n", "{{o1.value}}{{o1.value}}"))
	require.Len(t, trace.Obligations[1].Takes, 1, "a text takes a value once")
}

// Time passes while values are taken.
func TestValuesAreTakenInTime(t *testing.T) {
	b := conductorOf(t, store.NewMemory(), echoing("t.say", "REPORT(k.say)"))
	began, looks := b.Clock(), 0
	b.Conductor.Clock = func() time.Time { looks++; return began.Add(time.Duration(looks) * time.Millisecond) }
	trace, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{
		ob(planning.Report, "k.say", "n", "x"), ob(planning.Report, "k.say", "n", strings.Repeat("{{o1.value}}", 10_000))},
		Budgets: planning.Budgets{TimeMS: 500}})
	require.NoError(t, err)
	require.Equal(t, planning.OutTruncated, trace.Status)
	require.Equal(t, "time_ms is exhausted", trace.Obligations[1].Why)
	require.Less(t, looks, 600, "it stops at once")
}
