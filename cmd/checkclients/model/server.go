package model

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxRequest bounds what is read of a request.
const maxRequest = 32 << 20

// Server answers the clients. Its methods may be called at any time.
type Server struct {
	URL string // without a path

	server *http.Server
	keep   string // folder for the requests as they came; "" keeps none

	mu    sync.Mutex
	all   []*conversation
	tools map[string]Tools // by the mark of the conversation
	aside int              // requests of no conversation: titles, summaries
	odd   []string         // requests that could not be read
	count int
}

// protocol reads the requests of one provider and writes its answers.
type protocol interface {
	read(path string, body []byte) (*request, error)
	// write answers with a call, or with a text if there is none.
	write(w http.ResponseWriter, r *request, id string, call *Call, text string)
}

// Start serves scripts on a free port of loopback. Requests are kept in a folder, unless it is "".
func Start(keep string, scripts ...Script) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + listener.Addr().String(), keep: keep, tools: map[string]Tools{}}
	for _, script := range scripts {
		s.all = append(s.all, &conversation{script: script})
	}
	s.server = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(listener) }() // ends with Close
	return s, nil
}

// Close ends the server.
func (s *Server) Close() { _ = s.server.Close() }

// Outcomes returns what became of the steps of a script, and whether the client came for the last word.
func (s *Server) Outcomes(mark string) (outcomes []Outcome, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.all {
		if c.script.Mark == mark {
			return slices.Clone(c.outcomes), len(c.ends) > 0
		}
	}
	return nil, false
}

// Ends returns what the user had said in all, each time that the client came for the last word of a script: more than
// once where it goes on after the end.
func (s *Server) Ends(mark string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.all {
		if c.script.Mark == mark {
			return slices.Clone(c.ends)
		}
	}
	return nil
}

// Offered returns the tools that were offered in a conversation.
func (s *Server) Offered(mark string) Tools {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tools[mark])
}

// Odd returns what could not be read, or was asked for and is not there.
func (s *Server) Odd() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.odd)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		return
	}
	s.keepRequest(r.URL.Path, body)
	p := protocolOf(r.URL.Path)
	if p == nil || r.Method != http.MethodPost {
		s.other(w, r)
		return
	}
	asked, err := p.read(r.URL.Path, body)
	if err != nil {
		s.note(fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err))
		http.Error(w, `{"error":{"message":"the request cannot be read"}}`, http.StatusBadRequest)
		return
	}
	id, call, text := s.decide(asked)
	p.write(w, asked, id, call, text)
}

// decide returns the next step of the conversation that a request belongs to.
func (s *Server) decide(r *request) (id string, made *Call, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	id = fmt.Sprintf("%04d", s.count)
	c := r.of(s.all)
	if c == nil || len(r.tools) == 0 {
		s.aside++
		return id, nil, "A check"
	}
	s.offer(c.script.Mark, r.tools)
	step, call := c.next(r, id)
	if step == "" {
		return "last", nil, c.script.Last
	}
	return step, &call, ""
}

// offer notes the tools of a conversation: a client may offer more of them later.
func (s *Server) offer(mark string, tools Tools) {
	for _, tool := range tools {
		same := func(t Tool) bool { return t.Name == tool.Name && t.Space == tool.Space }
		if !slices.ContainsFunc(s.tools[mark], same) {
			s.tools[mark] = append(s.tools[mark], tool)
		}
	}
}

func (s *Server) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.odd, text) {
		s.odd = append(s.odd, text)
	}
}

// keepRequest keeps a request, for those who look for the reason of a failure.
func (s *Server) keepRequest(path string, body []byte) {
	if s.keep == "" {
		return
	}
	s.mu.Lock()
	s.count++
	name := fmt.Sprintf("%04d%s.json", s.count, strings.NewReplacer("/", "_", ":", "_").Replace(path))
	s.mu.Unlock()
	_ = os.WriteFile(filepath.Join(s.keep, name), body, 0o600) //nolint:gosec // slashes are replaced
}

// protocolOf returns the protocol that a path belongs to, or nil.
func protocolOf(path string) protocol {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, ":streamGenerateContent"), strings.HasSuffix(path, ":generateContent"):
		return generative{}
	}
	return nil
}

// other answers what clients ask besides: the size of a text, the list of models. Everything else is not there.
func (s *Server) other(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		writeJSON(w, object{"input_tokens": 100})
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		writeJSON(w, object{"totalTokens": 100})
	case strings.HasSuffix(r.URL.Path, "/models"):
		writeJSON(w, object{"object": "list", "data": []any{}, "models": []any{}})
	case strings.HasPrefix(r.URL.Path, "/@"): // a package, of a client that takes this for its registry
		http.NotFound(w, r)
	case r.Method == http.MethodHead:
	default:
		s.note(r.Method + " " + r.URL.Path + ": not there")
		http.NotFound(w, r)
	}
}

// object is an object of JSON.
type object = map[string]any

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client is gone
}

// events writes server-sent events, each with its type as name, unless it has none.
func events(w http.ResponseWriter, all ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range all {
		if name, named := event["type"].(string); named {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		text, err := json.Marshal(event)
		if err != nil {
			panic(err) // of our own values
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
	}
	if f, can := w.(http.Flusher); can {
		f.Flush()
	}
}

// inputOf returns a call's input as JSON.
func (c *Call) inputOf() string {
	text, err := json.Marshal(c.Input)
	if err != nil {
		panic(err) // of our own values
	}
	return string(text)
}

// fieldsOf returns the fields of a tool's input, by its JSON schema.
func fieldsOf(schema json.RawMessage) []string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return []string{}
	}
	return append([]string{}, slices.Sorted(maps.Keys(s.Properties))...)
}

// textOf returns the text of a content that is a text, or a list of parts with texts.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return string(content)
	}
	var all []string
	for _, part := range parts {
		if part.Text != "" {
			all = append(all, part.Text)
		}
	}
	return strings.Join(all, "\n")
}
