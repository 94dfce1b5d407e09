package reqdoc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	aTemplate = "# Feature Specification: [FEATURE NAME]\n\n**Status**: Draft\n\n- **FR-001**: System MUST [capability]\n"
	aDraft    = "---\ntitle: Later\ndraft: true # not yet\n---\n\n# Later\n\n- **FR-009**: Users MUST be able to pay.\n"
	aSpec     = "# Login\n\n**Status**: Draft\n\n- **FR-001**: Users MUST be able to log in.\n"
)

// Verifies: ORC-149
func TestWhatIsUnfinishedIsLeftOutBesideOtherDocuments(t *testing.T) {
	for _, c := range []struct{ src, reason, message, fix string }{
		{aTemplate, ReasonTemplate, `it was left out: the document is a template: its title is "Feature Specification: [FEATURE NAME]"`,
			"fill it in, title included, when its requirements are to count"},
		{aDraft, ReasonDraft, "it was left out: the document is a draft, as its front matter says",
			"take the draft mark out of the front matter when its requirements are to count"},
	} {
		set, err := Read(files(c.src, aSpec, c.src), Options{})
		require.NoError(t, err)
		require.Equal(t, []string{"FR-001"}, idsIn(set))
		require.Equal(t, []string{"a.md", "b.md", "c.md"}, pathsOf(set))
		require.Equal(t, []Problem{
			{Place: Place{"a.md", 1}, Message: c.message, Fix: c.fix, Reason: c.reason},
			{Place: Place{"c.md", 1}, Message: c.message, Fix: c.fix, Reason: c.reason},
		}, set.Warnings)
		require.NotEmpty(t, set.Documents[0].SHA256)

		_, err = Read(files(aSpec, c.src), Options{Strict: true})
		require.ErrorContains(t, err, "b.md: the document is a ", "with --strict")
		_, err = Read(files(c.src), Options{})
		require.ErrorContains(t, err, "a.md: the document is a ", "by itself")
		_, err = Read(files(c.src, "# Notes\n\nNothing.\n", c.src), Options{})
		require.ErrorContains(t, err, "problems in the documents: ", "beside documents without requirements")
	}
}

// What was imported is not left out: its requirements would be retired.
func TestWhatIsInForceIsNotLeftOut(t *testing.T) {
	_, err := Read(files(aSpec, aTemplate), Options{InForce: map[string]bool{"b.md": true}})
	require.ErrorContains(t, err, "b.md: the document is a template")

	set, err := Read(files(aSpec, aDraft), Options{InForce: map[string]bool{"b.md": true}})
	require.NoError(t, err)
	require.Equal(t, []string{"FR-001", "FR-009"}, idsIn(set))
}

// Nearly all specifications have the status "Draft" for ever.
func TestAStatusMakesNoDraft(t *testing.T) {
	for _, front := range []string{"status: draft", "draft: false", "draft: true enough", "title: a draft: true"} {
		set, err := Read(files("---\n"+front+"\n---\n\n# Pay\n\n- **FR-009**: Users pay.\n", aSpec), Options{})
		require.NoError(t, err, front)
		require.Len(t, set.Requirements, 2, front)
	}
	set, err := Read(files("+++\ndraft = true\n+++\n\n# Pay\n\n- **FR-009**: Users pay.\n", aSpec), Options{})
	require.NoError(t, err)
	require.Len(t, set.Requirements, 1)
}

func idsIn(set Set) (ids []string) {
	for _, r := range set.Requirements {
		ids = append(ids, r.ID)
	}
	return ids
}

func pathsOf(set Set) (paths []string) {
	for _, d := range set.Documents {
		paths = append(paths, d.Path)
	}
	return paths
}
