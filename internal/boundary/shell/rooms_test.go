package shell

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What outlasts a subshell: options of the shell and names of names change how all words are read, and what does not
// end takes what follows with it.
var outlasts = regexp.MustCompile(`GLOBIGNORE|shopt|dotglob|declare|typeset|local|export|readonly|nameref|<<|#|\\$`)

// TestACommandIsReadTheSameAmongOthers: the words, paths and programs of a command share their rooms with those of all
// others. Read after another command, it has the parts and the text that it has alone.
func TestACommandIsReadTheSameAmongOthers(t *testing.T) {
	all := slices.DeleteFunc(rows(t), func(r example) bool {
		return r.shell != "bash" || len(r.command) > 2000 || outlasts.MatchString(r.command) ||
			slices.ContainsFunc(Bash("("+r.command+"\n)").Parts, func(p Part) bool { return strings.Contains(p.Why, "parsed") })
	})
	require.Greater(t, len(all), 1000)
	commands := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return "(" + rapid.SampledFrom(all).Draw(t, "row").command + "\n)"
	}), 2, 8)
	rapid.Check(t, func(t *rapid.T) {
		list := commands.Draw(t, "commands")
		together := Bash(strings.Join(list, "\n"))
		var parts []Part
		var text strings.Builder
		for _, command := range list {
			alone := Bash(command)
			parts = append(parts, alone.Parts...)
			text.WriteString(alone.Text)
		}
		require.Equal(t, text.String(), together.Text)
		require.Equal(t, parts, together.Parts)
	})
}

// TestAPlainWordIsReadAsAnyOther: most words are taken as they stand, and the others are put together from their parts.
func TestAPlainWordIsReadAsAnyOther(t *testing.T) {
	plain := rapid.StringMatching(`[a-zA-Z0-9_./:@%+,=-]{1,12}`)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(plain, 1, 6).Draw(t, "words")
		var parted []string
		for _, word := range words {
			cut := rapid.IntRange(0, len(word)).Draw(t, "cut")
			parted = append(parted, word[:cut]+`""`+word[cut:])
		}
		program := rapid.SampledFrom([]string{"cat", "rm", "sort", "sed", "git add", "grep", "cp", "tee", "frob"}).
			Draw(t, "program")
		require.Equal(t, Bash(program+" "+strings.Join(words, " ")), Bash(program+" "+strings.Join(parted, " ")))
	})
}

// TestAWordWithinAnother: it does not overwrite what has been put together of the other one.
func TestAWordWithinAnother(t *testing.T) {
	for command, shown := range map[string]string{
		"cat ab${zz:-c*d}ef": "abc*def", `cat ab${zz:-"c"${yy:-d*e}f}g`: "abcd*efg", "cat ab${zz:-c}d*e": "abcd*e",
	} {
		require.Contains(t, Bash(command).Shown, Target{Path: shown, Known: true}, command)
	}
}

// TestWhatAltersTheEnvironmentIsNamed: its name outlasts the call.
func TestWhatAltersTheEnvironmentIsNamed(t *testing.T) {
	for command, why := range map[string]string{
		`\export A; true; frob`:             "export may lead frob to other code",
		"command local A; true; frob":       "local may lead frob to other code",
		"set -a; true && true; make x":      "set may lead make to other code",
		"f() { set -a; }; f; true; frob":    "f may lead frob to other code",
		"sudo nice sh -c 'true; make x'":    "sudo may lead make to other code",
		"nice sudo nice sh -c 'true; frob'": "sudo may lead frob to other code",
	} {
		parts := Bash(command).Parts
		require.Equal(t, why, parts[len(parts)-1].Why, command)
	}
}
