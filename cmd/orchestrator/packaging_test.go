package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// requireRunnable requires that a command line, without the program, is one that this program has.
func requireRunnable(t *testing.T, words []string) {
	t.Helper()
	cmd, rest, err := rootCommand().Find(words)
	require.NoError(t, err, "%v", words)
	require.True(t, cmd.HasParent(), "%v", words)
	require.NoError(t, cmd.ParseFlags(rest), "%v", words)
}

func readYAML(t *testing.T, path string, v any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../..", path))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(content, v))
}

// What others' tools are told to run is there: by pre-commit, by GitHub, by systemd, by a container.
func TestPackagesRunCommandsThatExist(t *testing.T) {
	var hooks []struct{ ID, Entry string }
	readYAML(t, ".pre-commit-hooks.yaml", &hooks)
	require.Len(t, hooks, 3)
	for _, h := range hooks {
		words := strings.Fields(h.Entry)
		require.Equal(t, "orchestrator", words[0])
		requireRunnable(t, words[1:])
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Using string }
	}
	readYAML(t, "action.yml", &action)
	require.Equal(t, "composite", action.Runs.Using)
	requireRunnable(t, strings.Fields(action.Inputs["command"].Default))

	unit, err := os.ReadFile("../../packaging/orchestrator@.service")
	require.NoError(t, err)
	image, err := os.ReadFile("../../packaging/Dockerfile")
	require.NoError(t, err)
	for _, pattern := range []string{`ExecStart=/usr/bin/orchestrator (.*)`, `HEALTHCHECK .*CMD \["orchestrator", "(.*)"\]`, `CMD \["(serve)"\]`} {
		found := regexp.MustCompile(pattern).FindSubmatch(slices.Concat(unit, image))
		require.NotNil(t, found, pattern)
		requireRunnable(t, strings.Fields(string(found[1])))
	}
	known := map[string]bool{}
	serveCommand().Flags().VisitAll(func(f *pflag.Flag) {
		known["ORCHESTRATOR_"+strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))] = true
	})
	for _, name := range regexp.MustCompile(`ORCHESTRATOR_[A-Z_]+`).FindAllString(string(unit)+string(image), -1) {
		require.True(t, known[name], "serve has no variable %s", name)
	}
}

// The action runs the commands that it is for, and nothing that stands in its input.
func TestTheActionRunsOnlyItsCommands(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("this needs bash, which is not installed")
	}
	temp := t.TempDir()
	bin := filepath.Join(temp, "orchestrator-bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "orchestrator"), []byte("#!/bin/sh\nprintf '%s,' \"$@\"\n"), 0o755))
	run := func(command string) (string, error) {
		cmd := exec.Command(bash, "../../packaging/action.sh", "run")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "RUNNER_TEMP=" + temp, "COMMAND=" + command}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("gate --since origin/main * $(id)")
	require.NoError(t, err)
	require.Equal(t, "gate,--since,origin/main,*,$(id),", out)
	for _, command := range []string{"", "serve", "token add pm x", "gate;id", "/bin/sh"} {
		_, err := run(command)
		require.Error(t, err, command)
	}
}
