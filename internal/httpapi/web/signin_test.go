package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Nobody is led from a sign-in to another site, to the API, or in a circle.
//
// Verifies: ORC-331
func TestWhoHasSignedInIsLedToAPage(t *testing.T) {
	for address, want := range map[string]string{
		"/ui/requirements/A%2FB?history=all": "/ui/requirements/A%2FB?history=all",
		"/ui/":                               "/ui/",
		"":                                   "/ui/",
		"/":                                  "/ui/",
		"/requirements":                      "/ui/",
		"/uix":                               "/ui/",
		"https://example.org/ui/":            "/ui/",
		"javascript:/ui/":                    "/ui/",
		"//example.org/ui/":                  "/ui/",
		"/ui/../requirements":                "/ui/",
		"/ui/%2e%2e/requirements":            "/ui/",
		"/ui/\\example.org":                  "/ui/",
		"/ui/x\r\nSet-Cookie: a=b":           "/ui/",
		"/ui/sign-in?to=/ui/":                "/ui/",
		"/ui/sign-out":                       "/ui/",
	} {
		require.Equal(t, want, safe(address), "%q", address)
	}
}
