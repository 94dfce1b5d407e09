// Package advice says what a person can type next: it puts what the service allows, asks for and shows as examples into
// command lines. It decides nothing.
package advice

import (
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/shellquote"
)

const program = "orchestrator "

// quote returns a word for a shell. What stands in angle brackets is quoted as well: a shell would take it for a file.
func quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.-_:@=") == "" {
		return word
	}
	return shellquote.Quote(word)
}

// Line returns a command with its words, quoted for a shell.
func Line(command string, words ...string) string {
	for _, word := range words {
		command += " " + quote(word)
	}
	return command
}

// Body returns the command that sends what an example shows; "" where no command does.
func Body(id string, b guidance.Body) string {
	name := quote(id)
	switch {
	case b.Status == lifecycle.Done && b.Approvals != nil:
		return program + "approve " + name
	case b.Status != "":
		return move(id, string(b.Status), justified(b.Justification))
	case b.AcceptFingerprint != "":
		return program + "accept " + name
	case b.DesignSpec != nil:
		return program + "design " + name + " --summary '<what is to be built, and how>'"
	case b.Implementation != nil:
		return program + "implement " + name + " --summary '<what was built>' --file '<path:lines>'"
	case b.Test != nil:
		return program + "attach " + name + " '<report>'"
	case b.Approvals != nil:
		return program + "approve " + name
	case b.PMNotes != nil:
		return program + "note " + name + " '<a remark>'"
	case b.Deviations != nil:
		return program + "change " + name + " --from '<file with deviations>'"
	}
	return ""
}

func justified(j *lifecycle.Justification) string {
	if j == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(" --reason '<why>'")
	for _, e := range j.Evidence {
		b.WriteString(" --evidence " + quote(proposal.Words(e)))
	}
	return b.String()
}

// Lead returns the command that does what a lead asks for; where no command does, the request of the lead.
func Lead(id string, l guidance.Lead) string {
	switch {
	case l.Example != nil:
		return Body(id, *l.Example)
	case strings.HasPrefix(l.Request, "PUT /workflow"):
		return program + "workflow rework --reason '<why>'"
	case strings.HasPrefix(l.Request, guidance.RenameRequest):
		return renaming(strings.TrimPrefix(l.Request, guidance.RenameRequest))
	case strings.HasPrefix(l.Request, "POST /requirements/"):
		return program + "attach " + quote(id) + " '<report>'"
	}
	return l.Request
}

// renaming returns the command that confirms the pairs of a request; "" if it has none.
func renaming(body string) string {
	var asked struct {
		Renames []struct {
			From string `json:"from"`
			To   string `json:"to"`
		} `json:"renames"`
	}
	if err := jsonv2.Unmarshal([]byte(body), &asked); err != nil || len(asked.Renames) == 0 {
		return ""
	}
	return Line(program+"rename", asked.Renames[0].From, asked.Renames[0].To) + " --reason '<why>'"
}

// Agreed returns the command that does what comes first, with a reason in it, so that it can be typed as it stands; ""
// where it needs other words of a person. Whether two requirements are the same is not agreed beforehand: of a renaming
// it is the command that lists them.
func Agreed(first agenda.First) string {
	switch {
	case len(first.Next) == 0:
		return ""
	case strings.HasPrefix(first.Next[0].Request, guidance.RenameRequest):
		return program + "rename"
	}
	command := strings.ReplaceAll(Lead(first.ID, first.Next[0]), "'<why>'", "agreed")
	if strings.Contains(command, "'<") || !strings.HasPrefix(command, program) {
		return ""
	}
	return command
}

// Next returns the command that lists what a party can do with a requirement; "" for one that has no tokens.
func Next(id, party string) string {
	if _, err := lifecycle.ParseRole(party); err != nil {
		return ""
	}
	return program + "next " + quote(id) + " --as " + party
}

// Attach returns the command that attaches a report.
func Attach(id, report string) string { return program + "attach " + quote(id) + " " + quote(report) }

// Refusal returns what a person can do about a refused change, a line each: what was lacking, and what is allowed
// instead.
func Refusal(id string, f *fault.Error) (lines []string) {
	if f == nil {
		return nil
	}
	for _, field := range f.Fields {
		var example guidance.Body
		if field.Example != "" && jsonv2.Unmarshal([]byte(field.Example), &example) == nil {
			if command := Body(id, example); command != "" {
				lines = append(lines, "supply it: "+command)
			}
		}
	}
	for _, m := range f.Allowed {
		lines = append(lines, fmt.Sprintf("allowed, by the %s: %s", m.By, allowed(id, m.To)))
	}
	for _, whole := range f.IDs {
		lines = append(lines, "it may be: "+quote(whole))
	}
	return lines
}

// allowed returns the command that makes a move; its evidence is the person's to choose.
func allowed(id, to string) string {
	if to == string(lifecycle.Done) {
		return program + "approve " + quote(id)
	}
	return move(id, to, " --reason '<why>' --evidence '<evidence>'")
}

