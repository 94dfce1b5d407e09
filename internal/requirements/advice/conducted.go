package advice

import (
	"regexp"
	"strings"

	"orchestrator/internal/system/lazyregexp"
)

// ofRuns are the requests of the conductor that a command makes, with what takes their place. Of several that begin
// alike the longest comes first.
var ofRuns = []struct {
	request func() *regexp.Regexp
	command string
}{
	{lazyregexp.New(`POST /obligations/([^ /]+)/answers \{"obligation":"([^"]+)"\}`), "answer $1 $2 VALUE"},
	{lazyregexp.New(`GET /obligations lists the runs`), "answer lists the runs that ask you something"},
	{lazyregexp.New(`GET /obligations/([^ /;,]+) says so`), "answer $1 says so"},
	{lazyregexp.New(`GET /obligations/([^ /;,]+)`), "answer $1"},
	{lazyregexp.New(`POST /obligations\b`), "conduct"},
	{lazyregexp.New(`GET /traces/([^ /;,]+)`), "conduct --trace $1"},
	{lazyregexp.New(`DELETE /schedules/\{id\}`), "schedules end ID"},
	{lazyregexp.New(`DELETE /schedules/([^ /;,]+)`), "schedules end $1"},
	{lazyregexp.New(`GET /schedules/([^ /;,]+)`), "schedules list --all"},
	{lazyregexp.New(`GET /schedules(\?active=true)?`), "schedules list"},
	{lazyregexp.New(`GET /tools\b`), "tools list"},
}

// conducted returns a text with commands in the place of the requests of the conductor that it names.
func conducted(text string) string {
	for _, one := range ofRuns {
		text = one.request().ReplaceAllString(text, program+one.command)
	}
	return strings.ReplaceAll(text, "{run}", "RUN")
}
