package boundarycmd

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
)

// sinceOf reads a time or an age.
func sinceOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	age := text
	if days, ok := strings.CutSuffix(text, "d"); ok {
		age = days + "h"
	}
	d, err := time.ParseDuration(age)
	if err != nil || d < 0 {
		return time.Time{}, fault.New(fault.Invalid, fault.CodeUsage, "%q is neither a time nor an age", text).
			WithFix("give --since 2026-01-31, --since 24h or --since 7d")
	}
	if age != text {
		d *= 24
	}
	return now.Add(-d), nil
}

// sinceFlag adds --since.
func sinceFlag(cmd *cobra.Command, since *string) {
	cmd.Flags().StringVar(since, "since", "",
		"start of the period: a time such as 2026-01-31 or 2026-01-31T12:00:00Z, or an age such as 24h or 7d")
}
