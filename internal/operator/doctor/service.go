package doctor

import (
	"context"
	"errors"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/localservice"
	"orchestrator/internal/system/background"
	"orchestrator/internal/system/tree"
)

// answerWithin bounds how long a service may take for an answer.
const answerWithin = 3 * time.Second

// services looks at services.
type services struct{ *examination }

// lookAtService looks at the service of the folder, and at the one that the settings name.
func (e services) lookAtService(ctx context.Context) {
	local := ""
	if apiclient.Runs(e.Data) {
		local = e.lookAtLocal(ctx)
	} else {
		e.lookAtNone()
	}
	if e.saved.URL != "" && (local == "" || !apiclient.SameServer(local, e.saved.URL)) {
		e.lookAtSaved(ctx)
	}
}

// lookAtNone says why no service runs.
func (e services) lookAtNone() {
	process, err := localservice.Process(e.Data)
	switch {
	case err == nil && process != 0:
		e.advise("service", Warning, "wait for it; "+localservice.LogFile(e.Data)+" says what it does",
			"process %d is starting or ending the service", process)
	case errors.Is(err, background.ErrStranger):
		e.say("service", Problem, "rm -- "+quoted(e.Data.File("up.lock")),
			"another program holds the lock by which down finds the service: %v", err)
	case e.saved.URL != "":
		e.say("service", OK, "", "none runs with the folder %s; the settings name another", e.Data)
	default:
		e.say("service", Warning, e.orchestrator("up"), "no service runs with the folder %s", e.Data)
	}
}

// lookAtLocal looks at the service that holds the lock of the folder, and returns its address.
func (e services) lookAtLocal(ctx context.Context) (url string) {
	addr, err := apiclient.LocalAddress(ctx, e.Data)
	if err != nil {
		e.fail("service", Problem, err)
		return ""
	}
	url = apiclient.LocalURL(addr)
	e.known.served = true
	if !e.lookAtAnswers(ctx, url) {
		return url
	}
	token := e.Data.Token("viewer")
	if !tree.Exists(token) {
		token = e.Data.Token("pm")
	}
	if !tree.Exists(token) {
		e.say("service", Warning, e.newToken("viewer", e.Data.Token("viewer")),
			"there is no token of the viewer or the pm in %s to ask it with", e.Data.TokenDir())
		return url
	}
	c, err := e.client(apiclient.Options{Server: url, TokenIn: string(e.Data), TokenFile: token, Own: e.Data})
	if err == nil {
		err = e.ask(ctx, c)
	}
	if errors.Is(err, fault.Unauthenticated) {
		role := strings.TrimSuffix(strings.TrimPrefix(token, e.Data.TokenDir()+"/"), ".token")
		e.say("service", Problem, e.newToken(role, token), "the service does not accept the token in %s", token)
	} else if err != nil {
		e.fail("service", Problem, err)
	}
	return url
}

func (e services) client(o apiclient.Options) (*apiclient.Client, error) {
	o.CAFile, o.UserAgent, o.Timeout = e.TLSCA, e.Program.Agent, answerWithin
	return apiclient.New(o)
}

// lookAtAnswers asks a service what everybody may ask: whether it is ready, and which program it is.
func (e services) lookAtAnswers(ctx context.Context, url string) (answers bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*answerWithin)
	defer cancel()
	c, err := e.client(apiclient.Options{Server: url, Anonymous: true})
	if err == nil {
		err = e.lookAtChecks(ctx, c)
	}
	theirs := struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
	}{}
	if err == nil {
		_, err = c.GetJSON(ctx, "/version", &theirs)
	}
	if err != nil {
		e.fail("service", e.severity(url), err)
		return false
	}
	own := e.Program
	switch {
	case theirs.Version == own.Version && theirs.Commit == own.Commit:
		e.say("service", OK, "", "answers at %s, version %s", c.Base(), theirs.Version)
	case e.known.served:
		e.say("service", Warning, e.orchestrator("down")+" && "+e.orchestrator("up"),
			"the service at %s is version %s (%s), and this program %s (%s)", c.Base(), theirs.Version, theirs.Commit,
			own.Version, own.Commit)
	default:
		e.advise("service", Warning, "install the same version here",
			"the service at %s is version %s (%s), and this program %s (%s)", c.Base(), theirs.Version, theirs.Commit,
			own.Version, own.Commit)
	}
	return true
}

