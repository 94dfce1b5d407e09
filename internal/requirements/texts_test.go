package requirements

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/renames"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/texts"
)

// Verifies: ORC-330

// dossier is the review of a requirement. What is kept of its texts is what a start would read of the log.
func (r *rig) dossier(id string) review.Dossier {
	r.t.Helper()
	d, err := r.Dossier(r.t.Context(), id, false)
	require.NoError(r.t, err)
	fresh, err := texts.New(r.ledger).Of(r.t.Context(), r.requirement(id), r.State().LogSize)
	require.NoError(r.t, err)
	require.Equal(r.t, fresh.Changes, d.Texts)
	for i, a := range d.Approvals {
		require.Equal(r.t, fresh.Since[i], a.TextSince)
	}
	return d
}

// said returns what a change did to each field: what was taken out in [], what came in in {}.
func said(fields []review.FieldChange) (all []string) {
	for _, f := range fields {
		words := []string{f.Field + ":"}
		for _, w := range f.Words {
			switch w.Op {
			case review.Out:
				w.Text = "[" + w.Text + "]"
			case review.In:
				w.Text = "{" + w.Text + "}"
			}
			words = append(words, w.Text)
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

func changesOf(d review.Dossier) (all [][]string) {
	for _, c := range d.Texts {
		all = append(all, said(c.Fields))
	}
	return all
}

const demo = "# Demo\n\n## REQ-001: Log in\n\nA user logs in with a name.\n\nAcceptance:\n\n- A wrong name is refused.\n"

func TestADossierShowsHowTheTextChanged(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(demo)
	require.Equal(t, []review.TextChange{}, r.dossier("REQ-001").Texts)
	r.bringToTestedPass("REQ-001")
	r.must(paula, "REQ-001", "{"+approved+"}")
	require.Nil(t, r.dossier("REQ-001").Approvals[0].TextSince)

	second := strings.Replace(demo, "with a name", "with name and password", 1)
	r.mustImport(second)
	r.mustImport("An introduction.\n\n" + second)
	third := strings.NewReplacer("Log in", "Sign in", "wrong name is refused.", "wrong password is refused.\n- Five are too many.").Replace(second)
	report := r.mustImport(third)
	require.Len(t, report.Changed, 1)
	d := r.dossier("REQ-001")
	require.Equal(t, [][]string{
		{"title: [Log] {Sign} in", "criteria: - A wrong [name] {password} is refused. {\n- Five are too many.}"},
		{"text: A user logs in with [a name.] {name and password.}"},
	}, changesOf(d), "what has only moved is no change")
	newest := d.Texts[0]
	require.Equal(t, r.State().LogSize-1, newest.Record)
	require.Equal(t, paula.Name, newest.By)
	require.Equal(t, r.requirement("REQ-001").TextSince, newest.At)
	require.Equal(t, []string{"title: [Log] {Sign} in", "text: A user logs in with [a name.] {name and password.}",
		"criteria: - A wrong [name] {password} is refused. {\n- Five are too many.}"}, said(d.Approvals[0].TextSince))
	require.Equal(t, []string{"text"}, d.Approvals[0].ChangedSince)

	r.mustImport(demo)
	d = r.dossier("REQ-001")
	require.Len(t, d.Texts, 3)
	require.Nil(t, d.Approvals[0].TextSince, "it reads again as it was approved")
}

func TestATextThatWasAwayOrGivenAPriority(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.mustImport("# Demo\n\n- **REQ-001**: The login works.\n")
	r.mustImport(twoRequirements)
	require.Empty(t, r.dossier("REQ-002").Texts, "it came back as it was")
	r.mustImport("# Demo\n\n### REQ-002: Log out\n\n**Priority:** Low\n")
	r.mustImport("# Demo\n\n### REQ-002: Log out\n\n**Priority:** High\n")
	require.Equal(t, []string{"text: **Priority:** [Low] {High}", "priority: [Low] {High}"}, changesOf(r.dossier("REQ-002"))[0])
}

func TestTheNewestTwentyChangesAreShown(t *testing.T) {
	r := start(t, store.NewMemory())
	for i := range 25 {
		r.mustImport(fmt.Sprintf("# Demo\n\n- **REQ-001**: Version %d.\n", i))
	}
	changes := changesOf(r.dossier("REQ-001"))
	require.Len(t, changes, 20)
	require.Equal(t, []string{"text: Version [23.] {24.}"}, changes[0])
	require.Equal(t, []string{"text: Version [4.] {5.}"}, changes[19])
}

func TestChangesAreKeptUnderAnotherID(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	r.must(paula, "REQ-001", "{"+approved+"}")
	sure := strings.Replace(twoRequirements, "The login works", "The login surely works", 1)
	r.mustImport(sure)
	r.mustImport(strings.Replace(sure, "REQ-001**: The login surely", "LOGIN-1**: The new login surely", 1))
	require.Empty(t, r.dossier("LOGIN-1").Texts, "it is a requirement of its own as yet")
	out, err := r.rename("REQ-001", "LOGIN-1")
	require.NoError(t, err)
	d := r.dossier("LOGIN-1")
	require.Equal(t, [][]string{{"text: The {new} login surely works."}, {"text: The login {surely} works."}}, changesOf(d))
	require.Equal(t, out.Record, d.Texts[0].Record)
	require.Equal(t, []string{"text: The {new} login {surely} works."}, said(d.Approvals[0].TextSince))

	r.mustImport(twoRequirements + "- **LOGIN-1**: The new login surely works.\n")
	require.Empty(t, r.dossier("REQ-001").Texts, "another requirement has that id now")
	require.Len(t, r.dossier("LOGIN-1").Texts, 2)
}

func TestChangesAreKeptUnderAnotherFormOfIDs(t *testing.T) {
	r := start(t, store.NewMemory(), func(o *Options) { o.Reading.Qualify = qualify.None })
	takes := func(text string) {
		_, err := r.Import(t.Context(), paula, reading(reqdoc.File{Path: "specs/a/spec.md", Content: []byte(text)}), ImportOptions{})
		require.NoError(t, err)
	}
	form := func(name string) {
		_, err := r.Rename(t.Context(), renames.Asked{By: paula, Qualify: name, Reason: "by folder"}, Refused{Request: "POST /project/renames"})
		require.NoError(t, err)
		r.options.Reading.Qualify = name
	}
	takes("# A\n\n- **FR-1**: One.\n")
	form(qualify.Folder)
	require.Empty(t, r.dossier("a/FR-1").Texts)
	takes("# A\n\n- **FR-1**: Two.\n")
	form(qualify.None)
	takes("# A\n\n- **FR-1**: Three.\n")
	require.Equal(t, [][]string{{"text: [Two.] {Three.}"}, {"text: [One.] {Two.}"}}, changesOf(r.dossier("FR-1")))
	require.Len(t, r.requirement("FR-1").FormerIDs, 2)
}
