package project

import (
	"time"

	"orchestrator/internal/httpapi"
	"orchestrator/internal/requirements/reqdoc"
)

// Options say what is served, and how.
type Options struct {
	Addr             string
	Data             string
	Requirements     []string
	Reading          reqdoc.Options
	Export           string
	ExportWait       time.Duration
	Deterministic    bool
	Workflow         string
	Evidence         string
	Origin           string
	AcceptNewKey     string
	AcceptRollback   string
	Witness          string
	Repo             string
	Recheck          time.Duration
	RequireIfMatch   bool
	RateLimit        float64
	RateBurst        int
	LogBudget        uint64
	AllowHosts       []string
	MetricsTokenFile string
	DemoTokens       bool
	Drain            time.Duration
	Version          httpapi.Version
}
