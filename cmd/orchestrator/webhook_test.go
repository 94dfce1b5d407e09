package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/webhook/hook"
	"orchestrator/schemas"
)

// arrival is a message as a receiver got it.
type arrival struct {
	header  http.Header
	body    []byte
	message hook.Message
}

// receiver is a server that takes messages, as told tells it to.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []arrival
}

// newReceiver makes a receiver. before is called with each message, before it is answered; it may be nil.
func newReceiver(t *testing.T, before func(n int)) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		one := arrival{header: req.Header}
		var err error
		if one.body, err = io.ReadAll(req.Body); err != nil {
			return
		}
		if err := json.Unmarshal(one.body, &one.message); err != nil {
			t.Errorf("%s: %v", one.body, err)
		}
		r.mu.Lock()
		r.got = append(r.got, one)
		n := len(r.got)
		r.mu.Unlock()
		if before != nil {
			before(n)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) all() []arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// await waits until a record has arrived.
func (r *receiver) await(t *testing.T, record uint64) {
	t.Helper()
	require.NoError(t, poll(func() error {
		if !slices.ContainsFunc(r.all(), func(a arrival) bool { return a.message.Record == record }) {
			return fmt.Errorf("record %d did not arrive: %d others did", record, len(r.all()))
		}
		return nil
	}))
}

// noted has the pm write a note, and returns the number of its record.
func noted(t *testing.T, p *process, text string) uint64 {
	t.Helper()
	got, err := p.call(request{role: "pm", method: "PATCH", path: "/requirements/REQ-001", body: `{"pm_notes":[{"text":"` + text + `"}]}`})
	require.NoError(t, err)
	require.Equal(t, 200, got.status, got.body)
	return logSize(t, p) - 1
}

func logSize(t *testing.T, p *process) uint64 {
	t.Helper()
	got, err := p.call(request{role: "viewer", method: "GET", path: "/audit?limit=1"})
	require.NoError(t, err)
	var page struct {
		Size uint64 `json:"size"`
	}
	require.NoError(t, json.Unmarshal([]byte(got.body), &page))
	return page.Size
}

// A webhook is told of each record at least once and in order, over kills of the service and restarts. Every body keeps
// the schema, and is signed so that a receiver in Go or Python, as the page has them, takes it.
//
// Verifies: ORC-320, ORC-322, ORC-323
func TestAWebhookIsToldOverKills(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	var current atomic.Pointer[process]
	killed := make(chan struct{}, 100)
	r := newReceiver(t, func(n int) {
		if p := current.Load(); n%7 == 0 && !p.ended() { // the message has arrived, and its answer has not
			p.kill()
			killed <- struct{}{}
		}
	})
	out, code := orchestrate(t, dir, "init")
	require.Zero(t, code, out)
	out, code = orchestrate(t, dir, "webhook", "add", r.URL+"/in?key=hidden", "--name", "ops", "--kind", "requirement.changed")
	require.Zero(t, code, out)
	current.Store(startServer(t, dir))
	require.NoError(t, poll(func() error { // it is on record, and followed
		out, _ := orchestrate(t, dir, "webhook", "list", "--json")
		if !strings.Contains(out, `"begun":true`) {
			return fmt.Errorf("%s", out)
		}
		return nil
	}))
	running := func() *process { // starts it again where it was killed
		select {
		case <-killed:
			current.Store(startServer(t, dir))
		default:
		}
		return current.Load()
	}
	for i := range 20 {
		got, err := running().call(request{role: "pm", method: "PATCH", path: "/requirements/REQ-001",
			body: fmt.Sprintf(`{"pm_notes":[{"text":"note %d"}]}`, i)})
		if err != nil || got.status != 200 { // what the log has counts
			<-current.Load().done
		}
	}
	var records []uint64
	require.NoError(t, poll(func() error {
		changed, err := running().call(request{role: "viewer", method: "GET", path: "/audit?kind=requirement.changed&limit=1000"})
		if err != nil {
			return err
		}
		records = nil
		for _, found := range regexp.MustCompile(`\{"seq":([0-9]+),`).FindAllStringSubmatch(changed.body, -1) {
			var n uint64
			_, err := fmt.Sscan(found[1], &n)
			require.NoError(t, err)
			records = append(records, n)
		}
		all := r.all()
		if len(all) == 0 || len(records) == 0 || all[len(all)-1].message.Record != records[len(records)-1] {
			return fmt.Errorf("%d messages about %d records", len(all), len(records))
		}
		return nil
	}))
	var told []uint64
	ids := map[string]uint64{}
	for _, a := range r.all() {
		if len(told) == 0 || a.message.Record > told[len(told)-1] {
			told = append(told, a.message.Record)
		}
		id := a.header.Get("webhook-id")
		require.Contains(t, []uint64{0, a.message.Record}, ids[id], "a message keeps its id")
		ids[id] = a.message.Record
		require.Empty(t, violations(t, a.body), "%s", a.body)
	}
	require.Equal(t, records, told, "each once and in order, but for those that are sent again")
	require.Len(t, ids, len(records))
	require.Greater(t, len(r.all()), len(records), "a kill before the answer has one sent again")
	current.Load().kill()
	requireInOrder(t, dir)
	verifyAsThePageSays(t, dir, r.all())
}