// severity returns how bad it is that a service cannot be asked. The certificate of the folder's own is for the name
// that clients ask for, which is not the address that it listens on.
func (e services) severity(url string) Level {
	if e.known.served && strings.HasPrefix(url, "https://") {
		return Warning
	}
	return Problem
}

// lookAtChecks passes on what a service says of itself.
func (e services) lookAtChecks(ctx context.Context, c *apiclient.Client) error {
	answer, err := c.Send(ctx, apiclient.Request{Method: "GET", Path: "/readyz?verbose"})
	said := struct {
		Checks []struct {
			Name   string `json:"name"`
			Status string `json:"status"`
			Detail string `json:"detail"`
		} `json:"checks"`
	}{}
	if jsonv2.Unmarshal(answer.Body, &said) != nil || len(said.Checks) == 0 {
		if err == nil {
			err = c.Stranger("GET /readyz?verbose lists no checks")
		}
		return err
	}
	for _, check := range said.Checks {
		switch check.Status {
		case "ok":
		case "failing":
			e.advise("service", Problem, "see its log; docs/operations.md says what each check means",
				"it says of %s: %s",
				check.Name, check.Detail)
		default:
			e.advise("service", Warning, "see its log; docs/operations.md says what each check means",
				"it says of %s: %s",
				check.Name, check.Detail)
		}
	}
	return nil
}

// ask learns from the service of the folder what only those with a token may ask.
func (e services) ask(ctx context.Context, c *apiclient.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 2*answerWithin)
	defer cancel()
	workflow := struct {
		Evidence string `json:"evidence"`
		Branch   string `json:"branch"`
	}{}
	if _, err := c.GetJSON(ctx, "/workflow", &workflow); err != nil {
		return err
	}
	e.known.evidence, e.known.branch = workflow.Evidence, workflow.Branch
	key, err := c.Get(ctx, "/audit/key", "text/plain")
	if err != nil {
		return err
	}
	note, err := c.Get(ctx, "/audit/checkpoint", "text/plain")
	if err != nil {
		return err
	}
	checkpoint, err := audit.OpenCheckpoint(note, strings.TrimSpace(string(key)))
	if err != nil {
		return err
	}
	e.known.is, e.known.key = true, strings.TrimSpace(string(key))
	e.known.size, e.known.root = checkpoint.Size, checkpoint.Root
	return nil
}

// lookAtSaved looks at the service that the settings name, with the token that was saved for it.
func (e services) lookAtSaved(ctx context.Context) {
	served := e.known.served
	e.known.served = false
	answers := e.lookAtAnswers(ctx, e.saved.URL)
	e.known.served = served
	file := e.saved.TokenPath(e.Data)
	if file == "" {
		e.advise("service", Warning,
			"orchestrator config set token_file FILE, with a token that its operator made for you",
			"no token is saved for %s", apiclient.Redacted(e.saved.URL))
		return
	}
	if !answers {
		return
	}
	c, err := e.client(apiclient.Options{Server: e.saved.URL, TokenIn: string(e.Data), TokenFile: file, Saved: e.Data})
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, answerWithin)
		defer cancel()
		_, err = c.Get(ctx, "/workflow", "application/json")
	}
	switch {
	case errors.Is(err, fault.Unauthenticated):
		e.advise("service", Problem, "ask whoever runs it for another token, and put it into that file",
			"%s does not accept the token in %s", c.Base(), file)
	case err != nil:
		e.fail("service", Problem, err)
	default:
		e.say("service", OK, "", "%s accepts the token in %s", c.Base(), file)
	}
}
