// Package looking opens the pages for people as a browser does that has no cache.
package looking

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// pages are those that are measured, below the address of the service.
var pages = []string{
	"/ui/", "/ui/requirements", "/ui/project/review", "/ui/progress", "/ui/audit", "/ui/project/import",
	"/ui/boundary/report", "/ui/traces",
}

// person is somebody who is signed in.
type person struct {
	base   string
	client *http.Client
	token  string
}

// signIn signs in at the service at a base address, with a token.
func signIn(ctx context.Context, base, token string) (*person, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableCompression: true} // so that the bytes are those on the wire
	p := &person{base, &http.Client{Jar: jar, Transport: transport}, token}
	form := strings.NewReader(url.Values{"token": {token}}.Encode())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/ui/sign-in", form)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	_, err = p.do(r)
	return p, err
}

// visit is what opening something took.
type visit struct {
	first, whole time.Duration // until the first byte, and until the last
	bytes        int           // over the wire
}

// loaded matches what a page loads.
var loaded = regexp.MustCompile(`(?:src|href)="(/ui/assets/[^"#]+)`)

// open opens a page. Its bytes are those of all that it loads as well.
func (p *person) open(ctx context.Context, page string) (visit, error) {
	r, err := p.request(ctx, page)
	if err != nil {
		return visit{}, err
	}
	v, body, err := p.timed(r)
	if err != nil {
		return v, err
	}
	seen := map[string]bool{}
	for _, m := range loaded.FindAllStringSubmatch(string(body), -1) {
		if seen[m[1]] {
			continue
		}
		seen[m[1]] = true
		if r, err = p.request(ctx, m[1]); err != nil {
			return v, err
		}
		r.Header.Set("Accept-Encoding", "gzip")
		asset, err := p.do(r)
		if err != nil {
			return v, err
		}
		v.bytes += len(asset)
	}
	r, err = p.request(ctx, page)
	if err != nil {
		return v, err
	}
	r.Header.Set("Accept-Encoding", "gzip")
	packed, err := p.do(r)
	v.bytes += len(packed)
	return v, err
}

// project reads the whole state by the API.
func (p *person) project(ctx context.Context) (visit, error) {
	r, err := p.request(ctx, "/project")
	if err != nil {
		return visit{}, err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	v, body, err := p.timed(r)
	v.bytes = len(body)
	return v, err
}

func (p *person) request(ctx context.Context, path string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, nil)
}

// timed sends a request and notes when its first byte came.
func (p *person) timed(r *http.Request) (v visit, body []byte, err error) {
	begun := time.Now()
	trace := &httptrace.ClientTrace{GotFirstResponseByte: func() { v.first = time.Since(begun) }}
	body, err = p.do(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	v.whole = time.Since(begun)
	return v, body, err
}

func (p *person) do(r *http.Request) ([]byte, error) {
	resp, err := p.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := io.Copy(&body, resp.Body); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %d: %.300s", r.URL.Path, resp.StatusCode, body.Bytes())
	}
	return body.Bytes(), nil
}

// Figures are what one page took in each round, in milliseconds and kilobytes, with GET /project before it.
type Figures struct {
	Page               string
	Project, First, KB []float64
}

// Rounds signs in at the service at a base address, with a token, and opens every page so often. What the first time
// makes, once, is not counted.
func Rounds(ctx context.Context, base, token string, rounds int) ([]Figures, error) {
	p, err := signIn(ctx, base, token)
	if err != nil {
		return nil, err
	}
	var all []Figures
	for _, page := range pages {
		f := Figures{Page: page}
		for n := range rounds + 1 {
			whole, err := p.project(ctx)
			if err != nil {
				return nil, err
			}
			v, err := p.open(ctx, page)
			if err != nil {
				return nil, err
			}
			if n > 0 {
				f.Project = append(f.Project, 1e3*whole.whole.Seconds())
				f.First, f.KB = append(f.First, 1e3*v.first.Seconds()), append(f.KB, float64(v.bytes)/1e3)
			}
		}
		all = append(all, f)
	}
	return all, nil
}
