package flow

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

type object1 = map[string]any

func ob(kind string, more ...any) planning.Obligation {
	payload := object1{"kind": kind}
	for i := 0; i < len(more); i += 2 {
		payload[more[i].(string)] = more[i+1]
	}
	return planning.Obligation{Type: planning.Report, Payload: payload}
}

func plan(name string, steps ...planning.Obligation) planning.Obligation {
	list := []any{}
	for _, s := range steps {
		list = append(list, object1{"type": string(s.Type), "name": s.Name, "payload": s.Payload})
	}
	return planning.Obligation{Type: planning.Achieve, Name: name, Payload: object1{"kind": "plan", "steps": list}}
}

func called(name string, o planning.Obligation) planning.Obligation {
	o.Name = name
	return o
}

func take(reference string) object1 { return object1{"from": reference} }

func TestWhatRefersToWhat(t *testing.T) {
	for name, c := range map[string]struct {
		o    planning.Obligation
		want []string
	}{
		"nothing":         {ob("k", "n", 1, "text", "plain } { text", "from", "o1.value"), nil},
		"a member":        {ob("k", "n", take("o1.value")), []string{"/n o1.value"}},
		"the whole":       {ob("k", "n", take("sum")), []string{"/n sum"}},
		"deep":            {ob("k", "n", take("o1.requirements.0.id")), []string{"/n o1.requirements.0.id"}},
		"texts":           {ob("k", "a", "{{o1.value}} and {{ o2.x-y.Z }}", "b", object1{"c/d": []any{1, "{{o3}}"}}), []string{"/a o1.value", "/a o2.x-y.Z", "/b/c~1d/1 o3"}},
		"below a member":  {ob("k", "n", []any{take("o1.value"), object1{"a/b": take("o2")}}), []string{"/n/0 o1.value", "/n/1/a~1b o2"}},
		"more than from":  {ob("k", "m", object1{"from": "o1.value", "to": 1}, "o", object1{"from": 1}, "p", object1{`{{""}}from`: "o1.value"}), nil},
		"another's steps": {ob("k", "steps", []any{take("o1.value")}), []string{"/steps/0 o1.value"}},
		"braces":          {ob("k", "n", `{{"{{"}}o1.value}} {{o2}}`), []string{"/n o2"}},
		"steps": {plan("", ob("k", "n", take("o2.value")), called("x", ob("k", "n", "{{sum.value}}{{x.y}}")), plan("", ob("k", "n", take("x.value")), ob("k", "n", take("far.value")))),
			[]string{"/steps/1/payload/n sum.value", "/steps/2/payload/steps/1/payload/n far.value"}},
	} {
		t.Run(name, func(t *testing.T) {
			var found []string
			for _, ref := range Needs(c.o) {
				found = append(found, ref.At+" "+ref.String())
			}
			require.Equal(t, c.want, found)
		})
	}
}

func TestSteps(t *testing.T) {
	require.Nil(t, Steps(ob("plan", "steps", []any{1})), "only an ACHIEVE has steps")
	require.Equal(t, []planning.Obligation{{}, called("x", ob("k"))}, Steps(planning.Obligation{Type: planning.Achieve,
		Payload: object1{"kind": "plan", "steps": []any{1, object1{"type": "REPORT", "name": "x", "payload": object1{"kind": "k"}}}}}))
	inner := ob("k")
	require.Equal(t, []planning.Obligation{ob("a"), plan("", plan("", inner)), plan("", inner), inner}, All([]planning.Obligation{ob("a"), plan("", plan("", inner))}))
	_, is := StepsIn(1)
	require.False(t, is)
	_, is = StepsIn(object1{"type": "ACHIEVE", "payload": object1{"kind": "k", "steps": 1}})
	require.False(t, is)
	steps, is := StepsIn(object1{"type": "ACHIEVE", "payload": object1{"kind": "plan", "steps": 1}})
	require.True(t, is)
	require.Equal(t, 1, steps)
	require.Equal(t, []string{"o3", "x"}, []string{NameOf(ob("k"), 2), NameOf(called("x", ob("k")), 2)})
}

