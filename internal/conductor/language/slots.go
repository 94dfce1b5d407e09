package language

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"orchestrator/internal/conductor/language/days"
	"orchestrator/internal/conductor/language/names"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/lazyregexp"
)

// slotType is what may stand in a slot: the text it matches, and how its value is read, or why it is none.
type slotType struct {
	match string
	read  func(string) (value any, why string)
}

const (
	quotedText = `"[^"]+"`
	nameText   = quotedText + `|\pL[\pL\pM'.-]*(?: \pL[\pL\pM'.-]*){0,4}?` // what may follow it counts first
	wordsText  = `\pL+(?:[ _-]\pL+){0,2}?`
)

// outcomes are how PM settles a deviation, by the words for it.
var outcomes = map[string]string{"accept": "accepted", "fix": "fixed", "reject": "rejected"}

// slotTypes are all types of slots. It is filled in init, since filters are read by patterns themselves.
var slotTypes map[string]slotType

// wholeSlots are the texts of slots, by type. It is filled in init, as slotTypes is.
var wholeSlots = map[string]func() *regexp.Regexp{}

func init() {
	slotTypes = map[string]slotType{
		"expr": {`(?:[-+*/%().,0-9×÷−= ]|plus|minus|times|divided by|multiplied by|modulo|mod|to the power of)+` +
			`|[-+(]*[0-9][^\s"]*`, readExpression}, // the latter to say that it is none: 1e3, 2^10, 5!
		"letter":       {`(?:"[^"]*"|'[^']*'|[\pL\pM]{1,4}|[^\s\pL"'])(?:'?s)?`, readLetter},
		"word":         {`"[^"]*"|[^\s"]+`, readText},
		"id":           {quotedText + `|[\pL\pN][\pL\pN._/-]*`, readID},
		"status":       {statusText() + "|" + wordsText, readStatus},
		"did":          {doneTo, readDone},
		"known_status": {statusText(), readStatus},
		"kind":         {wordsText, func(s string) (any, string) { return folded(s), "" }},
		"role":         {`project manager|\pL+`, readRole},
		"relation":     {`\pL+(?:-\pL+)?`, readRelation},
		"name":         {nameText, readName(names.Person)},
		"place":        {nameText, readName(names.Place)},
		"zone":         {`[-+][0-9]{2}:[0-9]{2}|\pL[\pL_]*(?:/[\pL0-9_+-]+){1,2}|\pL[\pL_]*(?: \pL+){0,2}?`, days.ReadZone},
		"suspect":      {`suspect`, func(string) (any, string) { return true, "" }},
		"retired":      {`retired`, func(string) (any, string) { return true, "" }},
		"reason": {`.+`, func(s string) (any, string) {
			return unquote(trim(courtesyAfter().ReplaceAllString(s, ""))), ""
		}},
		"filters":     {`.+`, readFilters},
		"day":         {`today|yesterday|[0-9]{4}-[0-9]{2}-[0-9]{2}`, days.Read},
		"period":      {days.PeriodText, days.ReadPeriod},
		"clock":       {days.ClockText, days.ReadClock},
		"moment":      {days.MomentText, days.ReadMoment},
		"sentence":    {`.+`, readText},
		"outcome":     {`accept|fix|reject`, func(s string) (any, string) { return outcomes[strings.ToLower(s)], "" }},
		"deviation":   {`[A-Za-z0-9][A-Za-z0-9._-]*`, readID},
		"fingerprint": {`sha256:[0-9a-f]{64}`, func(s string) (any, string) { return strings.ToLower(s), "" }},
	}
	for typ, of := range slotTypes {
		wholeSlots[typ] = lazyregexp.New("(?i)^(?:" + of.match + ")$")
	}
}

var (
	oneLetter = lazyregexp.New(`^(?:"(\pL\pM*)"|'(\pL\pM*)'|(\pL\pM*))(?:'[sS])?$`)
	letterAnd = lazyregexp.New(`^(\pL\pM*)[sS]$`)
)

// readLetter takes one letter, alone or as one of several: r, "r", r's. What may be two letters, such as rs, is refused.
func readLetter(s string) (any, string) {
	if several := letterAnd().FindStringSubmatch(s); several != nil {
		return nil, fmt.Sprintf("%s may be two letters; of one, several are %s's", s, several[1])
	}
	found := oneLetter().FindStringSubmatch(s)
	if found == nil {
		return nil, fmt.Sprintf("%s is not one letter", s)
	}
	return strings.Join(found[1:], ""), ""
}

func readText(s string) (any, string) {
	text := unquote(s)
	if strings.TrimSpace(text) == "" {
		return nil, "the text is empty"
	}
	return text, ""
}

// folded returns a word of the product as it is written there: design_ready for "Design ready".
func folded(s string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(s))
}

