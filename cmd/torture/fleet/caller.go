package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answerWait is longer than any answer takes that is worth waiting for.
const answerWait = 10 * time.Second

// caller makes requests of one replica.
type caller struct {
	http         *http.Client
	base, secret string
}

func newCaller(addr, secret string) *caller {
	return &caller{&http.Client{Transport: &http.Transport{}, Timeout: answerWait}, "http://" + addr, secret}
}

func (c *caller) close() { c.http.CloseIdleConnections() }

// answer is what a replica answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do makes a request and reads its answer to the end.
func (c *caller) do(method, path, body string, headers ...string) (answer, error) {
	req, err := http.NewRequestWithContext(context.Background(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if c.secret != "" {
		req.Header.Set("Authorization", "Bearer "+c.secret)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, content}, err
}

// get reads a page.
func (c *caller) get(path string) ([]byte, error) {
	got, err := c.do(http.MethodGet, path, "")
	if err == nil && got.status != http.StatusOK {
		err = got.problem()
	}
	return got.body, err
}

func (a answer) problem() error { return fmt.Errorf("status %d: %.300s", a.status, a.body) }

// unavailable reports whether the same request may succeed later.
func (a answer) unavailable() bool {
	return a.status/100 == 5 || a.status == http.StatusTooManyRequests
}

// revision reads the ETag of a requirement.
func (a answer) revision() (uint64, error) {
	return strconv.ParseUint(strings.Trim(a.header.Get("ETag"), `"`), 10, 64)
}

// note reads the mark of the change that a requirement shows.
func (a answer) note() (string, error) {
	var shown struct {
		Implementation struct {
			Summary string `json:"summary"`
		} `json:"implementation"`
	}
	err := json.Unmarshal(a.body, &shown)
	return shown.Implementation.Summary, err
}

// receipt says where the record of a change stands.
type receipt struct {
	size, index uint64
	root        string
}

// receipt reads the header Audit-Receipt. In the answer to a request that is repeated, the log may have more records.
func (a answer) receipt() (r receipt, err error) {
	header := a.header.Get("Audit-Receipt")
	for part := range strings.SplitSeq(header, ", ") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "size":
			r.size, err = strconv.ParseUint(value, 10, 64)
		case "index":
			r.index, err = strconv.ParseUint(value, 10, 64)
		case "root":
			r.root = strings.Trim(value, ":")
		}
		if err != nil {
			break
		}
	}
	if err != nil || r.size <= r.index || r.root == "" {
		return r, fmt.Errorf("Audit-Receipt %q is none of a change", header)
	}
	return r, nil
}
