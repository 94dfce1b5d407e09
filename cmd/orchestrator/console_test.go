package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// TestConsoles plays testdata/consoles/*.txtar against the real program: what a user types, and what is printed then.
// With -update the answers are written anew.
//
// A line "$ COMMAND", with the lines "> REST" after it, is run by a shell, as the coder. What it prints follows, and in
// brackets its exit code unless that is 0. A line "ROLE METHOD PATH" sends the lines up to "=> STATUS" as a request;
// the members of the answer follow. A blank line ends either. "project FOLDER" ends the service, has its log verified,
// and starts one over an empty store: with the files of the archive below all/ and below FOLDER/. In answers, RUN is
// the id of a run, TIME a moment, and DURATION how long it took; in commands, $RUN is the last run that was shown.
func TestConsoles(t *testing.T) {
	files, err := filepath.Glob("../../testdata/consoles/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			want := string(archive.Comment)
			c := &consolePlayer{t: t, files: archive.Files, lines: strings.Split(strings.TrimRight(want, "\n"), "\n")}
			for len(c.lines) > 0 {
				c.step()
			}
			c.end()
			got := c.out.String() + "\n"
			if *update {
				archive.Comment = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			require.Equal(t, want, got)
		})
	}
}

// consolePlayer walks the lines of a console, and writes it again with the answers of now.
type consolePlayer struct {
	t     *testing.T
	files []txtar.File
	lines []string
	out   strings.Builder
	p     *process
	run   string // the last one that was shown
}

// keep copies a line.
func (c *consolePlayer) keep() string {
	line := c.lines[0]
	c.lines = c.lines[1:]
	c.out.WriteString(line + "\n")
	return line
}

// ahead reports whether there is a further line in front of the next blank one.
func (c *consolePlayer) ahead() bool { return len(c.lines) > 0 && c.lines[0] != "" }

func (c *consolePlayer) step() {
	line := c.keep()
	switch command, is := strings.CutPrefix(line, "$ "); {
	case is:
		for c.ahead() && strings.HasPrefix(c.lines[0], "> ") {
			command += "\n" + strings.TrimPrefix(c.keep(), "> ")
		}
		c.answered(c.shell(command))
	case line == "" || strings.HasPrefix(line, "#"):
	case strings.HasPrefix(line, "project "):
		c.end()
		c.begin(strings.TrimPrefix(line, "project "))
	default:
		words := strings.Fields(line)
		require.Len(c.t, words, 3, line)
		var body []string
		for c.ahead() && !strings.HasPrefix(c.lines[0], "=> ") {
			body = append(body, c.keep())
		}
		got, err := c.p.call(request{role: words[0], method: words[1], path: words[2], body: strings.Join(body, "\n")})
		require.NoError(c.t, err)
		c.answered(fmt.Sprintf("=> %d\n%s", got.status, membersOf(c.t, got.body)))
	}
}

// answered writes an answer in the place of the one before.
func (c *consolePlayer) answered(text string) {
	for c.ahead() {
		c.lines = c.lines[1:]
	}
	if found := runID.FindAllString(text, -1); found != nil {
		c.run = found[len(found)-1]
	}
	text = aMoment.ReplaceAllString(runID.ReplaceAllString(text, "RUN"), "TIME")
	text = aDuration.ReplaceAllString(text, "${1}DURATION")
	c.out.WriteString(requestID.ReplaceAllString(text, "REQUEST"))
}

var (
	runID     = regexp.MustCompile(`\b[0-9a-f]{16}\b`)
	aMoment   = regexp.MustCompile(`\b20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	aDuration = regexp.MustCompile(`( after )[0-9.]+m?s\b`)
	requestID = regexp.MustCompile(`urn:request:[A-Za-z0-9-]+`)
)

func (c *consolePlayer) shell(command string) string {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = c.p.dir
	cmd.Env = append(os.Environ(), "RUN="+c.run, "ORCHESTRATOR_TOKEN_FILE=.orchestrator/tokens/coder.token")
	printed, _ := cmd.CombinedOutput()
	require.NoError(c.t, noTrace(string(printed)))
	text := string(printed)
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		text += fmt.Sprintf("[%d]\n", code)
	}
	return text
}

// begin starts a service over an empty store.
func (c *consolePlayer) begin(folder string) {
	dir := c.t.TempDir()
	for _, f := range c.files {
		name, of := strings.CutPrefix(f.Name, "all/")
		if !of {
			if name, of = strings.CutPrefix(f.Name, folder+"/"); !of {
				continue
			}
		}
		path := filepath.Join(dir, name)
		require.NoError(c.t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(c.t, os.WriteFile(path, f.Data, 0o700))
	}
	c.p = startServer(c.t, dir)
}

// end ends the service, whose log must be in order.
func (c *consolePlayer) end() {
	if c.p != nil {
		require.NoError(c.t, c.p.stop(0))
		requireInOrder(c.t, c.p.dir)
	}
}

// membersOf writes an object with a line for each member.
func membersOf(t *testing.T, body string) string {
	var out strings.Builder
	d := jsontext.NewDecoder(strings.NewReader(body))
	_, err := d.ReadToken()
	require.NoError(t, err, body)
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		require.NoError(t, err)
		out.WriteString("  " + name.String() + ": ")
		value, err := d.ReadValue()
		require.NoError(t, err)
		_ = value.Compact()
		out.WriteString(strings.ReplaceAll(string(value), "},{", "},\n    {") + "\n")
	}
	return out.String()
}
