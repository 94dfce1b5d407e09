package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"orchestrator/internal/boundary/shell/toolchain"
)

func TestText(t *testing.T) {
	for command, text := range map[string]string{
		`rm "a b" 'c'\d`:                                    "rm\na b\ncd\n",
		"cat <<EOF > out\nsee $X a/b\nEOF":                  "EOF\nsee \n a/b\nout\ncat\n",
		"cat <<'EOF'\nplans/x\nEOF":                         "EOF\nplans/x\ncat\n",
		`bash -c 'rm .orchestrator/x'`:                      "bash\n-c\nrm .orchestrator/x\nrm\n.orchestrator/x\n",
		`touch .orch{estrator,}/x`:                          "touch\n.orchestrator/x\n.orch/x\n",
		`echo ${X:-.orchestrator}`:                          "echo\n.orchestrator\n",
		`D=.orchestrator; rm $D/x`:                          ".orchestrator\nrm\n.orchestrator/x\n",
		`case a in b) ;; esac; [[ c == "d" ]]; x=(e [1]=f)`: "a\nb\nc\nd\ne\nf\n",
		`rm "unterminated`:                                  "rm unterminated\n",
	} {
		got := Bash(command).Text
		for line := range strings.Lines(text) {
			require.Contains(t, strings.SplitAfter(got, "\n"), line, "%s: %q", command, got)
		}
	}
	require.Equal(t, "Set-Content\na\nb/c\nd\n", Unread("Set-Content \"a `b\\c\" 'd'", "").Text)
}

func TestWords(t *testing.T) {
	for command, words := range map[string][]string{
		"git log --oneline":         {"git", "log"},
		"git -C x log -5 HEAD":      {"git", "log", "HEAD"},
		"/usr/bin/foo -x a b c d e": {"foo", "a", "b", "c"},
		"Foo.EXE a":                 {"Foo", "a"},
		"make -j4 $X y":             {"make"},
		"$X y":                      nil,
		"npx cowsay hi":             {"cowsay", "hi"},
	} {
		require.Equal(t, words, Bash(command).Parts[0].Words, command)
	}
}

// Beyond its limits a command is ambiguous, no policy can vouch for it, and it takes no longer.
func TestLimits(t *testing.T) {
	nested := "true"
	for range 12 {
		quoted, err := syntax.Quote(nested, syntax.LangBash)
		require.NoError(t, err)
		nested = "eval " + quoted
	}
	for name, command := range map[string]string{
		"long":         strings.Repeat("a", maxCommand+1),
		"reparsed":     nested,
		"deep":         strings.Repeat("( ", 60) + "true" + strings.Repeat(")", 60),
		"substituted":  strings.Repeat("$(", 60) + "true" + strings.Repeat(")", 60),
		"wrapped":      strings.Repeat("nice ", 60) + "true",
		"very wrapped": strings.Repeat("env ", 16000) + "true",
		"very deep":    strings.Repeat("( ", 16000) + "true" + strings.Repeat(")", 16000),
		"parens":       strings.Repeat("((", 30000),
		"arithmetic":   "echo $((" + strings.Repeat("(", 20000) + "1" + strings.Repeat(")", 20000) + "))",
		"loops":        strings.Repeat("for i in a; do ", 2000) + "D=a" + strings.Repeat("; done", 2000),
	} {
		reading := Bash(command)
		require.Equal(t, Ambiguous, reading.Class(), name)
		for _, p := range reading.Parts {
			require.False(t, p.Unknown, name)
		}
	}
	require.Equal(t, Reads, Bash(strings.Repeat("( ", 40)+"true"+strings.Repeat(")", 40)).Class())
}