func TestWhatIsScheduledRefersToItself(t *testing.T) {
	later := planning.Obligation{Type: planning.Schedule, Payload: object1{"at": take("o1.value"), "obligations": []any{
		object1{"type": "REPORT", "name": "x", "payload": object1{"kind": "k", "n": take("y.value")}}}}}
	require.Nil(t, Scheduled(ob("k", "obligations", []any{1})))
	require.Equal(t, []planning.Obligation{{Type: planning.Report, Name: "x", Payload: object1{"kind": "k", "n": take("y.value")}}}, Scheduled(later))
	needs := Needs(later)
	require.Len(t, needs, 1)
	require.Equal(t, "o1.value", needs[0].String())
	resolved, err := Resolve(later, Values{func(string) any { return object1{"value": "2026-12-01T02:00:00Z"} }, func(int) error { return nil }})
	require.NoError(t, err)
	require.Equal(t, "2026-12-01T02:00:00Z", resolved.Payload["at"])
	require.Equal(t, later.Payload["obligations"], resolved.Payload["obligations"])
}

func TestTheOrder(t *testing.T) {
	for name, c := range map[string]struct {
		list []planning.Obligation
		want []int
	}{
		"as they stand":    {[]planning.Obligation{ob("k"), ob("k"), ob("k")}, []int{0, 1, 2}},
		"a later one":      {[]planning.Obligation{ob("k", "n", take("o3")), ob("k"), ob("k"), ob("k")}, []int{1, 2, 0, 3}},
		"backwards":        {[]planning.Obligation{ob("k", "n", take("o2")), ob("k", "n", take("o3")), ob("k")}, []int{2, 1, 0}},
		"two for one":      {[]planning.Obligation{ob("k", "n", "{{o2}}{{o4}}"), ob("k"), ob("k", "n", take("o1")), ob("k")}, []int{1, 3, 0, 2}},
		"a step's":         {[]planning.Obligation{plan("", ob("k", "n", take("sum.value"))), called("sum", ob("k"))}, []int{1, 0}},
		"unknown is apart": {[]planning.Obligation{ob("k", "n", take("o9")), ob("k")}, []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Order(c.list)) })
	}
}

func TestResolving(t *testing.T) {
	results := object1{
		"o1":    object1{"value": "4", "n": 3.5, "big": jsontext.Value("12345678901234567890"), "yes": true, "list": []any{"a", object1{"id": "R-1"}}, "none": nil},
		"input": object1{"person": "Ann {{o1.value}}"},
	}
	resolve := func(o planning.Obligation) (planning.Obligation, error) {
		return Resolve(o, Values{func(name string) any { return results[name] }, func(int) error { return nil }})
	}
	got, err := resolve(ob("k", "a", take("o1.list.1.id"), "b", take("o1.none"), "c", "{{o1.n}} {{o1.big}} {{o1.yes}} {{input.person}}", "d", []any{1, "x", "{{o1.value}}"},
		"e", object1{"plain": "text", "f": "{{o1.value}}!"}, "g", []any{"as it is"}, "h", object1{"as": "it is"}, "i", `{{"{{"}}o1.value}}`, "j", take("o1"),
		"k", []any{take("o1.n"), object1{"l": take("o1.list")}}, "m", object1{`{{"{{"}}n}}`: 1, `{{""}}from`: "o1"}, "steps", []any{take("o1.value")}))
	require.NoError(t, err)
	require.Equal(t, ob("k", "a", "R-1", "b", nil, "c", "3.5 12345678901234567890 true Ann {{o1.value}}", "d", []any{1, "x", "4"},
		"e", object1{"plain": "text", "f": "4!"}, "g", []any{"as it is"}, "h", object1{"as": "it is"}, "i", "{{o1.value}}", "j", results["o1"],
		"k", []any{3.5, object1{"l": results["o1"].(object1)["list"]}}, "m", object1{"{{n}}": 1, "from": "o1"}, "steps", []any{"4"}), got)
	asked := plan("p", ob("k", "n", take("o1")))
	got, err = resolve(asked)
	require.NoError(t, err)
	require.Equal(t, asked, got)
	results["o1"].(object1)["wrong"] = jsontext.Value("{")
	for _, c := range [][2]string{
		{"{{o1.none}}", "is no text, number or boolean"}, {"{{o1.list}}", "is no text, number or boolean"}, {"{{o1.list.7}}", "the result of o1 has no list.7"},
		{"{{o1.value.x}}", "the result of o1 has no value.x"}, {"{{o1.list.-1}}", "the result of o1 has no list.-1"}, {"{{o1.list.2}}", "no list.2"}, {"{{o1.list.x}}{{o2.y}}", "no list.x"}, {"{{o1.wrong}}", "cannot be written as a number"},
	} {
		_, err := resolve(ob("k", "n", c[0]))
		require.ErrorIs(t, err, fault.Conflict)
		require.Contains(t, fault.As(err).Detail, c[1])
	}
}

