package apiclient

import (
	"bytes"
	"context"
	"net/url"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
)

// How lists are asked for.
const (
	pageSize = 500    // entries of a page
	maxPages = 10_000 // of a list
)

// List asks for a list whose entries are the named member of the answer, page by page, until none is next or there are
// limit entries; 0 asks for all. A page without an entry ends nothing: those that the service looked through for it may
// all have been passed over. List returns the first answer with the entries of all of them; where one page holds the
// list, the answer is as the service wrote it. Of a refusal it returns the bytes beside the error.
func (c *Client) List(ctx context.Context, path, member string, limit int) ([]byte, error) {
	l := list{member: member, most: maxPages}
	return l.read(ctx, c, path, limit)
}

// All asks for a whole list, whose entries are the named member of the answer.
func All[T any](ctx context.Context, c *Client, path, member string) ([]T, error) {
	l := list{member: member, most: maxPages}
	if _, err := l.read(ctx, c, path, 0); err != nil {
		return nil, err
	}
	all := make([]T, len(l.entries))
	for i, raw := range l.entries {
		if err := jsonv2.Unmarshal(raw, &all[i]); err != nil {
			return nil, c.Stranger("JSON of another shape").Because(err)
		}
	}
	return all, nil
}

// read reads a list from its first page on.
func (l *list) read(ctx context.Context, c *Client, path string, limit int) ([]byte, error) {
	next := path
	for l.pages < l.most {
		asked, err := sized(next, limit-len(l.entries), limit > 0)
		if err != nil {
			return nil, c.Stranger("the next page is at no path").Because(err)
		}
		answer, err := c.Send(ctx, Request{Method: "GET", Path: asked})
		if err != nil {
			return answer.Body, err
		}
		last := next
		if next, err = l.add(answer.Body); err != nil {
			return nil, c.Stranger("JSON of another shape").Because(err)
		}
		switch {
		case next == "" || limit > 0 && len(l.entries) >= limit:
			return l.answer()
		case next == last:
			return nil, c.Stranger("a page that is followed by itself")
		}
	}
	return nil, fault.New(fault.Unavailable, CodeTooLarge, "the list at %s has more than %d pages", path, l.most).
		WithFix("check that --server names the service itself; if it does, GET %s goes on where this ended", next)
}

// sized returns the path of a page with the number of entries that it is to have, of those that are left. It refuses
// what leads to another server.
func sized(path string, left int, bounded bool) (string, error) {
	at, err := url.Parse(path)
	if err != nil || at.Scheme != "" || at.Host != "" || !strings.HasPrefix(path, "/") {
		return "", &url.Error{Op: "parse", URL: path, Err: url.InvalidHostError(path)}
	}
	size := pageSize
	if bounded {
		size = min(left, pageSize)
	}
	query := at.Query()
	query.Set("limit", strconv.Itoa(size))
	at.RawQuery = query.Encode()
	return at.String(), nil
}

// list is what was read of a list.
type list struct {
	member  string
	most    int    // pages
	first   []byte // page
	pages   int
	entries []jsontext.Value
	next    jsontext.Value // as the last page has it
}

// add adds a page, and returns the path of the next one; "" is none.
func (l *list) add(raw []byte) (next string, err error) {
	var page map[string]jsontext.Value
	if err := jsonv2.Unmarshal(raw, &page); err != nil {
		return "", err
	}
	var entries []jsontext.Value
	if err := jsonv2.Unmarshal(page[l.member], &entries); err != nil {
		return "", err
	}
	if l.pages == 0 {
		l.first = raw
	}
	l.pages++
	l.entries, l.next = append(l.entries, entries...), page["next"]
	if len(l.next) == 0 || l.next.Kind() == 'n' {
		return "", nil
	}
	return next, jsonv2.Unmarshal(l.next, &next)
}

// answer returns the first page with the entries of all, in the order of its members.
func (l *list) answer() ([]byte, error) {
	if l.pages == 1 {
		return l.first, nil
	}
	entries, err := jsonv2.Marshal(l.entries)
	if err != nil {
		return nil, err
	}
	replaced := map[string][]byte{l.member: entries, "next": l.next}
	out := bytes.NewBufferString("{")
	from := jsontext.NewDecoder(bytes.NewReader(l.first))
	if _, err := from.ReadToken(); err != nil {
		return nil, err
	}
	for from.PeekKind() == '"' {
		token, err := from.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		value, err := from.ReadValue()
		if err != nil {
			return nil, err
		}
		if other, is := replaced[name]; is {
			value = other
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.WriteString(strconv.Quote(name) + ":")
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
