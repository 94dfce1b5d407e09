package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/durable"
)

// spaced is an export whose ids a shell would take apart.
const spaced = `{"schema_version":1,"project":{"name":"Shop"},"workflow":"v1","log":{"size":6},"summary":{},"requirements":[
{"id":"cli-list/Output Format","title":"It's: $HOME"},{"id":"cli-list/Output File","title":""},
{"id":"cli-list/Empty & \"odd\" $x","title":"B"},{"id":"cli-list/It's $x","title":""},{"id":"REQ-001","title":"C"}]}`

// inBash defines what the package bash-completion has, as far as it is needed here, and prints the arguments that a
// command line has whose last word is completed.
const inBash = `
_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD; }
__ltrim_colon_completions() { :; }
compopt() { :; }
source <(orchestrator completion bash)
COMP_WORDS=(orchestrator review "$1") COMP_CWORD=2 COMP_TYPE=9 COMP_LINE="orchestrator review $1" COMP_POINT=999
__start_orchestrator
quote=; [[ $1 == [\'\"]* ]] && quote=${1:0:1} # which readline leaves, and closes
for reply in "${COMPREPLY[@]}"; do eval "printf '<%s>' $quote$reply$quote"; done
`

const inFish = `
orchestrator completion fish | source
for reply in (complete -C --escape "orchestrator review $argv[1]" | string replace -r '\t.*' '')
    eval "printf '<%s>' $reply"
end
`

// inZsh types into a terminal, and prints what is then on the command line.
const inZsh = `
zmodload zsh/zpty
zpty -b z zsh -f -i
expect() { local got=; while [[ $got != *$~1* ]]; do zpty -r z chunk || { sleep 0.05; continue }; got+=$chunk; done; REPLY=$got }
zpty -w z 'PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; source <(orchestrator completion zsh); compdef _orchestrator orchestrator; show() { print -r -- "<$3>END" }; bindkey -s "^X" "^Ashow ^E^M"; print rea''dy'
expect '*ready*'
zpty -n -w z "orchestrator review $1"$'\t'
sleep 2
zpty -n -w z $'\x18'
expect '*END*'
print -r -- "${${REPLY%END*}##*$'\n'}"
`

// TestIDsAreCompletedInEachShell: what a shell puts onto the command line is one argument, whatever the id holds. It
// needs the shells.
func TestIDsAreCompletedInEachShell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "project_status.json"), []byte(spaced), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "orchestrator.yaml"), nil, 0o600))
	require.NoError(t, os.Symlink(program(), filepath.Join(dir, "orchestrator")))
	for _, c := range []struct{ shell, code, typed, want string }{
		{"bash", inBash, "cli-list/E", `<cli-list/Empty & "odd" $x>`},
		{"bash", inBash, "cli-list/O", "<cli-list/Output Format><cli-list/Output File>"},
		{"bash", inBash, `cli-list/Output\ Fo`, "<cli-list/Output Format>"},
		{"bash", inBash, "R", "<REQ-001>"},
		{"bash", inBash, `'cli-list/O`, "<cli-list/Output Format><cli-list/Output File>"},
		{"bash", inBash, `'cli-list/Output Fo`, "<cli-list/Output Format>"},
		{"bash", inBash, `"cli-list/Output Fo`, "<cli-list/Output Format>"},
		{"bash", inBash, `"cli-list/E`, `<cli-list/Empty & "odd" $x>`},
		{"bash", inBash, `'cli-list/It`, `<cli-list/It's $x>`},
		{"bash", inBash, `"R`, "<REQ-001>"},
		{"fish", inFish, "cli-list/E", `<cli-list/Empty & "odd" $x>`},
		{"fish", inFish, "cli-list/O", "<cli-list/Output File><cli-list/Output Format>"},
		{"fish", inFish, `cli-list/Output\ Fo`, "<cli-list/Output Format>"},
		{"fish", inFish, `'cli (touch run) $(touch run); touch run' --fo`, "<--format>"},
		{"zsh", inZsh, `'cli (touch run) $(touch run); touch run' --fo`, "<cli (touch run) $(touch run); touch run>"},
		{"zsh", inZsh, "cli-list/E", `<cli-list/Empty & "odd" $x>`},
		{"zsh", inZsh, `cli-list/Output\ Fo`, "<cli-list/Output Format>"},
	} {
		if _, err := exec.LookPath(c.shell); err != nil {
			t.Logf("%s is not installed", c.shell)
			continue
		}
		args := map[string][]string{"bash": {"-c", c.code, "bash", c.typed}, "fish": {"-c", c.code, c.typed}, "zsh": {"-f", "-c", c.code, "zsh", c.typed}}
		cmd := exec.Command(c.shell, args[c.shell]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TERM=dumb", "HOME="+dir)
		out, err := cmd.Output()
		require.NoError(t, err, "%s %s", c.shell, c.typed)
		require.Equal(t, c.want, strings.TrimSpace(string(out)), "%s %s", c.shell, c.typed)
		require.NoFileExists(t, filepath.Join(dir, "run"), "%s runs %s", c.shell, c.typed)
	}
}

// TestACompletionWaitsForNobody: where a service does not answer at once, the export says which ids there are.
func TestACompletionWaitsForNobody(t *testing.T) {
	t.Parallel()
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hanging.Close)
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".orchestrator", "tokens"), 0o700))
	addr := filepath.Join(dir, ".orchestrator", "addr")
	for path, content := range map[string]string{addr: strings.TrimPrefix(hanging.URL, "http://") + "\n",
		filepath.Join(dir, ".orchestrator", "tokens", "viewer.token"): "orc_viewer_X\n",
		filepath.Join(dir, "project_status.json"):                     spaced} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	unlock, err := durable.Lock(addr, 0)
	require.NoError(t, err)
	t.Cleanup(unlock)
	for _, settings := range []string{"", "orchestrator.yaml", filepath.Join(".orchestrator", "settings.yaml")} {
		if settings != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, settings), nil, 0o600))
		}
		begun := time.Now()
		out, code := orchestrate(t, dir, "__complete", "review", "R")
		require.Zero(t, code, out)
		require.Less(t, time.Since(begun), 5*time.Second, "it is 300 ms, and this machine may be busy")
		require.Contains(t, out, "REQ-001\tC\n", settings)
		require.NotContains(t, out, "cli-list")
	}
}