// What is taken is bounded by who gives it, and each result is asked for once, whatever refers to it.
//
// Verifies: ORC-256
func TestWhatIsTakenIsCounted(t *testing.T) {
	asked, taken := 0, 0
	values := Values{
		Of: func(string) any {
			asked++
			return object1{"text": strings.Repeat("x", 100), "list": []any{jsontext.Value("12"), true, object1{"a": "b"}}}
		},
		Take: func(bytes int) error {
			if taken += bytes; taken > 1000 {
				return fault.New(fault.Invalid, "too_much", "no more")
			}
			return nil
		},
	}
	o, err := Resolve(ob("k", "n", "{{o1.text}}{{o1.text}}", "m", []any{take("o1.list")}), values)
	require.NoError(t, err)
	require.Len(t, o.Payload["n"], 200)
	require.Equal(t, 1, asked)
	require.Equal(t, 2*104+4+(2+4)+4+(4+1+4+1+4), taken)

	asked, taken = 0, 0
	_, err = Resolve(ob("k", "n", strings.Repeat("{{o1.text}}", 50_000), "o", "{{o2.text}}"), values)
	require.Equal(t, fault.Code("too_much"), fault.As(err).Code)
	require.Equal(t, []int{1, 10 * 104}, []int{asked, taken}, "nothing is taken after the first that is refused")
}

// What stands in a formula is one number: nothing of it joins what stands beside it.
//
// Verifies: ORC-250
func TestValuesInAFormula(t *testing.T) {
	for _, c := range []struct {
		value     any
		of, wants string
	}{
		{"4", "{{o1.value}}*2", "4*2"}, {"2.5", "1+{{o1.value}}", "1+2.5"}, {7.0, "{{o1.value}}%2", "7%2"},
		{"-4", "{{o1.value}}**2", "(-4)**2"}, {"1/3", "6/{{o1.value}}", "6/(1/3)"}, {-0.5, "{{o1.value}}**2", "(-0.5)**2"},
		{"1+1", "{{o1.value}}*2", ""}, {"(1", "{{o1.value}})*2", ""}, {true, "{{o1.value}}+1", ""}, {"", "1{{o1.value}}", ""},
		{"1+1", "{{o1.value}}", "1+1"},
	} {
		o, err := Resolve(planning.Obligation{Type: planning.Report, Payload: map[string]any{"kind": "query.math", "expr": c.of}},
			Values{Of: func(string) any { return map[string]any{"value": c.value} }, Take: func(int) error { return nil }})
		if c.wants == "" {
			require.ErrorContains(t, err, "is no number, and cannot be part of a formula", "%v", c.value)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.wants, o.Payload["expr"])
	}
}

func TestLiterals(t *testing.T) {
	for _, text := range []string{"plain", "{{o1.value}}", "a {{ b", `{{"{{"}}`, "{{{{"} {
		o := ob("k", "n", text, "m", []any{object1{"deep": text, text: 1}, take("o1.value")}, "o", take(text), "p", 1)
		literal := Literal(o)
		require.Empty(t, Needs(literal))
		require.NoError(t, Check([]planning.Obligation{literal}, none))
		back, err := Resolve(literal, Values{})
		require.NoError(t, err)
		require.Equal(t, o, back, "what is literal stands for itself")
	}
}

func TestWhatIsStated(t *testing.T) {
	for _, value := range []any{take("o1.value"), "a {{o1.value}}", []any{"{{o1}}"}, []any{take("o1")}, object1{"{{o1}}": 1}, "a {{ b"} {
		_, is := Stated(value, true)
		require.False(t, is, "%v", value)
	}
	_, is := Stated("x", false)
	require.False(t, is)
	for value, want := range map[any]string{"x": "x", `a {{"{{"}}b`: "a {{b"} {
		stated, is := Stated(value, true)
		require.True(t, is)
		require.Equal(t, want, stated)
	}
}

