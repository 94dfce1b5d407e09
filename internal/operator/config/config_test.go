package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func TestAProjectWithoutSettings(t *testing.T) {
	tree, err := config.ReadTree(t.Context(), t.TempDir())
	require.NoError(t, err)
	require.Empty(t, tree)
	local, err := config.ReadLocal(t.Context(), datadir.Dir(t.TempDir()))
	require.NoError(t, err)
	require.Empty(t, local)
}

func TestTheTreeIsReadAsItWasWritten(t *testing.T) {
	for _, tree := range []config.Tree{
		{},
		{Documents: []string{"REQUIREMENTS.md"}},
		{Documents: []string{"openspec/specs/*/spec.md", "it's: # odd", "on", "1.0", "~"},
			Family: "openspec", Qualify: "folder"},
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, config.TreeFile), string(tree.Encode()))
		got, err := config.ReadTree(t.Context(), root)
		require.NoError(t, err)
		require.Equal(t, tree, got)
	}
}

func TestOneDocumentNeedsNoList(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, config.TreeFile), "documents: docs/*.md\n")
	got, err := config.ReadTree(t.Context(), root)
	require.NoError(t, err)
	require.Equal(t, []string{"docs/*.md"}, got.Documents)
}

func TestLocalSettingsAreReadAsTheyWereWritten(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	want := config.Local{Evidence: "verify", Branch: "on", Workflow: "rework", Export: "a b/status.json",
		Addr: "127.0.0.1:0", LogFormat: "json", LogLevel: "warn", URL: "https://example.org", TokenFile: ".orchestrator/it's", StoreFile: "store.url"}
	require.NoError(t, config.WriteLocal(data, want))
	got, err := config.ReadLocal(t.Context(), data)
	require.NoError(t, err)
	require.Equal(t, want, got)
	info, err := os.Stat(data.File(config.LocalFile))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
}

func TestEverySettingCanBeSetAndUnset(t *testing.T) {
	values := map[string]string{"evidence": "record", "branch": "main", "workflow": "v1", "export": "x.json",
		"addr": "127.0.0.1:1", "log_format": "json", "log_level": "debug", "url": "http://127.0.0.1:1",
		"token_file": "t", "store": "postgres://db.example.org/shop", "store_file": "s"}
	require.Len(t, config.Keys(), len(values))
	for _, key := range config.Keys() {
		set, err := config.Local{}.With(key, values[key])
		require.NoError(t, err, key)
		require.Equal(t, values[key], set.Get(key))
		unset, err := set.With(key, "")
		require.NoError(t, err)
		require.Equal(t, config.Local{}, unset)
	}
	require.Empty(t, config.Local{}.Get("color"))
}

func TestWhatASettingDoesNotTake(t *testing.T) {
	for _, c := range [][3]string{
		{"evidence", "yes", "use verify or record"},
		{"workflow", "v2", "use v1 or rework"},
		{"log_level", "loud", "use debug, info, warn or error"},
		{"branch", "a\nb", "one line"},
		{"documents", "x.md", "orchestrator.yaml"},
		{"color", "red", "use evidence, branch"},
	} {
		_, err := config.Local{}.With(c[0], c[1])
		require.ErrorContains(t, err, c[2], c[0])
		require.NotEmpty(t, fault.As(err).Fix)
	}
	require.Error(t, config.WriteLocal(datadir.Dir(t.TempDir()), config.Local{Evidence: "yes"}))
}

// Verifies: ORC-155
func TestBrokenFilesAreRefusedWithTheirLine(t *testing.T) {
	for content, want := range map[string]string{
		"documents: [a.md]\nworkflow: rework\n":             `:2: orchestrator.yaml does not say "workflow"`,
		"family: prose\n":                                   `:1: "prose" is no value of family`,
		"documents: [/etc/passwd]\n":                        `:1: "/etc/passwd" is no value of documents`,
		"documents:\n- a.md\n- ../b.md\n":                   `:3: "../b.md" is no value of documents`,
		"qualify: folder\nqualify: none\n":                  ":2: qualify stands there twice",
		"colour: red\n":                                     "use documents, family and qualify",
		"qualify:\n":                                        ":1: qualify has no value",
		"qualify: [folder]\n":                               ":1: qualify has no value",
		"qualify: !!str folder\n":                           ":1: qualify has no value",
		"qualify: &a folder\n":                              ":1: qualify has no value",
		"qualify: &a folder\nfamily: *a\n":                  ":1: qualify has no value",
		"documents: {a: b}\n":                               ":1: documents has no value",
		"- a\n":                                             ":1: this is not a list",
		"? [a]\n: b\n":                                      ":1: this is not a name",
		"qualify: folder\n---\nqualify: none\n":             "second document",
		"qualify: folder\n---\n\t:\n":                       "is not YAML",
		"qualify: \"folder\n":                               "line 2",
		"qualify: \xff\n":                                   "not UTF-8",
		"documents: [" + strings.Repeat("a,", 1001) + "]\n": "more than 1000",
		"# " + strings.Repeat("x", 64<<10):                  "cannot be read",
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, config.TreeFile), content)
		_, err := config.ReadTree(t.Context(), root)
		require.ErrorContains(t, err, want, content)
		require.NotEmpty(t, fault.As(err).Fix, content)
	}
}

