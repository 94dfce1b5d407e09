package convention

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIdsOfRequests(t *testing.T) {
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for given, want := range map[string]string{
		"3f1c8c1e-6d1f-4f43-8f0d-2f1a9d5f7c11": "3f1c8c1e-6d1f-4f43-8f0d-2f1a9d5f7c11", "a": "a",
		"Root=1-67891233-abcdef012345678912345678": "Root=1-67891233-abcdef012345678912345678",
		"":                          "",
		"a b":                       "",
		"a\nb":                      "",
		"a\"b":                      "",
		"é":                         "",
		strings.Repeat("x", 129):    "",
		strings.Repeat("x", 128):    strings.Repeat("x", 128),
		"AK" + "IAIOSFODNN7EXAMPLE": "",
	} {
		require.Equal(t, want, RequestID([]string{given}, nil), "%q", given)
	}
	require.Equal(t, "mine", RequestID([]string{"mine"}, []string{trace}), "the id that was chosen goes before the trace")
	require.Empty(t, RequestID([]string{"one", "two"}, nil), "which one is meant is not known")
	for sent, want := range map[string]string{
		trace: "4bf92f3577b34da6a3ce929d0e0e4736",
		"cc" + trace[2:] + "-what-the-future-holds": "4bf92f3577b34da6a3ce929d0e0e4736",
		trace + "-more":        "",
		"ff" + trace[2:]:       "",
		strings.ToUpper(trace): "",
		trace[:len(trace)-1]:   "",
		"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01":                 "",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-" + strings.Repeat("0", 16) + "-01": "",
		"": "",
	} {
		require.Equal(t, want, RequestID(nil, []string{sent}), sent)
	}
	require.Equal(t, "4bf92f3577b34da6a3ce929d0e0e4736", RequestID([]string{"not well-formed"}, []string{trace}))
}

func TestLimitsInHeaders(t *testing.T) {
	require.Equal(t, `"token";q=200;w=2`, Policy("token", 100, 200))
	require.Equal(t, `"token";r=187;t=1`, Left("token", 100, 200, 187))
	require.Equal(t, `"token";r=200;t=0`, Left("token", 100, 200, 200))
	require.Equal(t, `"token";r=0;t=86400`, Left("token", 1e-9, 200, 0))
	require.Equal(t, `</audit?from=100>; rel="next"`, NextLink("/audit?from=100"))
}

func TestThePathThatIsMeant(t *testing.T) {
	routes := []string{"/", "/requirements", "/requirements/{id}", "/requirements/{id}/next", "/audit/key", "/audit/{what}"}
	for sent, want := range map[string]string{
		"/requirements/":           "/requirements",
		"/Requirements/FR-1":       "/requirements/FR-1",
		"/REQUIREMENTS/fr-1/NEXT/": "/requirements/fr-1/next",
		"//requirements///FR-1":    "/requirements/FR-1",
		"/audit/KEY":               "/audit/key",
		"/requirements":            "",
		"/nothing":                 "",
		"/requirements/a/b/c":      "",
		"//":                       "",
	} {
		require.Equal(t, want, RightPath(routes, sent), sent)
	}
}

func TestAddressesHaveTheirOwnQuota(t *testing.T) {
	a, now := NewAddresses(10, 3), time.Unix(1_000_000, 0)
	for want := 2; want >= 0; want-- {
		left, _, ok := a.Allow("192.0.2.1:1000", now)
		require.True(t, ok)
		require.Equal(t, want, left)
	}
	_, wait, ok := a.Allow("192.0.2.1:2000", now)
	require.False(t, ok, "another port is the same client")
	require.Equal(t, 100*time.Millisecond, wait)
	_, again, _ := a.Allow("192.0.2.1:2000", now)
	require.Equal(t, wait, again, "a refused request is not counted")
	_, _, ok = a.Allow("192.0.2.2:1000", now)
	require.True(t, ok)
	_, _, ok = a.Allow("192.0.2.1:2000", now.Add(wait))
	require.True(t, ok)

	for remote, same := range map[string]string{
		"[2001:db8::1]:1": "[2001:db8::ffff]:2", "@": "", "[::ffff:192.0.2.9]:1": "192.0.2.9:7",
	} {
		require.Equal(t, client(remote), client(same))
	}
	require.NotEqual(t, client("[2001:db8::1]:1"), client("[2001:db8:0:1::1]:1"))
	free := NewAddresses(0, 0)
	for range 100 {
		_, _, ok := free.Allow("192.0.2.1:1", now)
		require.True(t, ok)
	}
}

func TestManyAddressesTakeLittleMemory(t *testing.T) {
	a, now := NewAddresses(1, 1), time.Unix(1_000_000, 0)
	all := func() (allowed int) {
		for i := range 2 * maxAddresses {
			if _, _, ok := a.Allow(fmt.Sprintf("10.0.%d.%d:1", i/256, i%256), now); ok {
				allowed++
			}
		}
		return allowed
	}
	require.Equal(t, maxAddresses+1, all(), "the others share one quota")
	require.LessOrEqual(t, len(a.full), maxAddresses+1)
	now = now.Add(time.Minute)
	require.Greater(t, all(), maxAddresses, "those that are quiet are forgotten")
}