// What could grow without end is cut: variables that double, braces, many variables, long words.
func TestNoBlowUp(t *testing.T) {
	double := "a=xxxxxxxxxxxxxxxx; "
	for i := range 40 {
		double += string(rune('a'+i%26)) + strings.Repeat("_", i/26) + "=\"$a$a$a$a\"; a=\"$a$a\"; "
	}
	for name, command := range map[string]string{
		"doubling": double + "touch $a",
		"copies":   "a=" + strings.Repeat("x", maxValue) + strings.Repeat("; echo $a", 5000) + "; touch $a",
		"braces":   strings.Repeat("touch {a,b}{c,d}{e,f}{g,h}; ", 1500),
		"bodies":   strings.Repeat("touch {"+strings.Repeat("x", 500)+",b}{c,d}{e,f}{g,h}{i,j}; ", 100),
		"binding":  strings.Repeat("a=1; ", 6000) + "touch $b",
		"branches": strings.Repeat("true && a=1; ", 5000) + "touch $a",
		"folders":  strings.Repeat("cd abcdefgh; ", 4000) + "touch b",
		"open":     "touch " + strings.Repeat("{", 20000) + strings.Repeat("}", 20000),
		"begun":    "touch " + strings.Repeat("{a,", 15000),
		"word":     "touch " + strings.Repeat(`a\b`, 20000),
	} {
		reading := Bash(command)
		require.Equal(t, Writes, reading.Class(), name)
		require.Less(t, len(reading.Text), 20*maxCommand, name)
	}
}

func TestTablesAgree(t *testing.T) {
	owner := map[string]string{}
	claim := func(table, name string) {
		require.Empty(t, owner[name], "%s stands in %s and in %s", name, table, owner[name])
		require.NotEmpty(t, name)
		owner[name] = table
	}
	for _, row := range writers {
		claim("writers", row.name)
		require.Equal(t, row.class == Ambiguous, row.files == none, "%s writes nothing", row.name)
	}
	for _, name := range casesOf(t, "ReadsPlainly") {
		claim("readers", name)
	}
	for _, row := range readers {
		claim("readers", row.name)
		require.NotEqual(t, Writes, row.class, row.name)
	}
	for _, row := range sometimes {
		claim("sometimes", row.name)
	}
	for _, row := range interpreters {
		claim("interpreters", row.name)
	}
	for _, row := range wrappers {
		claim("wrappers", row.name)
	}
	for name, table := range owner {
		require.Nil(t, special(name), "%s stands in %s, and is special", name, table)
	}
	all := slices.Concat(readingSubcommands, writingSubcommands)
	for _, row := range subcommands {
		all = append(all, row.name)
	}
	for _, name := range all {
		claim("subcommands", name)
		program, _, two := strings.Cut(name, " ")
		require.True(t, two, name)
		require.NotContains(t, []string{"writers", "readers", "sometimes", "wrappers"}, owner[program],
			"%s is never looked up", name)
	}
	for _, row := range runners {
		claim("runners", row.name)
	}
	for _, row := range toolchain.SteeringRows() {
		require.NotContains(t, []string{"writers", "readers", "wrappers"}, owner[row.Name], "nobody vouches for %s",
			row.Name)
	}
	for _, verb := range gitVerbs {
		_, row := gitRows.find(verb.name)
		require.False(t, row, "git %s has a row and verbs", verb.name)
	}
}

// A name that stands out of order is not found.
func TestTablesAreInOrder(t *testing.T) {
	inOrder := func(what string, names []string) {
		require.NotEmpty(t, names, what)
		for i := 1; i < len(names); i++ {
			require.Less(t, names[i-1], names[i], what)
		}
	}
	for what, all := range map[string]names{
		"harmless": harmless, "asking": asking, "findLinks": findLinks, "fdRuns": fdRuns,
		"readingSubcommands": readingSubcommands, "writingSubcommands": writingSubcommands,
	} {
		inOrder(what, all)
	}
	for what, rows := range map[string]tools{"readers": readers, "writers": writers, "sometimes": sometimes,
		"subcommands": subcommands} {
		var names []string
		for _, row := range rows {
			names = append(names, row.name)
		}
		inOrder(what, names)
	}
	inOrder("interpreters", namesOf(interpreters))
	inOrder("gitRows", namesOf(gitRows))
	inOrder("gitVerbs", namesOf(gitVerbs))
	inOrder("wrappers", namesOf(wrappers))
	inOrder("runners", namesOf(runners))
}

