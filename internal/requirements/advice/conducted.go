package advice

import (
	"regexp"
	"strings"
)

// ofRuns are the requests of the conductor that a command makes, with what takes their place. Of several that begin
// alike the longest comes first.
var ofRuns = []struct {
	request *regexp.Regexp
	command string
}{
	{regexp.MustCompile(`POST /obligations/([^ /]+)/answers \{"obligation":"([^"]+)"\}`), "answer $1 $2 VALUE"},
	{regexp.MustCompile(`GET /obligations lists the runs`), "answer lists the runs that ask you something"},
	{regexp.MustCompile(`GET /obligations/([^ /;,]+) says so`), "answer $1 says so"},
	{regexp.MustCompile(`GET /obligations/([^ /;,]+)`), "answer $1"},
	{regexp.MustCompile(`POST /obligations\b`), "conduct"},
	{regexp.MustCompile(`GET /traces/([^ /;,]+)`), "conduct --trace $1"},
	{regexp.MustCompile(`DELETE /schedules/\{id\}`), "schedules end ID"},
	{regexp.MustCompile(`DELETE /schedules/([^ /;,]+)`), "schedules end $1"},
	{regexp.MustCompile(`GET /schedules/([^ /;,]+)`), "schedules list --all"},
	{regexp.MustCompile(`GET /schedules(\?active=true)?`), "schedules list"},
	{regexp.MustCompile(`GET /tools\b`), "tools list"},
}

// conducted returns a text with commands in the place of the requests of the conductor that it names.
func conducted(text string) string {
	for _, one := range ofRuns {
		text = one.request.ReplaceAllString(text, program+one.command)
	}
	return strings.ReplaceAll(text, "{run}", "RUN")
}
