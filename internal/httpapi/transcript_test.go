package httpapi_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/lifecycle"
)

var update = flag.Bool("update", false, "write the answers into the transcripts")

// TestTranscripts plays testdata/transcripts/*.transcript against the service. A transcript is text for people: comments,
// requests, and under each request the answer. With -update the answers are written anew.
//
// A request is a line "WHO METHOD PATH", then lines "Name: value" for headers, then its body (a line that is a
// Go string literal stands for raw bytes). Its answer begins with "=> STATUS". Other lines:
// "document" takes the lines up to "end" as the requirement document and imports it; "specification PATH" takes them as a
// further one; "workflow rework" in the
// first lines chooses the workflow; "token NAME ROLE" adds a token; "call ID ACTOR TOOL FILE" has a hook judge a call.
//
// "repository" in the first lines has evidence looked up in a git repository, whose first commit is empty. Then "file PATH"
// takes the lines up to "end" as a file of its working tree; "commit MESSAGE" commits the working tree but for reports/, and
// shows the id; "forget" takes the last commit out of the history; "later DURATION" advances the clock.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../../testdata/transcripts/*.transcript")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got := play(t, string(want))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			require.Equal(t, string(want), got)
		})
	}
}

// player walks the lines of a transcript and writes it again with the answers of now.
type player struct {
	t     *testing.T
	h     *harness
	clone clone
	lines []string
	out   strings.Builder
}

func play(t *testing.T, text string) string {
	p := &player{t: t, lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}
	choose := []func(*options){func(o *options) {
		if strings.Contains(text, "\nworkflow rework\n") {
			o.Workflow = lifecycle.Rework
		}
	}}
	if strings.Contains(text, "\nrepository\n") {
		choose = append(choose, inRepository(t, &p.clone, nil))
	}
	p.h = newHarness(t, choose...)
	for len(p.lines) > 0 {
		p.step()
	}
	return p.out.String()
}

func (p *player) take() string {
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line
}

// keep copies a line of the transcript.
func (p *player) keep() string {
	line := p.take()
	p.out.WriteString(line + "\n")
	return line
}

func (p *player) step() {
	line := p.keep()
	words := strings.Fields(line)
	switch {
	case len(words) == 0 || words[0] == "#" || words[0] == "workflow" || words[0] == "repository":
	case words[0] == "token":
		p.h.addToken(words[1], lifecycle.Role(words[2]))
	case words[0] == "document":
		p.h.write(p.text())
	case words[0] == "specification":
		p.h.specs = append(p.h.specs, reqdoc.File{Path: words[1], Content: []byte(p.text())})
	case words[0] == "file":
		p.clone.write(words[1], p.text(), p.h.Clock.Now())
	case words[0] == "commit":
		p.take() // the id as it was
		p.out.WriteString("=> " + p.clone.commit(strings.Join(words[1:], " ")) + "\n")
	case words[0] == "forget":
		p.clone.git("reset", "-q", "--hard", "HEAD~1")
	case words[0] == "call":
		p.h.judged(words[1], boundary.ActorKind(words[2]), words[3], words[4])
	case words[0] == "later":
		d, err := time.ParseDuration(words[1])
		require.NoError(p.t, err)
		p.h.Clock.Advance(d)
	case len(words) == 3:
		p.request(words[0], words[1], words[2])
	default:
		p.t.Fatalf("not a line of a transcript: %q", line)
	}
}

// text is what stands up to a line "end".
func (p *player) text() string {
	var text []string
	for {
		line := p.keep()
		if line == "end" {
			break
		}
		text = append(text, line)
	}
	return strings.Join(text, "\n") + "\n"
}

var header = regexp.MustCompile(`^[A-Z][A-Za-z-]+: `)

func (p *player) request(who, method, path string) {
	var headers []string
	var body []string
	for len(p.lines) > 0 && p.lines[0] != "" && !strings.HasPrefix(p.lines[0], "=> ") {
		line := p.keep()
		if name, value, ok := strings.Cut(line, ": "); ok && body == nil && header.MatchString(line) {
			headers = append(headers, name, value)
			continue
		}
		body = append(body, line)
	}
	for len(p.lines) > 0 && p.lines[0] != "" {
		p.take() // the answer as it was
	}
	if who == "nobody" {
		who = ""
	}
	r := p.h.do(who, method, path, bodyOf(p.t, body), headers...)
	p.answer(r)
}

func bodyOf(t *testing.T, lines []string) string {
	text := strings.Join(lines, "\n")
	if strings.HasPrefix(text, `"`) {
		raw, err := strconv.Unquote(text)
		require.NoError(t, err)
		return raw
	}
	return text
}

// madeOfBytes is an ETag that says nothing to a reader.
var madeOfBytes = regexp.MustCompile(`^"[A-Za-z0-9_-]{20}"$`)

// shown are the headers that a transcript shows.
var shown = []string{"ETag", "Export-Status", "Idempotent-Replay", "Dry-Run", "Allow", "Accept-Patch", "Retry-After", "WWW-Authenticate"}

func (p *player) answer(r response) {
	p.out.WriteString("=> " + strconv.Itoa(r.Status))
	for _, name := range shown {
		if value := r.Header.Get(name); value != "" && !madeOfBytes.MatchString(value) {
			p.out.WriteString("  " + name + ": " + value)
		}
	}
	p.out.WriteString("\n")
	if len(r.Body) == 0 {
		return
	}
	lines, err := perMember(r.Body)
	switch {
	case strings.HasPrefix(r.Header.Get("Content-Type"), "text/markdown"):
		lines = "  | " + strings.ReplaceAll(strings.TrimSuffix(string(r.Body), "\n"), "\n", "\n  | ") + "\n"
	case err != nil:
		lines = "(" + strconv.Itoa(len(r.Body)) + " bytes)\n"
	}
	p.out.WriteString(varying.ReplaceAllString(lines, "$1<varies>"))
}

// varying is what differs from run to run: request ids, and the root of a log that holds them.
var varying = regexp.MustCompile(`(urn:request:|"request_id":"|root"?: ?")[A-Za-z0-9+/=-]{12,}`)

// perMember writes an object with a line for each member, and each element of an array of objects.
func perMember(body []byte) (string, error) {
	var out strings.Builder
	d := jsontext.NewDecoder(bytes.NewReader(body))
	if _, err := d.ReadToken(); err != nil {
		return "", err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return "", err
		}
		out.WriteString("  " + name.String() + ": ")
		value, err := d.ReadValue()
		if err != nil {
			return "", err
		}
		_ = value.Compact()
		out.WriteString(strings.ReplaceAll(string(value), "},{", "},\n    {") + "\n")
	}
	return out.String(), nil
}