func none(planning.Obligation) []*planning.Contract { return nil }

// of returns the contracts of a test: each kind has a tool that takes and produces what is said of it.
func of(kinds map[string][2]object1) Candidates {
	return func(o planning.Obligation) []*planning.Contract {
		c, has := kinds[o.Kind()]
		if !has {
			return nil
		}
		contract := &planning.Contract{Produces: c[1]}
		for name, schema := range c[0] {
			contract.Consumes = append(contract.Consumes, planning.Input{Name: name, Schema: schema.(object1)})
		}
		return []*planning.Contract{contract}
	}
}

func TestChecks(t *testing.T) {
	text, number := object1{"type": "string"}, object1{"type": "integer"}
	closed := func(members object1) object1 {
		return object1{"type": "object", "properties": members, "additionalProperties": false}
	}
	candidates := of(map[string][2]object1{
		"text": {{"n": text}, closed(object1{"value": text})}, "number": {{"n": number}, closed(object1{"value": number, "list": object1{"type": "array", "items": text}})},
		"any": {{}, object1{"type": "object"}}, "list": {{"n": object1{"type": "array", "items": text}}, object1{}},
	})
	guardrail := planning.Obligation{Type: planning.Maintain, Payload: object1{"condition": "{{o2.value}}"}}
	for name, c := range map[string]struct {
		list []planning.Obligation
		want string
	}{
		"nothing":                {[]planning.Obligation{ob("text", "n", "x")}, ""},
		"a text":                 {[]planning.Obligation{ob("text"), ob("text", "n", take("o1.value"))}, ""},
		"a number in a text":     {[]planning.Obligation{ob("number"), ob("text", "n", "{{o1.value}}")}, ""},
		"an item":                {[]planning.Obligation{ob("number"), ob("text", "n", take("o1.list.0"))}, ""},
		"another type":           {[]planning.Obligation{ob("number"), ob("text", "n", take("o1.value"))}, "/obligations/1/payload/n value_type o1.value is of the type number, and n takes string"},
		"a list in a text":       {[]planning.Obligation{ob("number"), ob("text", "n", "{{o1.list}}")}, "/obligations/1/payload/n value_type o1.list is of the type array, and a text takes texts, numbers and booleans"},
		"no such value":          {[]planning.Obligation{ob("text"), ob("text", "n", take("o1.x"))}, "/obligations/1/payload/n no_such_value no result of REPORT(text) has x"},
		"what is not known":      {[]planning.Obligation{ob("nobody"), ob("text", "n", take("o1.x")), ob("any"), ob("text", "n", take("o3.x.y")), ob("nobody", "n", take("o1.z")), ob("any", "n", take("o1"))}, ""},
		"itself":                 {[]planning.Obligation{ob("text", "n", take("o1.value"))}, "/obligations/0/payload/n cycle o1 refers to itself"},
		"a circle":               {[]planning.Obligation{ob("text"), ob("text", "n", take("o3.value")), ob("text", "n", take("c.value")), called("c", ob("text", "n", take("o2.value")))}, "/obligations/1/payload cycle these obligations wait for one another: o2 → o3 → c → o2"},
		"behind a circle":        {[]planning.Obligation{ob("text", "n", take("o2.value")), ob("text", "n", take("o3.value")), ob("text", "n", take("o2.value"))}, "/obligations/1/payload cycle these obligations wait for one another: o2 → o3 → o2"},
		"unknown":                {[]planning.Obligation{ob("text", "n", take("nobody.value"))}, "/obligations/0/payload/n unknown_obligation there is no obligation nobody"},
		"no reference":           {[]planning.Obligation{ob("text", "n", take("Nobody value"))}, "/obligations/0/payload/n/from reference_syntax this is no reference"},
		"braces":                 {[]planning.Obligation{ob("text", "n", "a {{b")}, "/obligations/0/payload/n reference_syntax the text has {{, and no reference follows"},
		"a name of a place":      {[]planning.Obligation{called("o1", ob("text"))}, "/obligations/0/name obligation_name the name o1 is taken"},
		"a name twice":           {[]planning.Obligation{called("x", ob("text")), called("x", ob("text"))}, "/obligations/1/name obligation_name the name x is taken"},
		"a guardrail refers":     {[]planning.Obligation{guardrail, ob("text")}, "/obligations/0/payload/condition reference_syntax a guardrail is checked before anything runs, and cannot refer to o2.value"},
		"a guardrail's value":    {[]planning.Obligation{{Type: planning.Avoid, Payload: object1{}}, ob("text", "n", take("o1.value"))}, "/obligations/1/payload/n no_such_value o1 is a guardrail"},
		"that of a verification": {[]planning.Obligation{{Type: planning.Verify, Payload: object1{"kind": "answers"}}, ob("text", "n", take("o1.value"))}, "/obligations/1/payload/n no_such_value o1 verifies"},
		"steps":                  {[]planning.Obligation{called("a", ob("text")), plan("p", ob("text", "n", take("a.value")), ob("text", "n", take("o1.value"))), ob("text", "n", take("p.o2.value"))}, ""},
		"a plan in a plan":       {[]planning.Obligation{plan("", plan("in", called("x", ob("number")))), ob("number", "n", take("o1.in.x.value")), ob("any", "n", take("o1"))}, ""},
		"no such step":           {[]planning.Obligation{plan("", ob("text")), ob("text", "n", take("o1.o2.value"))}, "/obligations/1/payload/n no_such_value no result of ACHIEVE(plan) has o2.value"},
		"a step's type":          {[]planning.Obligation{called("a", ob("number")), plan("", ob("text", "n", take("a.value")))}, "/obligations/1/payload/steps/0/payload/n value_type a.value"},
		"a step and its plan":    {[]planning.Obligation{plan("p", ob("text", "n", take("p.o1.value")))}, "/obligations/0/payload cycle these obligations wait for one another: p → p"},
		"a type deep":            {[]planning.Obligation{ob("number"), ob("list", "n", []any{1, take("o1.value")})}, "/obligations/1/payload/n/1 value_type o1.value is of the type number, and n takes string"},
		"a value deep":           {[]planning.Obligation{ob("text"), ob("list", "n", []any{take("o1.value"), take("o1.nothing")})}, "/obligations/1/payload/n/1 no_such_value"},
		"no reference deep":      {[]planning.Obligation{ob("any", "n", []any{object1{"a": take("a b")}})}, "/obligations/0/payload/n/0/a/from reference_syntax"},
		"a name of a member":     {[]planning.Obligation{ob("text"), ob("any", "n", object1{"{{o1.value}}": "x"})}, "/obligations/1/payload/n/{{o1.value}} reference_syntax the name of a member cannot refer"},
		"a name with braces":     {[]planning.Obligation{ob("any", "{{n", "x")}, "/obligations/0/payload/{{n reference_syntax the name of a member"},
		"a guardrail's depth":    {[]planning.Obligation{ob("text"), {Type: planning.Maintain, Payload: object1{"condition": "true", "n": []any{take("o1.value")}}}}, "/obligations/1/payload/n/0 reference_syntax a guardrail"},
		"a verification in plan": {[]planning.Obligation{plan("", ob("text"), planning.Obligation{Type: planning.Verify, Payload: object1{}})}, "/obligations/0/payload/steps/1/payload step a VERIFY of answers"},
		"another verification":   {[]planning.Obligation{plan("", planning.Obligation{Type: planning.Verify, Payload: object1{"kind": "audit"}})}, ""},
		"a step unknown":         {[]planning.Obligation{plan("p", plan("q", ob("text", "n", take("r.value"))))}, "/obligations/0/payload/steps/0/payload/steps/0/payload/n unknown_obligation there is no obligation r"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(c.list, candidates)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, fault.Malformed)
			field := fault.As(err).Fields[0]
			require.NotEmpty(t, field.Fix)
			require.True(t, strings.HasPrefix(field.Pointer+" "+string(field.Code)+" "+field.Detail, c.want), "%v", field)
		})
	}
}

