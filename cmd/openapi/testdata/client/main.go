// Command client takes a requirement from not_started to done with a client that was generated from the contract.
// TestAGeneratedClient gives it the address of a service, the tokens, and a commit to cite.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"client/orchestrator"
)

func main() {
	log.SetFlags(0)
	c, err := orchestrator.NewClientWithResponses(os.Getenv("SERVICE"))
	check(err)
	l := life{ctx: context.Background(), client: c, commit: os.Getenv("COMMIT")}
	l.find()
	l.refused()
	l.work()
	l.read()
	fmt.Printf("%s is done after %d calls\n", l.id, l.calls)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// as sends the token of a role.
func as(role string) orchestrator.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv(strings.ToUpper(role)))
		return nil
	}
}

// pointer returns a pointer to a value: members that may be left out are pointers.
func pointer[T any](v T) *T { return &v }

type life struct {
	ctx    context.Context
	client *orchestrator.ClientWithResponses
	commit string
	id     string
	calls  int
}

// find takes the first requirement that waits for the pm.
func (l *life) find() {
	role := orchestrator.RolePm
	page, err := l.client.ListRequirementsWithResponse(l.ctx, &orchestrator.ListRequirementsParams{Role: &role}, as("viewer"))
	check(err)
	l.calls++
	if page.JSON200 == nil || len(page.JSON200.Requirements) == 0 {
		log.Fatalf("no list: %s %s", page.Status(), page.Body)
	}
	l.id = *page.JSON200.Requirements[0].Id // only ?fields= leaves it out
	next, err := l.client.GetNextWithResponse(l.ctx, l.id, nil, as("pm"))
	check(err)
	l.calls++
	if next.JSON200 == nil || len(*next.JSON200.Moves) == 0 {
		log.Fatalf("no moves: %s %s", next.Status(), next.Body)
	}
}

// change sends a change, and requires that it is made.
func (l *life) change(role string, body orchestrator.ChangeRequest) {
	answer, err := l.client.ChangeRequirementWithResponse(l.ctx, l.id, nil, body, as(role))
	check(err)
	l.calls++
	if answer.JSON200 == nil {
		log.Fatalf("%s: %s %s", role, answer.Status(), answer.Body)
	}
}

// refused sends a move that the table does not have, and reads why.
func (l *life) refused() {
	done := orchestrator.StatusDone
	answer, err := l.client.ChangeRequirementWithResponse(l.ctx, l.id, nil,
		orchestrator.ChangeRequest{Status: &done, Justification: l.because("It is surely fine.")}, as("pm"))
	check(err)
	l.calls++
	if p := answer.ApplicationproblemJSON409; p == nil || p.Code != "illegal_transition" || p.Fix == nil {
		log.Fatalf("not refused: %s %s", answer.Status(), answer.Body)
	}
}

// because justifies a move with the commit.
func (l *life) because(reason string) *orchestrator.Justification {
	var evidence orchestrator.Evidence
	check(evidence.FromEvidenceCommit(orchestrator.EvidenceCommit{Commit: l.commit}))
	return &orchestrator.Justification{Reason: reason, Evidence: []orchestrator.Evidence{evidence}}
}

func (l *life) move(to orchestrator.Status) {
	l.change("pm", orchestrator.ChangeRequest{Status: &to, Justification: l.because("It is its turn.")})
}

func (l *life) work() {
	l.move(orchestrator.StatusPlanned)
	l.move(orchestrator.StatusDesignInProgress)
	l.change("architect", orchestrator.ChangeRequest{DesignSpec: &orchestrator.DesignSpec{Summary: "Passwords are hashed."}})
	l.move(orchestrator.StatusDesignReady)
	l.move(orchestrator.StatusImplementationInProgress)
	l.change("coder", orchestrator.ChangeRequest{
		Implementation: &orchestrator.Implementation{Summary: "Added the handler.", Commits: &[]string{l.commit}},
	})
	l.move(orchestrator.StatusImplemented)
	l.move(orchestrator.StatusTestInProgress)
	l.test()
	approval := orchestrator.ChangeRequestApprovals{{Decision: "approved"}}
	l.change("pm", orchestrator.ChangeRequest{
		Status: pointer(orchestrator.StatusDone), Approvals: &approval, Justification: l.because("Tested and approved."),
	})
}

// test attaches a report, and cites a test of it.
func (l *life) test() {
	name := "Test_" + strings.ReplaceAll(l.id, "-", "_")
	report := strings.NewReader(fmt.Sprintf("TAP version 13\n1..1\nok 1 - %s\n", name))
	attached, err := l.client.AttachTestReportWithBodyWithResponse(l.ctx, l.id, nil, "text/plain", report, as("tester"))
	check(err)
	l.calls++
	if attached.JSON200 == nil || !attached.JSON200.Covers {
		log.Fatalf("not attached: %s %s", attached.Status(), attached.Body)
	}
	var evidence orchestrator.Evidence
	check(evidence.FromEvidenceTest(orchestrator.EvidenceTest{Name: name, Result: "pass", Report: &attached.JSON200.Report}))
	l.change("tester", orchestrator.ChangeRequest{
		Status:        pointer(orchestrator.StatusTestedPass),
		Justification: &orchestrator.Justification{Reason: "It passes.", Evidence: []orchestrator.Evidence{evidence}},
	})
}

// read requires that the requirement is done, and that its last record is in the log.
func (l *life) read() {
	one, err := l.client.GetRequirementWithResponse(l.ctx, l.id, nil, as("viewer"))
	check(err)
	l.calls++
	if one.JSON200 == nil || *one.JSON200.Status != orchestrator.StatusDone {
		log.Fatalf("not done: %s %s", one.Status(), one.Body)
	}
	page, err := l.client.GetHistoryWithResponse(l.ctx, l.id, nil, as("viewer"))
	check(err)
	l.calls++
	if page.JSON200 == nil || len(page.JSON200.Records) == 0 {
		log.Fatalf("no history: %s %s", page.Status(), page.Body)
	}
	proof, err := l.client.ProveInclusionWithResponse(l.ctx,
		&orchestrator.ProveInclusionParams{Index: page.JSON200.Records[0].Seq}, as("viewer"))
	check(err)
	l.calls++
	if proof.JSON200 == nil || len(proof.JSON200.Hashes) == 0 {
		log.Fatalf("no proof: %s %s", proof.Status(), proof.Body)
	}
	tile, err := l.client.GetTileWithResponse(l.ctx, "0/000.p/1", as("viewer"))
	check(err)
	l.calls++
	if tile.StatusCode() != http.StatusOK || len(tile.Body) != 32 {
		log.Fatalf("no tile: %s", tile.Status())
	}
}
