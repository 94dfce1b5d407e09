package render

import (
	"cmp"
	"io"
	"net/url"
	"path"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/review"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The parts of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               fault.Code   `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       fault.Code        `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// rules are the codes of a gate, in words.
var rules = []sarifRule{
	{review.CodeLog, sarifMessage{"The log cannot be trusted."}},
	{review.CodeImport, sarifMessage{"The requirement documents could not be imported."}},
	{review.CodeDrift, sarifMessage{"A requirement document is not what was imported."}},
	{review.CodeEmpty, sarifMessage{"The project has no requirement in force."}},
	{review.CodeVerdict, sarifMessage{"The review of the project finds it not ready."}},
	{review.CodeNotDone, sarifMessage{"The requirement is open: neither done nor deferred."}},
	{review.CodeNotTested, sarifMessage{"The requirement has no tests that passed and hold."}},
	{review.CodeGateUnmet, sarifMessage{"The requirement is done, and a gate of done does not hold any more."}},
	{review.CodeStale, sarifMessage{"Something changed under the requirement."}},
	{review.CodeRetiredWithWork, sarifMessage{"The requirement was removed from its document with work on it."}},
}

// SARIF writes the failures as SARIF 2.1.0. What has no place of its own stands at the first document.
func (r Gate) SARIF(w io.Writer) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{"orchestrator", rules}}, Results: []sarifResult{}}
	fallback := ""
	if len(r.Cases) > 0 {
		fallback = r.Cases[0].Path
	}
	for _, f := range r.Findings() {
		between := " "
		if f.Status == "" {
			between = ": "
		}
		result := sarifResult{
			RuleID: f.Code, RuleIndex: ruleIndex(f.Code), Level: "error", Message: sarifMessage{
				literal(f.Subject + between + f.Said())},
			Locations:    locations(cmp.Or(f.Path, fallback), f.Line),
			Fingerprints: map[string]string{"requirement/v1": clean(string(f.Code) + " " + f.Subject)},
		}
		if f.Status == "" {
			result.Fingerprints["requirement/v1"] = clean(string(f.Code) + " " + f.Message)
		}
		run.Results = append(run.Results, result)
	}
	b, err := jsonv2.Marshal(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}},
		jsonv2.Deterministic(true), jsontext.WithIndent(" "))
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

func ruleIndex(code fault.Code) int {
	for i, r := range rules {
		if r.ID == code {
			return i
		}
	}
	return -1 // SARIF's word for none
}

// literal keeps text from being read as a link or a placeholder (SARIF 2.1.0, 3.11.5 and 3.11.6).
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}").Replace(clean(s))
}

// locations returns the place of a finding, or nothing.
func locations(file string, line int) []sarifLocation {
	if clean(file) == "" {
		return nil
	}
	where := sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: path.Clean(clean(file))}).String()}}
	if line > 0 {
		where.Region = &sarifRegion{line}
	}
	return []sarifLocation{{where}}
}