// violations returns what of a body breaks the schema.
func violations(t *testing.T, body []byte) any {
	t.Helper()
	var value any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	require.NoError(t, d.Decode(&value))
	return schemas.Violations(schemas.Webhook, value)
}

// verifyAsThePageSays has the receivers of docs/webhooks.md check messages, and one that was changed.
func verifyAsThePageSays(t *testing.T, dir string, all []arrival) {
	t.Helper()
	page, err := os.ReadFile("../../docs/webhooks.md")
	require.NoError(t, err)
	secret, err := os.ReadFile(filepath.Join(dir, ".orchestrator/webhooks/ops.secret"))
	require.NoError(t, err)
	type message struct {
		Headers map[string]string
		Body    string
		Valid   bool
	}
	var messages []message
	for i, a := range all {
		m := message{map[string]string{}, string(a.body), i%3 != 2}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			m.Headers[name] = a.header.Get(name)
		}
		if !m.Valid {
			m.Body = strings.Replace(m.Body, "REQ-001", "REQ-002", 1)
		}
		messages = append(messages, m)
	}
	input, err := json.Marshal(map[string]any{"secret": strings.TrimSpace(string(secret)), "messages": messages})
	require.NoError(t, err)
	for language, c := range map[string]struct {
		file, before, after string
		run                 []string
	}{
		"go": {"main.go", `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

`, `
func main() {
	var in struct {
		Secret   string
		Messages []struct {
			Headers map[string]string
			Body    string
			Valid   bool
		}
	}
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		panic(err)
	}
	for _, m := range in.Messages {
		h := http.Header{}
		for name, value := range m.Headers {
			h.Set(name, value)
		}
		if verified(h, []byte(m.Body), in.Secret) != m.Valid {
			panic(m.Body)
		}
		fmt.Println("checked")
	}
}
`, []string{"go", "run", "main.go"}},
		"python": {"main.py", "", `
import json, sys
given = json.load(sys.stdin)
for m in given["messages"]:
    assert verified(m["Headers"], m["Body"].encode(), given["secret"]) == m["Valid"], m
    print("checked")
`, []string{"python3", "main.py"}},
	} {
		if _, err := exec.LookPath(c.run[0]); err != nil {
			t.Logf("there is no %s here", c.run[0])
			continue
		}
		found := regexp.MustCompile("(?s)<!-- verify: " + language + " -->\n```" + language + "\n(.*?)```\n").FindStringSubmatch(string(page))
		require.Len(t, found, 2, language)
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, c.file), []byte(c.before+found[1]+c.after), 0o600))
		cmd := exec.CommandContext(t.Context(), c.run[0], c.run[1:]...)
		cmd.Dir, cmd.Stdin = folder, bytes.NewReader(input)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", language, out)
		require.Equal(t, len(messages), strings.Count(string(out), "checked\n"), language)
	}
}

// The secret of a webhook, and what of its URL may be one, stand in its own files and nowhere else.
//
// Verifies: ORC-320
func TestTheSecretOfAWebhookIsKept(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir)
	r := newReceiver(t, nil)
	given := hook.NewSecret([32]byte{9})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "given"), []byte(given+"\n"), 0o600))
	var said string
	run := func(code int, args ...string) {
		t.Helper()
		out, got := orchestrate(t, dir, args...)
		require.Equal(t, code, got, "%v: %s", args, out)
		said += out
	}
	run(0, "webhook", "add", r.URL+"/very-hidden", "--name", "ops", "--secret-file", "given")
	run(0, "webhook", "add", "http://127.0.0.1:1/very-hidden", "--name", "down", "--json")
	r.await(t, noted(t, p, "told"))
	run(0, "webhook", "test", "ops", "--json")
	run(1, "webhook", "test", "down")
	run(0, "webhook", "list")
	run(0, "webhook", "list", "--json")
	run(0, "webhook", "replay", "ops", "--since", "1", "--json")
	made, err := os.ReadFile(filepath.Join(dir, ".orchestrator/webhooks/down.secret"))
	require.NoError(t, err)
	for _, path := range []string{"/metrics", "/audit?limit=1000", "/project", "/readyz?verbose"} {
		got, err := p.call(request{role: "viewer", method: "GET", path: path})
		require.NoError(t, err)
		said += got.body
	}
	require.Contains(t, said, `orchestrator_webhook_sent_total{webhook="ops"}`)
	require.Contains(t, said, `"host":"`+r.URL+`"`)
	run(0, "webhook", "remove", "down")
	require.NoError(t, p.stop(0))
	export, err := os.ReadFile(filepath.Join(dir, "project_status.json"))
	require.NoError(t, err)
	database, err := os.ReadFile(filepath.Join(dir, ".orchestrator/state.db"))
	require.NoError(t, err)
	said += string(export) + string(database) + p.log.String() + p.out.String()
	for _, hidden := range []string{given, strings.TrimSpace(string(made)), strings.TrimPrefix(given, "whsec_"), "very-hidden"} {
		require.False(t, strings.Contains(said, hidden), hidden)
	}
	requireInOrder(t, dir)
}