func TestStepsOfContracts(t *testing.T) {
	require.Equal(t, "/steps/0/payload step", func() string {
		f := CheckSteps("/steps", []planning.Obligation{{Type: planning.Verify, Payload: object1{"kind": "answers"}}}, nil, none)[0]
		return f.Pointer + " " + string(f.Code)
	}())
	inputs := []planning.Input{{Name: "person", Schema: object1{"type": "string"}, Required: true}, {Name: "note", Schema: object1{}}, {Name: "tags", Schema: object1{"type": "array"}, Required: true}}
	for reference, want := range map[string]string{
		"{{input.person}}": "", "{{input.note}}": "/steps/0/payload/n unknown_obligation", "{{input.nobody}}": "/steps/0/payload/n unknown_obligation", "{{input}}": "/steps/0/payload/n unknown_obligation",
		"{{input.tags}}": "/steps/0/payload/n value_type", "{{o2.value}}": "", "{{o3.value}}": "/steps/0/payload/n unknown_obligation",
	} {
		found := CheckSteps("/steps", []planning.Obligation{ob("k", "n", reference), ob("k")}, inputs, none)
		if want == "" {
			require.Empty(t, found, reference)
			continue
		}
		require.Len(t, found, 1, reference)
		require.Equal(t, want, found[0].Pointer+" "+string(found[0].Code))
	}
}

