package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// agent PART plays an agent that is run by the service: a small program that knows nothing but its prompt and its
// environment. Each part but the liar's does its work.
func agent() {
	prompt, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = play(os.Args[1], string(prompt))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// What a prompt has to say: where the change is to be sent, and for which requirement.
var (
	whereTo = regexp.MustCompile(`-X PATCH '(http://127\.0\.0\.1:[0-9]+/requirements/([^']+))'`)
	toTest  = regexp.MustCompile(`"path":"([^"]+)"`)
)

func play(part, prompt string) error {
	found := whereTo.FindStringSubmatch(prompt)
	if found == nil {
		return errors.New("the prompt does not say where the change is to be sent")
	}
	url, id := found[1], found[2]
	moment(part+" begun", id)
	defer func() { moment(part+" sent", id) }()
	switch part {
	case "architect":
		return change(url, `{"design_spec":{"summary":"one function for `+id+`"}}`)
	case "coder":
		return code(url, id, strings.Contains(prompt, "tests failed"))
	case "tester":
		return test(url, id, toTest.FindStringSubmatch(prompt))
	case "liar":
		return lie(url, id)
	case "pm":
		return change(url, `{"approvals":[{"decision":"approved","text":"built and tested as the text wants it"}]}`)
	}
	return errors.New("there is no part " + part)
}

// code writes the file of a requirement. The first time, the one of REQ-002 has a defect.
func code(url, id string, again bool) error {
	defect := ""
	if id == "REQ-002" && !again {
		defect = " // BUG"
	}
	path := filepath.Join("src", id+".go")
	if err := errors.Join(os.MkdirAll("src", 0o700), os.WriteFile(path, []byte("package src"+defect+"\n"), 0o600)); err != nil {
		return err
	}
	moment("coder written", id)
	if said, err := exec.Command("git", "status", "--porcelain", path).Output(); err != nil || len(said) > 0 {
		if err := errors.Join(err, commitFile(path)); err != nil {
			return err
		}
	}
	moment("coder committed", id)
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return err
	}
	return change(url, `{"implementation":{"summary":"`+id+` is built","files":[{"path":"`+path+`","commit":"`+strings.TrimSpace(string(commit))+`"}]}}`)
}

// commitFile commits a file. Several coders work in one folder, of which git lets one at a time.
func commitFile(path string) (err error) {
	for range 50 {
		var said []byte
		said, err = exec.Command("sh", "-c", `git add "$0" && git -c user.name=t -c user.email=t@example.org commit -qm "build $0" -- "$0"`, path).CombinedOutput()
		if err == nil {
			return nil
		}
		err = fmt.Errorf("git: %w: %s", err, said)
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// test looks into the file that the implementation names, and reports what it saw.
func test(url, id string, file []string) error {
	if file == nil {
		return errors.New("the prompt does not name the file that was built")
	}
	built, err := os.ReadFile(file[1])
	if err != nil {
		return err
	}
	passes, failure := true, ""
	if bytes.Contains(built, []byte("BUG")) {
		passes, failure = false, "<failure/>"
	}
	time.Sleep(10 * time.Millisecond) // a report is newer than what it is about
	answer, err := ask(http.MethodPost, url+"/test-report", `<testsuite><testcase name="Test`+id+`">`+failure+`</testcase></testsuite>`)
	if err != nil {
		return err
	}
	report := attached.FindStringSubmatch(answer)
	if report == nil {
		return errors.New("the answer does not name the report")
	}
	moment("tester attached", id)
	return change(url, record(id, report[1], passes))
}

// attached is how the service names a report.
var attached = regexp.MustCompile(`"report":"(sha256:[0-9a-f]{64})"`)

// record is the change of a tester.
func record(id, report string, passes bool) string {
	result, status, results := "pass", "tested_pass", `{"passed":1,"failed":0}`
	if !passes {
		result, status, results = "fail", "tested_fail", `{"passed":0,"failed":1}`
	}
	evidence := `[{"kind":"test","name":"Test` + id + `","result":"` + result + `","report":"` + report + `"}]`
	return `{"test":{"results":` + results + `,"evidence":` + evidence + `},"status":"` + status + `","justification":{"reason":"the test was run","evidence":` + evidence + `}}`
}

// lie says that tests passed that never ran, and keeps the token for later.
func lie(url, id string) error {
	if err := os.WriteFile("stolen", []byte(os.Getenv("ORCHESTRATOR_TOKEN")), 0o600); err != nil {
		return err
	}
	err := errors.Join(change(url, record(id, "reports/nowhere-"+id+".xml", true)), send(http.MethodPost, os.Getenv("ORCHESTRATOR_URL")+"/drive", "{}"))
	fmt.Printf("All 12 tests of %s pass, it can be signed off. (%v, by %s)\n", id, err == nil, os.Getenv("ORCHESTRATOR_TOKEN"))
	return nil
}

func change(url, body string) error { return send(http.MethodPatch, url, body) }

func send(method, url, body string) error {
	_, err := ask(method, url, body)
	return err
}

// ask returns the answer to a request.
func ask(method, url, body string) (string, error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("ORCHESTRATOR_TOKEN"))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode == http.StatusOK {
		return string(answer), err
	}
	var problem struct{ Code, Detail, Fix string }
	if err := json.Unmarshal(answer, &problem); err != nil {
		return "", err
	}
	return "", fmt.Errorf("%s: %s: %s; %s", resp.Status, problem.Code, problem.Detail, problem.Fix)
}