var (
	thousands    = lazyregexp.New(`\b[0-9]{1,3}(?:,[0-9]{3})+\b`)
	neighbours   = lazyregexp.New(`[0-9.] +[0-9.]`)
	percent      = lazyregexp.New(`% *[^0-9(. ]`)
	dateLike     = lazyregexp.New(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	wholeFormula = lazyregexp.New(`^[-+(.0-9][-+*/%(). 0-9]*[-+*/%][-+*/%(). 0-9]*[0-9.)]$`)
	operators    = strings.NewReplacer("×", "*", "÷", "/", "−", "-",
		"to the power of", "**", "multiplied by", "*", "divided by", "/", "plus", "+", "minus", "-", "times", "*",
		"modulo", "%", "mod", "%")
)

// readExpression returns an expression as math.eval takes it, without the words and signs that only people use. What it
// means is not looked at, but what can mean two things is refused.
func readExpression(s string) (any, string) {
	expr := operators.Replace(strings.ToLower(s))
	expr = thousands().ReplaceAllStringFunc(expr, func(n string) string { return strings.ReplaceAll(n, ",", "") })
	expr = strings.TrimRight(expr, " =")
	switch {
	case strings.ContainsAny(expr, ",="):
		return nil, fmt.Sprintf("%q has a comma or an equals sign: decimals have a point", s)
	case neighbours().MatchString(expr):
		return nil, fmt.Sprintf("%q has two numbers with nothing between them", s)
	case percent().MatchString(expr):
		return nil, fmt.Sprintf("%q has a percent sign without a number behind it: it is the remainder of a division", s)
	case dateLike().MatchString(expr):
		return nil, fmt.Sprintf("%q looks like a date", s)
	case !wholeFormula().MatchString(expr):
		return nil, fmt.Sprintf("%q is not an expression of decimal numbers and + - * / %% **", s)
	}
	return expr, ""
}

// readID takes an id as it is written. One without a digit has to stand in quotes, since it looks like any word.
func readID(s string) (any, string) {
	if id := unquote(s); id != s || strings.ContainsFunc(s, unicode.IsDigit) {
		return id, ""
	}
	return nil, fmt.Sprintf("%q does not look like an id; an id without digits stands in double quotes", s)
}

// doneTo matches what somebody may have done to a requirement.
const doneTo = `approved|signed off|rejected|designed|implemented|tested|planned|blocked|deferred|postponed|sent back|finished|completed`

// readDone returns the name of what was done.
func readDone(s string) (any, string) {
	did := folded(s)
	for _, other := range [][2]string{{"signed_off", lifecycle.Approved}, {"postponed", string(lifecycle.Deferred)},
		{"sent_back", string(lifecycle.NeedsChanges)}, {"finished", string(lifecycle.Done)}, {"completed", string(lifecycle.Done)}} {
		if did == other[0] {
			return other[1], ""
		}
	}
	return did, ""
}

func readStatus(s string) (any, string) {
	if status := lifecycle.Status(folded(s)); status.Valid() {
		return string(status), ""
	}
	return nil, fmt.Sprintf("%q is not a status; those are %s", s, joined(lifecycle.Statuses()))
}

// statusText matches the statuses themselves, so that it can stand between words of a pattern.
func statusText() string {
	var all []string
	for _, status := range lifecycle.Statuses() {
		all = append(all, strings.ReplaceAll(string(status), "_", "[ _-]"))
	}
	return strings.Join(all, "|")
}

func readRole(s string) (any, string) {
	if strings.EqualFold(s, "project manager") {
		return string(lifecycle.PM), ""
	}
	if role := lifecycle.Role(strings.ToLower(s)); slices.Contains(lifecycle.Roles(), role) {
		return string(role), ""
	}
	return nil, fmt.Sprintf("%q is not a role; those are %s", s, joined(lifecycle.Roles()))
}

func joined[T ~string](names []T) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return strings.Join(all, ", ")
}

// relations are what people may be to the user: the word of one, and of many.
var relations = [][2]string{
	{"friend", "friends"}, {"colleague", "colleagues"}, {"coworker", "coworkers"},
	{"neighbour", "neighbours"}, {"neighbor", "neighbors"},
	{"brother", "brothers"}, {"sister", "sisters"}, {"parent", "parents"},
	{"mother", "mothers"}, {"father", "fathers"}, {"child", "children"},
	{"son", "sons"}, {"daughter", "daughters"}, {"cousin", "cousins"}, {"customer", "customers"},
	{"manager", "managers"},
}

func readRelation(s string) (any, string) {
	word := strings.ToLower(s)
	for _, r := range relations {
		if word == r[0] || word == r[1] {
			return r[0], ""
		}
	}
	return nil, fmt.Sprintf("%q is not a relation that is known: friend, colleague, brother and the like", s)
}

func readName(what string) func(string) (any, string) {
	return func(s string) (any, string) {
		if text := unquote(s); text != s {
			return text, ""
		}
		return names.Of(s, what)
	}
}
