package settings

import (
	"errors"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"

	"orchestrator/internal/agentclient"
)

// tomlServers edits settings in TOML, line by line: each server is a table of its own.
type tomlServers struct{ agentclient.Servers }

func (t tomlServers) said(text []byte) (all map[string]any, err error) {
	all = map[string]any{}
	err = toml.Unmarshal(text, &all)
	return all, err
}

func (t tomlServers) bare(text []byte) bool { return strings.TrimSpace(string(text)) == "" }

func (t tomlServers) find(text []byte) (*Server, error) {
	all, err := t.said(text)
	entry := inTOML(all, t.Table, serverName)
	if err != nil || entry == nil {
		return nil, err
	}
	s := &Server{}
	s.Program, _ = inTOML(entry, "command").(string)
	if s.Program == "" {
		s.Program, _ = inTOML(entry, "url").(string)
	}
	args, _ := inTOML(entry, "args").([]any)
	for _, a := range args {
		word, _ := a.(string)
		s.Args = append(s.Args, word)
	}
	return s, nil
}

// members returns the lines that say what is started.
func (t tomlServers) members(s Server) (command, args string) {
	var words []any
	for _, a := range s.Args {
		words = append(words, a)
	}
	return "command = " + quote(s.Program), "args = " + style{}.value(words, "")
}

func (t tomlServers) with(text []byte, s Server) ([]byte, error) {
	if have, err := t.find(text); err != nil || have != nil {
		return t.changed(text, s), err
	}
	if t.isInline(text) {
		return nil, errors.New(t.Table + " is an inline table")
	}
	command, args := t.members(s)
	newline, lead := "\n", ""
	if strings.Contains(string(text), "\r\n") {
		newline = "\r\n"
	}
	if len(text) > 0 {
		if lead = newline; !strings.HasSuffix(string(text), "\n") {
			lead += newline
		}
	}
	header := "[" + t.Table + "." + serverName + "]"
	return []byte(string(text) + lead + header + newline + command + newline + args + newline), nil
}

// changed gives our entry the program and the arguments.
func (t tomlServers) changed(text []byte, s Server) []byte {
	command, args := t.members(s)
	lines := tomlLines(string(text))
	from, to, _ := t.block(lines)
	for i := from; i < to; i++ {
		ending := lines[i][len(strings.TrimRight(lines[i], "\r\n")):]
		switch key, _, _ := strings.Cut(lines[i], "="); strings.TrimSpace(key) {
		case "command":
			lines[i] = command + ending
		case "args":
			lines[i] = args + ending
		}
	}
	return []byte(strings.Join(lines, ""))
}

// isInline reports whether the table of servers is an inline one, which takes no tables after it.
func (t tomlServers) isInline(text []byte) bool {
	inline := regexp.MustCompile(`^\s*"?` + t.Table + `"?\s*=`)
	lines := tomlLines(string(text))
	for i, line := range lines {
		if inline.MatchString(line) && beginsHere(lines[:i]) {
			return true
		}
	}
	return false
}

// beginsHere reports whether a line after these begins something: it is within no text of several lines.
func beginsHere(before []string) bool {
	var all map[string]any
	return toml.Unmarshal([]byte(strings.Join(before, "")), &all) == nil
}

func (t tomlServers) without(text []byte) ([]byte, error) {
	lines := tomlLines(string(text))
	for from, to, found := t.block(lines); found; from, to, found = t.block(lines) {
		if from > 0 && strings.TrimSpace(lines[from-1]) == "" {
			from-- // the line that stands between
		}
		lines = append(lines[:from:from], lines[to:]...)
	}
	return []byte(strings.Join(lines, "")), nil
}

// ours finds the header of our table, and of those in it.
func (t tomlServers) ours() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\[\s*"?` + t.Table + `"?\s*\.\s*"?` + serverName + `"?\s*[.\]]`)
}

// block returns the lines of the first of our tables, without what stands between its last member and the next table.
func (t tomlServers) block(lines []string) (from, to int, found bool) {
	ours := t.ours()
	for from < len(lines) && !(ours.MatchString(lines[from]) && beginsHere(lines[:from])) {
		from++
	}
	if from == len(lines) {
		return 0, 0, false
	}
	to = from + 1
	for i := to; i < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[i]), "["); i++ {
		if line := strings.TrimSpace(lines[i]); line != "" && line[0] != '#' {
			to = i + 1
		}
	}
	return from, to, true
}

// tomlLines splits a text into lines with their ends.
func tomlLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}