func TestCommentsAloneSetNothing(t *testing.T) {
	for _, content := range []string{"", "# nothing\n", "\n\n"} {
		root := t.TempDir()
		write(t, filepath.Join(root, config.TreeFile), content)
		tree, err := config.ReadTree(t.Context(), root)
		require.NoError(t, err)
		require.Empty(t, tree)
	}
}

// TestNothingElseThanAFileIsRead: a link could lead to a file whose lines an error would print.
func TestNothingElseThanAFileIsRead(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink("other", path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, "other"), "family: openspec\n")
			require.NoError(t, make(filepath.Join(root, config.TreeFile)))
			_, err := config.ReadTree(t.Context(), root)
			require.ErrorContains(t, err, "cannot be read")
		})
	}
}

func TestTheRootIsLookedForUpwards(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	require.NoError(t, os.MkdirAll(deep, 0o700))
	_, found := config.Root(deep)
	require.False(t, found)

	require.NoError(t, os.Mkdir(filepath.Join(top, datadir.Default), 0o700))
	root, found := config.Root(deep)
	require.True(t, found)
	require.Equal(t, top, root)

	write(t, filepath.Join(top, "a", config.TreeFile), "")
	root, _ = config.Root(deep)
	require.Equal(t, filepath.Join(top, "a"), root, "the nearest one counts")

	require.NoError(t, os.Mkdir(filepath.Join(deep, ".git"), 0o700))
	_, found = config.Root(deep)
	require.False(t, found, "a repository of its own is no part of the project above it")
	root, _ = config.Root(filepath.Join(top, "a"))
	require.Equal(t, filepath.Join(top, "a"), root)
}

// TestWhatAStrangerPutAboveIsPassedOver needs a user who can give files away.
func TestWhatAStrangerPutAboveIsPassedOver(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	top := t.TempDir()
	mine := filepath.Join(top, "mine")
	require.NoError(t, os.Mkdir(mine, 0o700))
	foreign := filepath.Join(top, config.TreeFile)
	write(t, foreign, "")
	require.NoError(t, os.Chown(foreign, 12345, 12345))
	_, found := config.Root(mine)
	require.False(t, found)
	root, found := config.Root(top)
	require.True(t, found, "the folder itself was chosen by the user")
	require.Equal(t, top, root)
	require.NoError(t, os.Chown(mine, 12345, 12345))
	_, found = config.Root(mine)
	require.True(t, found, "both are of one owner, as in a container")
}

// FuzzTree: whatever the tree holds, what is read can be written, and is then read again as it was.
func FuzzTree(f *testing.F) {
	for _, seed := range []string{"documents: [a.md]\nfamily: kiro\n", "qualify: none", "documents: 'x: y'", "? a\n: b", "{}", "a: &b [*b]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		root := t.TempDir()
		write(t, filepath.Join(root, config.TreeFile), content)
		tree, err := config.ReadTree(t.Context(), root)
		if err != nil {
			require.NotEmpty(t, fault.As(err).Fix, "%q", content)
			return
		}
		write(t, filepath.Join(root, config.TreeFile), string(tree.Encode()))
		again, err := config.ReadTree(t.Context(), root)
		require.NoError(t, err, "%q", content)
		require.Equal(t, strings.Join(tree.Documents, "\x00"), strings.Join(again.Documents, "\x00"))
		require.Equal(t, []string{tree.Family, tree.Qualify}, []string{again.Family, again.Qualify})
	})
}
