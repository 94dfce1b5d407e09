package doctor

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newClone makes what git brings of a project: the data folder with its .gitignore, and no log, key or token.
func newClone(t *testing.T) Options {
	t.Helper()
	o := newProject(t)
	remove(".orchestrator")(t, &o)
	must(t, os.Mkdir(".orchestrator", 0o755))
	putting(".orchestrator/.gitignore", "*\n")(t, &o)
	return o
}

// TestACloneIsNotDamaged: its log is elsewhere, and no start here would be right.
func TestACloneIsNotDamaged(t *testing.T) {
	o := newClone(t)
	r := examine(t, o)
	require.True(t, r.Healthy, "%+v", r)
	require.Contains(t, found(r, "service")[0].Advice, "orchestrator config set url URL")
	requireNoStart(t, r)

	must(t, os.MkdirAll(".orchestrator/tokens", 0o700))
	must(t, os.Chmod(".orchestrator", 0o700))
	write(t, ".orchestrator/tokens/ada.token", "orc_architect_x\n")
	write(t, ".orchestrator/serve.log", "orchestrator: the database does not exist\n  fix: do this\n")
	write(t, ".orchestrator/settings.yaml", "url: http://127.0.0.1:1\ntoken_file: .orchestrator/tokens/ada.token\n")
	write(t, "REQUIREMENTS.md", shop+"- **REQ-002**: More.\n")
	r = examine(t, o)
	requireNoStart(t, r)
	require.Empty(t, found(r, "database"))
	require.Empty(t, found(r, "tokens"))
	require.Contains(t, found(r, "leftovers")[0].Mend, "rm -- ")
	for _, f := range r.Findings {
		require.False(t, f.Level == Problem && f.About != "service", "%+v", f)
	}

	must(t, os.Chmod(".orchestrator", 0o755))
	require.NotEmpty(t, found(examine(t, o), "secrets"), "with a token in it")
}

// requireNoStart requires that no finding says to start a service, or to restore a database.
func requireNoStart(t *testing.T, r Report) {
	t.Helper()
	for _, f := range r.Findings {
		require.False(t, strings.HasSuffix(f.Mend, "orchestrator up"), "%+v", f)
		require.NotContains(t, f.Advice, "restore", "%+v", f)
	}
}

// TestTheTokensThatCommandsUse: without these files the commands here fail, so they are made anew and not removed.
func TestTheTokensThatCommandsUse(t *testing.T) {
	for _, role := range []string{"pm", "viewer"} {
		for name, spoil := range map[string]func(*testing.T, *Options){
			"unknown": putting(".orchestrator/tokens/"+role+".token", "garbage\n"),
			"gone":    remove(".orchestrator/tokens/" + role + ".token"),
		} {
			t.Run(role+" "+name, func(t *testing.T) {
				o := newProject(t)
				spoil(t, &o)
				is := found(examine(t, o), "tokens")
				require.Len(t, is, 1)
				require.Contains(t, is[0].Mend, "orchestrator token add "+role+" "+role+" --force --out ")
			})
		}
	}
}

// TestACommittedSecretIsReplaced: removing it from the index leaves it in the history.
func TestACommittedSecretIsReplaced(t *testing.T) {
	o := newProject(t)
	runGit(t, "add", "-f", o.Data.Token("pm"), o.Data.Key())
	is := found(examine(t, o), "repository")
	require.Contains(t, is[0].Mend, " rm --cached -- ")
	require.Contains(t, is[0].Advice, "orchestrator token revoke --name pm && orchestrator token add pm pm --force --out ")
	require.Contains(t, is[1].Mend, " rm --cached -- ")
	require.Contains(t, is[1].Advice, "--accept-new-key REASON")
}

// TestNoStartThatWouldFail: what a start needs is mended first.
func TestNoStartThatWouldFail(t *testing.T) {
	for about, spoil := range map[string]func(*testing.T, *Options){
		"settings": putting(".orchestrator/settings.yaml", "nonsense: [1\n"),
		"key":      remove(".orchestrator/audit.key"),
		"database": func(t *testing.T, _ *Options) { must(t, os.Truncate(db, 5000)) },
		"export":   putting(export, conflict),
	} {
		t.Run(about, func(t *testing.T) {
			o := newProject(t)
			spoil(t, &o)
			write(t, ".orchestrator/serve.log", "orchestrator: it cannot start\n  fix: do this\n")
			r := examine(t, o)
			requireNoStart(t, Report{Findings: append(found(r, "service"), found(r, "leftovers")...)})
			for _, about := range []string{"service", "leftovers"} {
				require.Contains(t, found(r, about)[0].Advice, "; then orchestrator up")
			}
		})
	}
}

