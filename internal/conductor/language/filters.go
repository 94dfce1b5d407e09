package language

import (
	"fmt"
	"strings"
	"sync"

	"orchestrator/internal/system/lazyregexp"
)

// clauses are what a list of requirements can be narrowed by. The slot's name is that of the filter.
var clauses = []string{
	"[(that|which) (are|is)] [in] [status] {status}",
	"[that|which] [are|is] (not|aren't|isn't) [yet] [in] [status] {not_status:status} [yet]",
	"(with|[that|which] have) [the] status {status}",
	"[(that|which) (are|is)] assigned to {assigned_to:name}",
	"of [the] kind {kind}",
	"[(that|which) (are|is)] waiting for [the] {role}",
	"[that|which] wait for [the] {role}",
	"[(that|which) (are|is)] {suspect:suspect}",
	"[(that|which) (are|is)] {retired:retired}",
	"(about|containing|[that|which] (mention|contain)) {q:word}",
}

var compiledClauses = sync.OnceValue(func() []*pattern {
	all := make([]*pattern, len(clauses))
	for i, say := range clauses {
		all[i] = compile(say)
	}
	return all
})

// clauseEnd finds what parts clauses, and the quoted texts in which nothing does.
var clauseEnd = lazyregexp.New(`"[^"]*"|(?i:,? and )|, `)

// readFilters reads clauses joined by "and" or commas. All have to be understood, and none may name a filter twice.
func readFilters(s string) (any, string) {
	filters := map[string]any{}
	for _, part := range splitClauses(s) {
		slots, why := readClause(part)
		if why != "" {
			return nil, why
		}
		for name, value := range slots {
			if _, twice := filters[name]; twice {
				return nil, fmt.Sprintf("it narrows the %s twice", strings.ReplaceAll(name, "_", " "))
			}
			filters[name] = value
		}
	}
	return filters, ""
}

func splitClauses(s string) []string {
	var parts []string
	from := 0
	for _, at := range clauseEnd().FindAllStringIndex(s, -1) {
		if s[at[0]] != '"' {
			parts = append(parts, s[from:at[0]])
			from = at[1]
		}
	}
	return append(parts, s[from:])
}

// readClause reads a text that exactly one clause covers.
func readClause(part string) (slots map[string]any, why string) {
	var near string
	for _, p := range compiledClauses() {
		found, reason, fits := p.read(part)
		switch {
		case !fits:
		case reason != "":
			near = reason
		case slots != nil:
			return nil, fmt.Sprintf("%q can be read in two ways", part)
		default:
			slots = found
		}
	}
	if slots != nil {
		return slots, ""
	}
	if near == "" {
		near = fmt.Sprintf("%q is not a way to choose requirements", part)
	}
	return nil, near
}