func namesOf[V any](t table[V]) (names []string) {
	for _, row := range t {
		names = append(names, row.name)
	}
	return names
}

// Every option of every table is spelled so that it is found as it is meant.
func TestOptionTables(t *testing.T) {
	tables := []string{gitOptions, toolchain.Tar, awkOptions}
	for _, rows := range []tools{writers, readers, sometimes, subcommands} {
		for _, row := range rows {
			tables = append(tables, row.opts)
		}
	}
	for _, row := range gitRows {
		tables = append(tables, row.is.opts)
	}
	for _, row := range wrappers {
		tables = append(tables, row.is.opts)
	}
	for _, row := range runners {
		tables = append(tables, row.is)
	}
	tables = append(tables, toolchain.CurlOptions)
	for _, row := range slices.Concat(toolchain.Rows(), toolchain.SteeringRows()) {
		tables = append(tables, row.Opts, row.After)
	}
	for _, row := range interpreters {
		tables = append(tables, row.is)
	}
	for _, table := range tables {
		for entry := range strings.FieldsSeq(table) {
			name := strings.TrimRight(entry, optionMarks+":=")
			marks := entry[len(name):]
			require.LessOrEqual(t, len(marks), 2, entry)
			require.True(t, find(table, name).found, entry)
			require.Equal(t, strings.ContainsAny(marks, optionMarks), find(table, name).mark != 0, "%s in %s",
				entry, table)
		}
	}
}

func FuzzBash(f *testing.F) {
	for _, r := range rows(f) {
		if r.shell == "bash" {
			f.Add(r.command)
		}
	}
	f.Fuzz(func(t *testing.T, command string) {
		reading := Bash(command)
		require.Contains(t, []Class{Reads, Produces, Writes, Ambiguous}, reading.Class())
		if redirectsToFile(command) {
			require.NotContains(t, []Class{Reads, Produces}, reading.Class(), command)
		}
	})
}

// redirectsToFile reports whether a command is sure to hold > and a plain name.
func redirectsToFile(command string) (found bool) {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return false
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && r.Op == syntax.RdrOut {
			name := r.Word.Lit()
			found = found || name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz.") == ""
		}
		return true
	})
	return found
}

// A command of PowerShell is not read: whatever it says, it is ambiguous, and shows what of the data folder it names.
func FuzzPowerShell(f *testing.F) {
	for _, r := range rows(f) {
		if r.shell == "powershell" {
			f.Add(r.command)
		}
	}
	f.Fuzz(func(t *testing.T, command string) {
		reading := Unread(command, "why")
		require.Equal(t, []Part{{Class: Ambiguous, Why: "why"}}, reading.Parts)
		require.Equal(t, strings.Contains(reading.Text, ".orchestrator"), len(reading.Shown) > 0)
	})
}

// Who reads why a policy's word does not count sees what is to blame.
func TestWhyNobodyVouches(t *testing.T) {
	for command, why := range map[string]string{
		"CC=x go test":               "CC may lead go to other code",
		"set -a; make":               "set may lead make to other code",
		"make -C x":                  "make -C may run other code",
		"make CC=x":                  "a variable may lead make to other code",
		"f() { make; }; A=b f":       "A may lead f to other code",
		"go build -ldflags=-extld=x": "go -ldflags may run other code",
		"PATH=x make":                "PATH changes what programs do",
	} {
		var all []string
		for _, p := range Bash(command).Parts {
			all = append(all, p.Why)
		}
		require.Contains(t, all, why, command) // that it is not vouchable stands in commands.tsv
	}
	sent := Bash("curl -da x").Parts[0]
	require.Equal(t, "curl sends something", sent.Why)
	require.True(t, sent.Unknown)
	require.Equal(t, []string{"curl", "-da", "x"}, sent.All())
}
