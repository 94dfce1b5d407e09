package statusmark

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCut(t *testing.T) {
	long := strings.Repeat("ж", 1_000)
	for line, want := range map[string]struct {
		rest  string
		claim Claim
	}{
		"Log in": {"Log in", None}, "": {"", None}, "✓ Log in": {"Log in", Done}, "Log in ✅✅": {"Log in", Done}, "✅": {"", Done},
		"Log in [✓]": {"Log in", Done}, "Log in: ✅ fully implemented": {"Log in", Done}, "✅ Done": {"", Done}, "🚧 In progress": {"", Other},
		"✅ Partially": {"", Other}, "Log in ❌ ✅": {"Log in", Done}, "登录（✅ 已完成）": {"登录", Done}, "☐ Log in": {"Log in", Open},
		"Log in✓": {"Log in✓", None}, "Show ✓ where done": {"Show ✓ where done", None}, "A ✓ and a ✗ sign": {"A ✓ and a ✗ sign", None},
		long + " ✓": {long, Done}, "✓ " + long: {long, Done},
	} {
		rest, claim := Cut(line)
		require.Equal(t, want.rest, rest, line)
		require.Equal(t, want.claim, claim, line)
	}
}

func TestLeads(t *testing.T) {
	for line, want := range map[string]Claim{"### ✅ ": Done, "- **": None, "1. ⬜ ": Open, "| ✓ | ": Done, "": None, "text ✓ ": None} {
		require.Equal(t, want, Leads(line), line)
	}
}
