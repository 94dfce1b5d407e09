package shell

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/commands.tsv anew; read the difference before you keep it")

// A row of commands.tsv: the class, the targets (one that is not known whole ends in …), "vouch" where a policy
// may vouch for all that is ambiguous, the shell, and the command, whose line ends are ␤.
type example struct{ class, targets, vouch, shell, command string }

const commandsFile = "testdata/commands.tsv"

func rows(t testing.TB) []example {
	data, err := os.ReadFile(commandsFile)
	require.NoError(t, err)
	var all []example
	for line := range strings.Lines(string(data)) {
		cells := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
		require.Len(t, cells, 5, line)
		all = append(all, example{cells[0], cells[1], cells[2], cells[3], strings.ReplaceAll(cells[4], "␤", "\n")})
	}
	return all
}

func (r example) read() Reading {
	if r.shell == "powershell" {
		return Unread(r.command, "it is not read")
	}
	return Bash(r.command)
}

// told is the row as the package tells it.
func (r example) told() example {
	reading := r.read()
	var targets []string
	vouch := reading.Class() == Ambiguous
	for _, p := range reading.Parts {
		for _, target := range p.Targets {
			path := target.Path
			if !target.Known {
				path += "…"
			}
			targets = append(targets, path)
		}
		vouch = vouch && (p.Class == Reads || p.Class == Produces || p.Unknown)
	}
	r.class, r.targets, r.vouch = string(reading.Class()), strings.Join(targets, " , "), ""
	if vouch {
		r.vouch = "vouch"
	}
	return r
}

// Verifies: ORC-063
func TestCommands(t *testing.T) {
	all := rows(t)
	if *update {
		var b strings.Builder
		for _, r := range all {
			r = r.told()
			b.WriteString(strings.Join([]string{r.class, r.targets, r.vouch, r.shell, strings.ReplaceAll(r.command, "\n", "␤")}, "\t") + "\n")
		}
		require.NoError(t, os.WriteFile(commandsFile, []byte(b.String()), 0o644))
		return
	}
	seen := map[string]bool{}
	for _, r := range all {
		require.False(t, seen[r.shell+r.command], "twice: %s", r.command)
		seen[r.shell+r.command] = true
		require.Equal(t, r, r.told())
	}
}

// Whatever writes has a reason and a target, whatever is ambiguous a reason, and nothing that reads may be vouched for.
func TestPartsSayWhy(t *testing.T) {
	for _, r := range rows(t) {
		for _, p := range r.read().Parts {
			require.Equal(t, p.Class != Reads, p.Why != "", "%s: %+v", r.command, p)
			require.True(t, p.Class == Produces || (p.Class == Writes) == (len(p.Targets) > 0), "%s: %+v", r.command, p)
			require.True(t, p.Class == Reads || (p.Class == Produces) == (len(p.Runs) > 0), "%s: %+v", r.command, p)
			require.False(t, p.Unknown && (p.Class != Ambiguous || p.Words == nil), "%s: %+v", r.command, p)
			require.LessOrEqual(t, len(p.Words), 4)
		}
	}
}
