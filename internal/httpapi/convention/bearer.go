package convention

import (
	"strings"

	"orchestrator/internal/fault"
)

// Bearer returns the token in the values of the header Authorization (RFC 6750, section 2.1).
func Bearer(authorization []string) (string, error) {
	if len(authorization) != 1 {
		return "", tokenMissing()
	}
	scheme, presented, found := strings.Cut(authorization[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") || strings.TrimSpace(presented) == "" {
		return "", tokenMissing()
	}
	return strings.TrimSpace(presented), nil
}

func tokenMissing() *fault.Error {
	return fault.New(fault.Unauthenticated, "token_missing", "this path needs a token").
		WithFix("send the header Authorization: Bearer <token>; the first start wrote those of pm and viewer to " +
			".orchestrator/tokens/, and orchestrator token add makes others. GET / says how to begin")
}
