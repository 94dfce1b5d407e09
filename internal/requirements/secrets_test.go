package requirements

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/folding"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/rules/lifecycle"
)

// Secrets are put together, so that no scanner takes this file for a leak. None was ever real.
const (
	awsKey   = "AK" + "IAIOSFODNN7EXAMPLE"
	ownToken = "orc_" + "coder_" + "J5XWQ2LTMFZDG7KPN4RXEYLBNZ"
	pemKey   = "-----BEGIN RSA " + `PRIVATE KEY-----\nMIIEpAIBAAKCAQEAqm7xT2vK9pLs4WbZ\n-----END RSA PRIVATE KEY-----`
)

// everything is all that the service keeps: the records, their blobs, the tables, and the export.
func (r *rig) everything() string {
	r.t.Helper()
	var all bytes.Buffer
	require.NoError(r.t, r.store.View(r.t.Context(), func(from store.Reader) error {
		for _, table := range []string{"audit", "blobs", "requirements", "idempotency", "reports", "project"} {
			if err := from.Scan(table, "", "", func(key string, raw []byte) error {
				fmt.Fprintf(&all, "%s %s %s\n", table, key, raw)
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	page, err := r.Audit(r.t.Context(), 0, 1000)
	require.NoError(r.t, err)
	for _, record := range page.Records {
		all.Write(record)
	}
	require.Eventually(r.t, func() bool { return r.State().Export.Size == r.State().LogSize }, time.Minute, time.Millisecond)
	export, err := os.ReadFile(r.export)
	require.NoError(r.t, err)
	all.Write(export)
	return all.String()
}

func (r *rig) last() string {
	r.t.Helper()
	page, err := r.Audit(r.t.Context(), r.State().LogSize-1, 1)
	require.NoError(r.t, err)
	return string(page.Records[0])
}

// Verifies: ORC-108
func TestSecretsAreRefusedBeforeAnythingIsKept(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	just := func(reason string) string {
		return `"justification":{"reason":"` + reason + `","evidence":[{"kind":"file","path":"a"}]}`
	}
	for name, c := range map[string]struct {
		who      lifecycle.Actor
		id, body string
		pointer  string
		rule     string
	}{
		"a note":                    {paula, "REQ-001", `{"pm_notes":[{"text":"fine"},{"text":"the key is ` + awsKey + `"}]}`, "/pm_notes/1/text", "aws_access_key"},
		"a reason":                  {paula, "REQ-001", `{"status":"planned",` + just("by "+ownToken) + `}`, "/justification/reason", "orchestrator_token"},
		"the path of evidence":      {paula, "REQ-001", `{"status":"planned","justification":{"reason":"r","evidence":[{"kind":"file","path":"a/` + awsKey + `"}]}}`, "/justification/evidence/0/path", "aws_access_key"},
		"deep in a design":          {archy, "REQ-001", `{"design_spec":{"summary":"s","notes":"password=Tr0ub4dor&3"}}`, "/design_spec/notes", "assigned_secret"},
		"behind an escape":          {paula, "REQ-001", `{"pm_notes":[{"text":"\u0041KIA` + awsKey[4:] + `"}]}`, "/pm_notes/0/text", "aws_access_key"},
		"after a line":              {paula, "REQ-001", `{"pm_notes":[{"text":"keys:\n` + awsKey + `"}]}`, "/pm_notes/0/text", "aws_access_key"},
		"over several lines":        {paula, "REQ-001", `{"pm_notes":[{"text":"` + pemKey + `"}]}`, "/pm_notes/0/text", "private_key"},
		"a name":                    {paula, "REQ-001", `{"` + awsKey + `":1}`, "/[masked aws_access_key]", "aws_access_key"},
		"under a name":              {paula, "REQ-001", `{"` + awsKey + `":{"a/b":"` + ownToken + `"}}`, "/[masked aws_access_key]", "aws_access_key"},
		"a role that may not":       {cody, "REQ-001", `{"status":"planned",` + just(awsKey) + `}`, "/justification/reason", "aws_access_key"},
		"a move that cannot be":     {paula, "REQ-001", `{"status":"done",` + just(awsKey) + `}`, "/justification/reason", "aws_access_key"},
		"against the schema":        {paula, "REQ-001", `{"status":"` + awsKey + `"}`, "/status", "aws_access_key"},
		"an unknown requirement":    {paula, "REQ-009", `{"pm_notes":[{"text":"` + awsKey + `"}]}`, "/pm_notes/0/text", "aws_access_key"},
		"more than is kept of it":   {cody, "REQ-001", `{"status":"planned",` + just(awsKey+strings.Repeat(" long", 2000)) + `}`, "/justification/reason", "aws_access_key"},
		"an accepted change before": {cody, "REQ-001", `{"implementation":{"summary":"s","files":[{"path":"` + ownToken + `"}]}}`, "/implementation/files/0/path", "orchestrator_token"},
	} {
		t.Run(name, func(t *testing.T) {
			before := r.State().LogSize
			_, err := r.patch(c.who, c.id, c.body)
			refusal := fault.As(err)
			require.NotNil(t, refusal, "%v", err)
			require.Equal(t, "secret_in_text", string(refusal.Code))
			require.ErrorIs(t, err, fault.Invalid)
			require.Equal(t, c.pointer, refusal.Fields[0].Pointer)
			require.Equal(t, c.rule, string(refusal.Fields[0].Code))
			require.Contains(t, refusal.Fields[0].Fix, "revoke it")
			require.Equal(t, before+1, r.State().LogSize, "the refusal is on record")
			require.Contains(t, r.last(), fmt.Sprintf(`"body_bytes":%d`, len(c.body)))
			require.Contains(t, r.last(), ledger.Digest([]byte(c.body)))
			_, err = r.Patch(t.Context(), c.who, Proposal{ID: c.id, Body: []byte(c.body), DryRun: true})
			require.Equal(t, "secret_in_text", string(fault.As(err).Code))
			require.Equal(t, before+1, r.State().LogSize, "a dry run is not recorded")
		})
	}
	require.NotContains(t, r.everything(), awsKey[4:])
	require.NotContains(t, r.everything(), ownToken[10:])
	require.NotContains(t, r.everything(), "Tr0ub4dor")
	require.NotContains(t, r.everything(), "MIIEpAIBAAKCAQEA")
	r.verified()
}

func TestSecretsInHeadersAreRefused(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	for _, p := range []Proposal{{IdempotencyKey: ownToken}, {IfMatch: []string{"*", awsKey}}} {
		p.ID, p.Body = "REQ-001", []byte(`{"pm_notes":[{"text":"fine"}]}`)
		_, err := r.Patch(t.Context(), paula, p)
		require.Equal(t, "secret_in_text", string(fault.As(err).Code))
		require.Regexp(t, "the header (Idempotency-Key|If-Match) holds", fault.As(err).Fields[0].Detail)
	}
	require.NotContains(t, r.everything(), awsKey)
	require.NotContains(t, r.everything(), ownToken)
	r.verified()
}

func TestARefusedSecretDoesNotUseUpItsIdempotencyKey(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	p := Proposal{ID: "REQ-001", IdempotencyKey: "k", Body: []byte(`{"pm_notes":[{"text":"` + awsKey + `"}]}`)}
	_, err := r.Patch(t.Context(), paula, p)
	require.Equal(t, "secret_in_text", string(fault.As(err).Code))
	p.Body = []byte(`{"pm_notes":[{"text":"the key is in the vault"}]}`)
	answer, err := r.Patch(t.Context(), paula, p)
	require.NoError(t, err)
	require.False(t, answer.Replayed)
	r.verified()
}

func TestNoRefusalQuotesASecret(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	cut := strings.Repeat("x", 240) + " " + awsKey // where a pointer is cut, half of it would be left
	for _, c := range []struct{ id, body, code string }{
		{awsKey, `{}`, "unknown_requirement"},
		{"REQ " + ownToken, `{}`, "unknown_requirement"},
		{"\x00" + awsKey, `{}`, "invalid_id"},
		{"REQ-001", `{"` + awsKey + `":1,"` + awsKey + `":2}`, "json_duplicate_name"},
		{"REQ-001", `{"` + cut + `":1,"` + cut + `":2}`, "json_duplicate_name"},
		{"REQ-001", `{"a":"` + awsKey + `"`, "json_syntax"},
		{"REQ-001", awsKey, "json_syntax"},
		{"REQ-001", `["` + awsKey + `"]`, "json_not_an_object"},
		{"REQ-001", `{"` + awsKey + `":1e999}`, "json_number"},
		{"REQ-001", `{"\u0041KIA` + awsKey[4:] + `":1e999}`, "json_number"},
	} {
		_, err := r.patch(paula, c.id, c.body)
		require.Error(t, err)
		require.Equal(t, c.code, string(fault.As(err).Code), c.body)
		require.NotContains(t, r.last(), awsKey[4:12])
	}
	_, err := r.Requirement(awsKey)
	require.NotContains(t, err.Error(), awsKey)
	require.Contains(t, err.Error(), "[masked aws_access_key]")
	require.NotContains(t, r.everything(), awsKey[4:12])
	require.NotContains(t, r.everything(), ownToken[10:])
	r.verified()
}

func TestNoRefusalQuotesASecretOfTheRepository(t *testing.T) {
	r, f := startVerifying(t, store.NewMemory())
	f.missing["no.go"], f.instead = true, " but "+awsKey
	_, err := r.patch(cody, "REQ-002", `{"implementation":{"summary":"s","files":[{"path":"no.go"}]}}`)
	require.Equal(t, "evidence_not_found", string(fault.As(err).Code))
	require.Contains(t, fault.As(err).Fields[0].Detail, "but [masked aws_access_key]")
	require.NotContains(t, r.everything(), awsKey)
	r.verified()
}

func TestARequirementMayBeNamedLikeASecret(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport("# Demo\n\n## " + awsKey + "1: The login works.\n\nText.\n\n- **REQ-001**: The logout works.\n")
	r.must(paula, "REQ-001", `{"pm_notes":[{"text":"fine"}]}`)
}

func TestSecretsInTestReportsAreRefused(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	for where, report := range map[string]string{
		"name":  `<testsuite name="s"><testcase name="ok"/><testcase name="with ` + ownToken + `"/></testsuite>`,
		"suite": `<testsuite name="s"><testcase classname="c" name="ok"/><testcase classname="` + awsKey + `" name="b"/></testsuite>`,
	} {
		_, err := r.Attach(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(report)}, AttachOptions{})
		require.Equal(t, "secret_in_text", string(fault.As(err).Code), where)
		require.Contains(t, fault.As(err).Fields[0].Detail, "test 2 of the report: its "+where)
	}
	_, err := r.Attach(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(`<testsuite><testcase name="` + awsKey + `"><b></testsuite>`)}, AttachOptions{})
	require.Equal(t, "report_unreadable", string(fault.As(err).Code))
	output := `<testsuite><testcase name="ok"><system-out>` + ownToken + `</system-out></testcase></testsuite>`
	_, err = r.Attach(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(output)}, AttachOptions{})
	require.NoError(t, err, "what is not kept of a report may hold anything")
	require.NotContains(t, r.everything(), awsKey)
	require.NotContains(t, r.everything(), ownToken)
	r.verified()
}

// Verifies: ORC-108
func TestAnImportWarnsOfSecrets(t *testing.T) {
	r := start(t, store.NewMemory())
	report := r.mustImport(twoRequirements + "\nThe key is " + awsKey + ".\n\n- **REQ-003**: Logs in.\n\n      " + strings.ReplaceAll(pemKey, `\n`, "\n      ") + "\n")
	require.Len(t, report.Warnings, 2)
	require.Equal(t, drift.Place{Path: "REQUIREMENTS.md", Line: 6}, report.Warnings[0].Place)
	require.Contains(t, report.Warnings[0].Message, "an AWS access key")
	require.Equal(t, drift.Place{Path: "REQUIREMENTS.md", Line: 10}, report.Warnings[1].Place)
	out, err := json.Marshal(report.Warnings)
	require.NoError(t, err)
	require.NotContains(t, string(out), awsKey)
	require.Empty(t, r.mustImport(twoRequirements).Warnings)
}

// Logs of earlier days may hold what is refused today; they stay verifiable.
func TestARecordedSecretIsNoFaultOfTheLog(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	body := []byte(`{"pm_notes":[{"text":"` + awsKey + `"}]}`)
	change, err := decision.Read(body, lifecycle.PM)
	require.NoError(t, err)
	change.Size = len(body)
	require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
		_, err := r.decide(tx, paula, Proposal{ID: "REQ-001"}, change, record.Proposed{Rules: lifecycle.LatestRules, Change: body}, &folding.Ticket{})
		return err
	}))
	r.verified()
}

func BenchmarkLookingForSecretsInAChange(b *testing.B) {
	text := strings.Repeat("the parser reads every document: it is given one, and says so. ", 8)
	for name, body := range map[string]string{
		"plain":        `{"status":"implemented","justification":{"reason":"` + text + `","evidence":[{"kind":"file","path":"internal/requirements/import.go","lines":"3-90"}]}}`,
		"with escapes": `{"status":"implemented","justification":{"reason":"a\n` + text + `","evidence":[{"kind":"file","path":"internal/requirements/import.go","lines":"3-90"}]}}`,
	} {
		b.Run(fmt.Sprintf("%s/%d", name, len(body)), func(b *testing.B) {
			for b.Loop() {
				decision.SecretsInJSON([]byte(body))
			}
		})
	}
}