// Twenty receivers that hang hold up neither a change nor the end of the service; the twenty-first webhook is refused.
//
// Verifies: ORC-325
func TestReceiversThatHangDelayNothing(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir)
	free := make(chan struct{})
	r := newReceiver(t, func(int) { <-free })
	defer close(free)
	for i := range 20 {
		out, code := orchestrate(t, dir, "webhook", "add", r.URL, "--name", fmt.Sprint("hangs-", i))
		require.Zero(t, code, out)
	}
	out, code := orchestrate(t, dir, "webhook", "add", r.URL, "--name", "one-more")
	require.Equal(t, 1, code)
	require.Contains(t, out, "there are 20 webhooks, which is the most")
	require.NoError(t, poll(func() error {
		if n := len(r.all()); n < 19 { // the last one was told of none that was added behind it
			return fmt.Errorf("%d hang", n)
		}
		return nil
	}))
	before := len(r.all())
	for i := range 50 {
		noted(t, p, fmt.Sprint("while they hang ", i))
	}
	require.LessOrEqual(t, len(r.all()), before+20, "each has one message under way, at most")
	require.NoError(t, p.stop(0))
}

// A file of webhooks that cannot be used is reported, and all else goes on.
//
// Verifies: ORC-325
func TestWebhooksThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	r := newReceiver(t, nil)
	path := filepath.Join(dir, ".orchestrator/webhooks.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(`{"webhooks":[{"secret":"hidden"}]}`), 0o600))
	p := startServer(t, dir)
	check := func(want string) {
		t.Helper()
		require.NoError(t, poll(func() error {
			got, err := p.call(request{role: "viewer", method: "GET", path: "/readyz?verbose"})
			if err == nil && !regexp.MustCompile(`"name":\s*"webhooks",\s*"status":\s*"`+want+`"`).MatchString(got.body) {
				err = fmt.Errorf("%s", got.body)
			}
			return err
		}))
	}
	check("warning")
	noted(t, p, "all else goes on")
	out, code := orchestrate(t, dir, "webhook", "add", r.URL, "--name", "ops")
	require.Equal(t, 1, code)
	require.Contains(t, out, "webhooks.json cannot be used")
	require.NoError(t, os.Remove(path))
	check("ok")
	out, code = orchestrate(t, dir, "webhook", "add", r.URL, "--name", "ops")
	require.Zero(t, code, out)
	r.await(t, noted(t, p, "and this is told"))

	git := func(args ...string) {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	git("init", "-q")
	git("add", "-f", ".orchestrator/webhooks.json")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(raw, []byte(r.URL), []byte("http://127.0.0.1:1"), 1), 0o600))
	check("warning")
	r.await(t, noted(t, p, "still to the one in force"))
	git("rm", "-q", "-f", "--cached", ".orchestrator/webhooks.json")
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	check("ok")
	require.NoError(t, p.stop(0))
	require.NotContains(t, p.log.String(), "hidden")
}

