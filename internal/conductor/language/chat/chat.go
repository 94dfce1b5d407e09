// Package chat asks a language model at an endpoint that speaks the chat completions of OpenAI.
package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"orchestrator/internal/fault"
)

const (
	maxReply       = 1 << 20 // bytes of an answer of the endpoint
	defaultTimeout = 30 * time.Second
)

// Endpoint is where a model is asked. Use it by pointer; goroutines may share one.
type Endpoint struct {
	BaseURL string        // such as https://llm.example.org/v1; /chat/completions is added
	Model   string        // as the endpoint names it
	Key     string        `json:"-"` // bearer token; "" sends none. It is in no error and no log
	Client  *http.Client  `json:"-"` // nil is one of its own; redirects are never followed
	Timeout time.Duration // of one call, with its body; 0 is 30 s
}

// FromEnvironment returns the endpoint that ORCHESTRATOR_LLM_URL, ORCHESTRATOR_LLM_MODEL and ORCHESTRATOR_LLM_KEY name;
// nil without a URL. With one the model is needed, the key is not. Its error is a *fault.Error, Invalid, llm_setting,
// and repeats neither the key nor the URL, in which some have one.
func FromEnvironment(getenv func(string) string) (*Endpoint, error) {
	e := &Endpoint{
		BaseURL: strings.TrimSpace(getenv("ORCHESTRATOR_LLM_URL")),
		Model:   strings.TrimSpace(getenv("ORCHESTRATOR_LLM_MODEL")),
		Key:     strings.TrimSpace(getenv("ORCHESTRATOR_LLM_KEY")),
	}
	if e.BaseURL == "" {
		return nil, nil
	}
	u, err := url.Parse(e.BaseURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" ||
		u.Fragment != "":
		return nil, setting("ORCHESTRATOR_LLM_URL is not the address of an endpoint",
			"set it to one such as https://llm.example.org/v1, or unset it for none")
	case u.User != nil:
		return nil, setting("ORCHESTRATOR_LLM_URL has a user or a password in it",
			"leave them out; a key goes into ORCHESTRATOR_LLM_KEY")
	case e.Model == "":
		return nil, setting("ORCHESTRATOR_LLM_URL is set, and ORCHESTRATOR_LLM_MODEL is not",
			"set it to the model's name at the endpoint, or unset ORCHESTRATOR_LLM_URL for none")
	case strings.ContainsFunc(e.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, setting("ORCHESTRATOR_LLM_KEY has characters that no key has",
			"set it to the key alone: one line of visible ASCII characters")
	}
	return e, nil
}

func setting(detail, fix string) error {
	return fault.New(fault.Invalid, "llm_setting", "%s", detail).WithFix("%s", fix)
}

// String names the endpoint without the key.
func (e Endpoint) String() string { return e.Model + " at " + e.host() }

// GoString returns String, so that no way of printing shows the key.
func (e Endpoint) GoString() string { return e.String() }

func (e Endpoint) host() string {
	if u, err := url.Parse(e.BaseURL); err == nil && u.Host != "" {
		return u.Host
	}
	return "an address that cannot be read"
}

// Message is one of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// errTurnedDown is returned when an endpoint does not take a request.
var errTurnedDown = errors.New("the request is refused")

// Complete returns the content of the model's answer. An endpoint that refuses the request is asked once more, without what
// some do not support: schemas of the output, and a temperature.
func (e *Endpoint) Complete(ctx context.Context, messages []Message, format any) (string, error) {
	asked := map[string]any{"model": e.Model, "messages": messages, "temperature": 0}
	if format != nil {
		asked["response_format"] = format
	}
	reply, err := e.ask(ctx, asked)
	if errors.Is(err, errTurnedDown) {
		delete(asked, "temperature")
		if format != nil {
			asked["response_format"] = map[string]any{"type": "json_object"}
		}
		return e.ask(ctx, asked)
	}
	return reply, err
}

// ask makes one call. Its errors have neither the key nor anything that the endpoint wrote, which could repeat it.
func (e *Endpoint) ask(ctx context.Context, asked map[string]any) (string, error) {
	timeout := e.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := e.request(ctx, asked)
	if err != nil {
		return "", err
	}
	response, err := e.client().Do(request)
	if err != nil {
		return "", e.unavailable(withoutAddress(err), "does not answer")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		if response.StatusCode == http.StatusBadRequest || response.StatusCode == http.StatusUnprocessableEntity {
			return "", e.unavailable(errTurnedDown, "answers %d", response.StatusCode)
		}
		return "", e.unavailable(nil, "answers %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxReply+1))
	if err != nil {
		return "", e.unavailable(withoutAddress(err), "breaks off its answer")
	}
	if len(body) > maxReply {
		return "", e.unavailable(nil, "answers with more than %d bytes", maxReply)
	}
	return e.content(body)
}

func (e *Endpoint) request(ctx context.Context, asked map[string]any) (*http.Request, error) {
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, e.unavailable(err, "cannot be asked")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		strings.TrimRight(e.BaseURL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil || request.URL.Host == "" || request.URL.Scheme != "https" && request.URL.Scheme != "http" {
		return nil, fault.New(fault.Unavailable, "translator_unavailable",
			"the address of the language model is not a URL").
			WithFix("set ORCHESTRATOR_LLM_URL to an address such as https://llm.example.org/v1").ForClients()
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if e.Key != "" {
		request.Header.Set("Authorization", "Bearer "+e.Key)
	}
	return request, nil
}

// client returns the given client, or a default one, that follows no redirect: the key goes to the named endpoint
// alone.
func (e *Endpoint) client() *http.Client {
	client := http.Client{}
	if e.Client != nil {
		client = *e.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

func (e *Endpoint) content(body []byte) (string, error) {
	var answer struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Choices) == 0 {
		return "", e.unavailable(nil, "answers with something else than a chat completion")
	}
	return answer.Choices[0].Message.Content, nil
}

func (e *Endpoint) unavailable(cause error, format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, "translator_unavailable", "the language model at %s %s", e.host(),
		fmt.Sprintf(format, args...)).
		WithFix("try again later, or use the forms that need no model: GET /forms lists them").
		Because(cause).ForClients()
}

// withoutAddress takes the URL out of an error, since a query may hold a key.
func withoutAddress(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
