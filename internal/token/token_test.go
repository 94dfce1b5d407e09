package token

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"orchestrator/internal/datadir"
)

var (
	noon  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	roles = []string{"pm", "architect", "coder", "tester", "viewer"}
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newFile(t *testing.T) *File { return NewFile(datadir.Dir(t.TempDir())) }

func add(t *testing.T, f *File, name, role string) (secret string, made Token) {
	t.Helper()
	secret, made, err := f.Add(name, role, time.Time{}, noon)
	require.NoError(t, err)
	return secret, made
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"ann":                    true,
		"build-bot@ci/1":         true,
		"Żółć":                   true,
		"李雷":                     true,
		strings.Repeat("é", 64):  true,
		"":                       false,
		strings.Repeat("é", 65):  false,
		"two words":              false,
		"non\u00a0breaking":      false,
		"line\nbreak":            false,
		"bell\a":                 false,
		"del\u007f":              false,
		"zero\u200bwidth":        false,
		"bidi\u202e":             false,
		"tag\U000e0041":          false,
		"soft\u00adhyphen":       false,
		"hangul\u3164filler":     false,
		"joiner\u034f":           false,
		"selector\ufe0f":         false,
		"braille\u2800":          false,
		"private\ue000":          false,
		"not utf-8 \xff":         false,
		"notutf8\xff":            false,
		"replacement\ufffd":      true,
		"line\u2028separator":    false,
		"ideographic\u3000space": false,
	} {
		require.Equal(t, want, validName(name), "%q", name)
	}
}

func TestExpired(t *testing.T) {
	expiring := Token{Expires: noon}
	require.False(t, expiring.Expired(noon.Add(-1)))
	require.True(t, expiring.Expired(noon))
	require.True(t, expiring.Expired(noon.Add(1)))
	require.False(t, Token{}.Expired(noon))
}