// What a message says of a requirement, of a refusal, and of a run that asks something.
//
// Verifies: ORC-322
func TestAMessageSaysWhoHasToAct(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir)
	r := newReceiver(t, nil)
	out, code := orchestrate(t, dir, "webhook", "add", r.URL, "--link", "https://orc.example.com/shop/")
	require.Zero(t, code, out)
	require.Contains(t, out, "webhook 127-0-0-1-")
	told := func(record uint64) hook.Message {
		t.Helper()
		r.await(t, record)
		all := r.all()
		return all[slices.IndexFunc(all, func(a arrival) bool { return a.message.Record == record })].message
	}
	send := func(role, method, path, body string, status int) uint64 {
		t.Helper()
		got, err := p.call(request{role: role, method: method, path: path, body: body})
		require.NoError(t, err)
		require.Equal(t, status, got.status, got.body)
		return logSize(t, p) - 1
	}
	m := told(send("pm", "PATCH", "/requirements/REQ-001", `{"status":"planned","justification":{"reason":"r","evidence":[{"kind":"file","path":"REQUIREMENTS.md"}]}}`, 200))
	require.Equal(t, "requirement.changed", m.Kind)
	require.Equal(t, "REQ-001", *m.Requirement)
	require.Equal(t, []string{"pm"}, m.WaitingFor)
	require.Contains(t, m.Why, "pm: move it to design_in_progress")
	require.Equal(t, "https://orc.example.com/shop/ui/requirements/REQ-001", m.Link)
	require.Equal(t, "planned", m.Status)

	m = told(send("coder", "PATCH", "/requirements/REQ-002", `{"pm_notes":[{"text":"x"}]}`, 403))
	require.Equal(t, "requirement.refused", m.Kind)
	require.Regexp(t, `^coder \(coder\) was refused \(field_forbidden\): .+; pm: move it to planned`, m.Why)

	m = told(send("coder", "POST", "/obligations", `{"obligations":[{"type":"CLARIFY","payload":{"slot":"sum","question":"Which sum?"}}]}`, 200))
	require.Equal(t, "conductor.stepped", m.Kind)
	require.Nil(t, m.Requirement)
	require.Equal(t, []string{"coder", "pm"}, m.WaitingFor)
	require.Contains(t, m.Why, "asks coder (coder): Which sum?")
	require.Regexp(t, `^https://orc.example.com/shop/ui/traces/[^/]+$`, m.Link)

	out, code = orchestrate(t, dir, "token", "add", "coder", "eve")
	require.Zero(t, code, out)
	require.NoError(t, poll(func() error {
		all := r.all()
		last := all[len(all)-1].message
		if last.Kind != "tokens.changed" || last.Why != "" || len(last.WaitingFor) > 0 || last.Link != fmt.Sprint("https://orc.example.com/shop/ui/audit/records/", last.Record) {
			return fmt.Errorf("%+v", last)
		}
		return nil
	}))
	require.NoError(t, p.stop(0))
	for _, a := range r.all() {
		require.Empty(t, violations(t, a.body), "%s", a.body)
		require.WithinDuration(t, time.Now(), a.message.At, patience)
	}
}

// A webhook follows a requirement under the id that it gets, and tells what was recorded before by that.
//
// Verifies: ORC-320
func TestAWebhookFollowsARename(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir)
	r := newReceiver(t, nil)
	out, code := orchestrate(t, dir, "webhook", "add", r.URL, "--name", "one", "--requirement", "REQ-001")
	require.Zero(t, code, out)
	before := noted(t, p, "under its old id")
	r.await(t, before)
	document, err := os.ReadFile(filepath.Join(dir, "REQUIREMENTS.md"))
	require.NoError(t, err)
	path := filepath.Join(dir, "REQUIREMENTS.md")
	require.NoError(t, os.WriteFile(path+".new", bytes.Replace(document, []byte("REQ-001"), []byte("REQ-900"), 1), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
	require.NoError(t, poll(func() error {
		got, err := p.call(request{role: "viewer", method: "GET", path: "/requirements/REQ-900"})
		if err == nil && got.status != 200 {
			err = fmt.Errorf("%s", got.body)
		}
		return err
	}))
	out, code = orchestrate(t, dir, "rename", "REQ-001", "REQ-900", "--reason", "moved", "--yes")
	require.Zero(t, code, out)
	got, err := p.call(request{role: "pm", method: "PATCH", path: "/requirements/REQ-900", body: `{"pm_notes":[{"text":"new id"}]}`})
	require.NoError(t, err)
	require.Equal(t, 200, got.status, got.body)
	after := logSize(t, p) - 1
	r.await(t, after)
	out, code = orchestrate(t, dir, "webhook", "replay", "one", "--since", fmt.Sprint(before))
	require.Zero(t, code, out)
	require.Contains(t, out, "the service sends them now")
	require.NoError(t, poll(func() error {
		again := slices.DeleteFunc(r.all(), func(a arrival) bool { return a.message.Record != before })
		if len(again) < 2 {
			return fmt.Errorf("record %d was sent %d times", before, len(again))
		}
		require.Equal(t, "REQ-001", again[1].message.Subject)
		require.Equal(t, "REQ-900", *again[1].message.Requirement)
		require.Equal(t, again[0].header.Get("webhook-id"), again[1].header.Get("webhook-id"))
		return nil
	}))
	require.NoError(t, p.stop(0))
}
