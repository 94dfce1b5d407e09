package token

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-050
func TestAddRefusesANameThatIsNearlyAnother(t *testing.T) {
	f := newFile(t)
	add(t, f, "ada", "pm")
	add(t, f, "ada", "coder") // the same name is the same person
	add(t, f, "eve", "coder")
	for _, name := range []string{"Ada", "ADA", "ａｄａ"} {
		secret, made, err := f.Add(name, "tester", noon.AddDate(1, 0, 0), noon)
		refusal := requireFault(t, err, fault.Conflict, "token_name_alike")
		require.Contains(t, refusal.Fix, "use the name ada;")
		require.Empty(t, secret)
		require.Zero(t, made)
	}
	listed, err := f.List()
	require.NoError(t, err)
	require.Len(t, listed, 3)
}

// TestNamesThatAreAlikeKeepWorking: a file that was edited by hand may have them.
func TestNamesThatAreAlikeKeepWorking(t *testing.T) {
	f := newFile(t)
	first, ada := add(t, f, "ada", "pm")
	second, other := add(t, f, "bob", "coder")
	_, eve := add(t, f, "eve", "viewer")
	other.Name = "ADA"
	require.NoError(t, f.save([]Token{eve, ada, other, ada.as("x"), other.as("y")}))
	a := authenticator(t, f, Limit{})
	for secret, name := range map[string]string{first: "ada", second: "ADA"} {
		got, err := a.Authenticate(secret, noon)
		require.NoError(t, err)
		require.Equal(t, name, got.Name)
	}
	listed, err := f.List()
	require.NoError(t, err)
	require.Equal(t, [][]string{{"ada", "ADA"}}, Alike(listed))
	require.Nil(t, Alike([]Token{ada, eve}))
	add(t, f, "ADA", "tester")
	_, _, err = f.Add("Ada", "tester", noon.AddDate(1, 0, 0), noon)
	requireFault(t, err, fault.Conflict, "token_name_alike")
}

// as is another token of the same name.
func (t Token) as(secret string) Token {
	t.SHA256 = digest(secret)
	t.ID = t.SHA256[:idLength]
	return t
}