func TestTypesOfSchemas(t *testing.T) {
	person := object1{"type": "object", "properties": object1{"name": object1{"type": "string"}, "age": object1{"type": "integer"}}}
	for name, c := range map[string]struct {
		schema object1
		path   string
		want   string
	}{
		"anything":           {object1{}, "", "null or boolean or number or string or array or object"},
		"below anything":     {object1{}, "x.0", "null or boolean or number or string or array or object"},
		"one of several":     {object1{"type": []any{"string", "null"}}, "", "null or string"},
		"an unknown type":    {object1{"type": "date"}, "", ""},
		"no type":            {object1{"type": 7}, "", ""},
		"a member":           {person, "age", "number"},
		"no member":          {person, "height", ""},
		"below a text":       {person, "name.x", ""},
		"others":             {object1{"properties": object1{}, "additionalProperties": object1{"type": "boolean"}}, "x", "boolean"},
		"no others":          {object1{"additionalProperties": false}, "x", ""},
		"by a pattern":       {object1{"patternProperties": object1{"^x": false}, "additionalProperties": false}, "xy", "null or boolean or number or string or array or object"},
		"by no pattern":      {object1{"patternProperties": object1{"^x": false}, "additionalProperties": false}, "y", ""},
		"a pattern apart":    {object1{"patternProperties": object1{"(?<a": false}, "additionalProperties": false}, "y", "null or boolean or number or string or array or object"},
		"an item":            {object1{"type": "array", "items": person}, "3.name", "string"},
		"a first item":       {object1{"type": "array", "prefixItems": []any{object1{"type": "number"}}, "items": false}, "0", "number"},
		"a further item":     {object1{"type": "array", "prefixItems": []any{object1{"type": "number"}}, "items": false}, "1", ""},
		"no item":            {object1{"type": "array"}, "x", ""},
		"a reference":        {object1{"$ref": "#/$defs/a~1b", "$defs": object1{"a/b": person}}, "age", "number"},
		"a reference astray": {object1{"$ref": "#/$defs/nobody"}, "age", "null or boolean or number or string or array or object"},
		"one to elsewhere":   {object1{"$ref": "other.json"}, "", "null or boolean or number or string or array or object"},
		"one to itself":      {object1{"$ref": "#"}, "x", "null or boolean or number or string or array or object"},
		"either":             {object1{"anyOf": []any{person, object1{"type": "string"}}}, "", "string or object"},
		"one of either":      {object1{"oneOf": []any{person, object1{"type": "string"}}}, "age", "number"},
		"all":                {object1{"type": "object", "properties": object1{"id": object1{}}, "allOf": []any{person, object1{"properties": object1{"x": object1{"type": "null"}}}}}, "age", "number"},
		"all and own":        {object1{"type": "object", "properties": object1{"age": object1{"type": []any{"string", "number"}}}, "allOf": []any{person}}, "age", "number"},
		"all without":        {object1{"type": "object", "properties": object1{"id": object1{}}, "allOf": []any{person}}, "height", ""},
		"all of nothing":     {object1{"type": "string", "allOf": []any{person}}, "age", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var path []string
			if c.path != "" {
				path = strings.Split(c.path, ".")
			}
			require.Equal(t, c.want, typesAt(c.schema, path).String())
		})
	}
}