// move returns the command that moves a requirement into a status, with the flags that justify it.
func move(id, to, flags string) string {
	switch to {
	case proposal.Blocked:
		return program + "block " + quote(id) + " --reason '<why>'"
	case proposal.Deferred:
		return program + "defer " + quote(id) + " --reason '<why>'"
	}
	return program + "change " + quote(id) + " --status " + to + flags
}

// Typed returns a text of the service with commands in the place of the requests that it names.
func Typed(id, text string) string {
	name := quote(id)
	text = conducted(text)
	return strings.NewReplacer(
		"; then use a new Idempotency-Key, since this one will give this answer again", "", // each command has its own
		"each of errors says", "the lines above say",
		"see /schemas/change_request.schema.json; nothing of this request was applied",
		"the lines above say what is wrong; nothing was changed",
		"read the requirement again, look at what changed, and send the change with its present ETag",
		"look at what changed with "+program+"show "+name+", and send the change for the present revision",
		"which If-Match does not name", "not at the one that the change was meant for",
		`send for example {"field":"implementation","for":"30m"}, and renew`, "give --for a time such as 30m, and renew",
		"GET /requirements/{id}/next", program+"next "+name,
		"GET /requirements/{id}/review", program+"show "+name,
		"GET /requirements/{id}", program+"show "+name,
		"GET /requirements?retired=true", program+"list",
		"GET /requirements", program+"list",
		"GET /next", program+"next",
		"GET /forms", program+"ask --forms",
		"GET /schedules?active=true", program+"schedules list", "DELETE /schedules/{id}", program+"schedules end ID",
		"DELETE /requirements/{id}/claim?field=…", program+"claim "+name+" --release",
		`PUT /workflow {"workflow":"rework","reason":"…"}`, program+"workflow rework --reason '<why>'",
		`PUT /workflow {"workflow":"rework","reason":"<why>"}`, program+"workflow rework --reason '<why>'",
		"PUT /workflow", program+"workflow rework --reason '<why>'",
		"GET /workflow", program+"workflow",
		"POST /requirements/{id}/test-report", program+"attach "+name+" '<report>'",
		", percent-encoded once in a path", "",
		"take the id from GET /requirements, percent-encoded once", program+"list lists the ids",
		"POST /project/renames", program+"rename",
	).Replace(text)
}

// dead is the name of the objection that no move leads to done.
const dead = "dead_end"

// Objection returns what stands against done, with who mends it, and how.
func Objection(id string, o guidance.Objection) string {
	detail, with := o.Detail, o.With
	if o.Gate == dead {
		detail, _, _ = strings.Cut(detail, "; ") // the rest is the way out, which stands behind it
	}
	switch {
	case with == "status deferred":
		with = program + "defer " + quote(id) + " --reason '<why>'"
	case o.Gate == lifecycle.GateAcceptance:
		with = program + "accept " + quote(id) + ", if the work still fits"
	case o.Gate == lifecycle.GateDeviations:
		with = program + "approve " + quote(id) + ", which accepts it, or " +
			Body(id, guidance.Body{Deviations: []lifecycle.DeviationChange{}})
	}
	with = strings.Replace(with, "status needs_changes opens it", program+"reopen "+quote(id)+" opens it", 1)
	return Typed(id, detail) + " (" + string(o.By) + ": " + Typed(id, with) + ")"
}

// WayOut returns the command that leads out of a dead end; "" for what is in none.
func WayOut(against []guidance.Objection) string {
	if slices.ContainsFunc(against, func(o guidance.Objection) bool { return o.Gate == dead }) {
		return program + "workflow rework --reason '<why>'"
	}
	return ""
}

// Awaiting returns what a party does about the requirements that wait for it, of which one is named: a role asks with
// its token, and others have none.
func Awaiting(party lifecycle.Party, id string) string {
	switch party {
	case lifecycle.Document:
		return "correct the documents, and save them; " + program + "show " + quote(id) + " says what is wrong"
	case lifecycle.Operator:
		return "see to the repository and the service: " + program + "doctor"
	}
	return program + "next --as " + string(party)
}

// Error is a refusal with what a person can type next, a line each.
type Error struct {
	Err   error
	Lines []string
}

// Error returns the refusal alone.
func (e Error) Error() string { return e.Err.Error() }

// Unwrap makes the refusal a target for errors.As.
func (e Error) Unwrap() error { return e.Err }

// Marked returns a status with what is to be known beside it; * is that the document calls the requirement finished.
func Marked(status string, suspect, stale, retired, complete bool) string {
	for _, mark := range []struct {
		is   bool
		text string
	}{{suspect, ", suspect"}, {stale, ", stale"}, {retired, ", retired"}, {complete, " *"}} {
		if mark.is {
			status += mark.text
		}
	}
	return status
}