// TestAPortThatAnotherProgramHas: a start there fails.
func TestAPortThatAnotherProgramHas(t *testing.T) {
	o := newProject(t)
	other, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer other.Close()
	write(t, ".orchestrator/settings.yaml", "addr: "+other.Addr().String()+"\n")
	r := examine(t, o)
	require.False(t, r.Healthy)
	require.Equal(t, "orchestrator config unset addr", found(r, "service")[0].Mend)
	require.Contains(t, found(r, "service")[0].What, "another program listens on 127.0.0.1:")
	must(t, other.Close())
	require.Equal(t, "orchestrator up", found(examine(t, o), "service")[0].Mend)
}

// TestAnExportThatIsGoneIsNoFaultOfTheDocuments: without it they are compared with the database, which may be open.
func TestAnExportThatIsGoneIsNoFaultOfTheDocuments(t *testing.T) {
	o := newProject(t)
	remove(export)(t, &o)
	locked(t, &o)
	r := examine(t, o)
	require.Empty(t, found(r, "documents"))
	require.NotEmpty(t, found(r, "export"))
	require.NotEmpty(t, found(r, "database"))
}

// TestAFolderThatIsNoProjectYet: one command begins it, and nothing else is missing.
func TestAFolderThatIsNoProjectYet(t *testing.T) {
	o := newProject(t)
	remove(".git", ".orchestrator", "REQUIREMENTS.md", export, checkpoint)(t, &o)
	runGit(t, "init", "--quiet")
	var is []Finding
	for _, f := range examine(t, o).Findings {
		if f.Level != OK {
			is = append(is, f)
		}
	}
	require.Equal(t, []Finding{{About: "settings", Level: Warning, What: "this folder is no project yet",
		Mend: "orchestrator init"}}, is)
}

// TestAChangedDocumentInAFolderThatGitIgnores: git add refuses its path, although it is tracked.
func TestAChangedDocumentInAFolderThatGitIgnores(t *testing.T) {
	o := newProject(t)
	must(t, os.Mkdir("plans", 0o755))
	write(t, "plans/REQ.md", "# Plans\n\n- **REQ-009**: A customer can pay.\n")
	write(t, ".gitignore", "plans/\n")
	runGit(t, "add", "-f", "plans/REQ.md", ".gitignore")
	runGit(t, "commit", "-qm", "Plan")
	write(t, "plans/REQ.md", "# Plans\n\n- **REQ-009**: A customer can pay by card.\n")
	o.Documents = append(o.Documents, "plans/REQ.md")
	mend := found(examine(t, o), "repository")[0].Mend
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "cd / && "+mend+" -qm Mend").CombinedOutput()
	require.NoError(t, err, "%s: %s", mend, out)
	require.Empty(t, found(examine(t, o), "repository"))

	write(t, "NEW.md", "# New\n\n- **REQ-010**: A customer can leave.\n")
	o.Documents = append(o.Documents, "NEW.md")
	mend = found(examine(t, o), "repository")[0].Mend
	out, err = exec.CommandContext(t.Context(), "sh", "-c", "cd / && "+mend+" -qm More").CombinedOutput()
	require.NoError(t, err, "%s: %s", mend, out)
	require.Empty(t, found(examine(t, o), "repository"))
}

// TestAnExportOfTwoMoments: the next start writes it anew. One with a root that the log never had is of another log.
func TestAnExportOfTwoMoments(t *testing.T) {
	o := newProject(t)
	whole := content(t, export)
	write(t, export, strings.Replace(whole, `"log":{"size":`, `"log":{"size":1`, 1))
	r := examine(t, o)
	f := found(r, "export")
	require.Len(t, f, 1)
	require.Equal(t, Warning, f[0].Level)
	require.Contains(t, f[0].What, "is of no moment of the log")
	require.Equal(t, "orchestrator up", f[0].Mend)
	require.Empty(t, found(r, "database"))

	at := strings.Index(whole, `"root":"`) + len(`"root":"`)
	write(t, export, whole[:at]+"AAAAAAAA"+whole[at+8:])
	r = examine(t, o)
	require.Empty(t, found(r, "export"))
	f = found(r, "database")
	require.Len(t, f, 1)
	require.Equal(t, Problem, f[0].Level)
}
