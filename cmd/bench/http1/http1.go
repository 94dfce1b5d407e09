// Package http1 is as little of an HTTP/1.1 client as the servers at hand need, so that measuring them leaves the
// machine to them: an answer has a Content-Length or no body.
package http1

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// patience is how long after the end of a load its last answers may still arrive.
const patience = 10 * time.Second

// Client sends one request after another on a connection of its own.
type Client struct {
	Addr    string
	Request func(dst []byte, n int) []byte // appends the n-th request to dst, whole
	Class   byte                           // the first digit of the status that every answer is to have
	Pause   time.Duration                  // after each answer
}

// Run sends the requests first, first+step and so on below end, until a moment or the end of ctx, and returns how long
// each took. It fails when any answer is not of the class.
func (c Client) Run(ctx context.Context, first, step, end int, until time.Time) ([]time.Duration, error) {
	conn, err := net.DialTimeout("tcp", c.Addr, patience)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(until.Add(patience)); err != nil {
		return nil, err
	}
	var latencies []time.Duration
	var out []byte
	in, before := bufio.NewReaderSize(conn, 8<<10), time.Now()
	for n := first; n < end && before.Before(until) && ctx.Err() == nil; n += step {
		out = c.Request(out[:0], n)
		if _, err := conn.Write(out); err != nil {
			return latencies, err
		}
		if err := readAnswer(in, c.Class); err != nil {
			return latencies, fmt.Errorf("request %d: %w", n, err)
		}
		now := time.Now()
		latencies = append(latencies, now.Sub(before))
		if c.Pause > 0 {
			time.Sleep(c.Pause)
			now = time.Now()
		}
		before = now
	}
	return latencies, nil
}

// readAnswer reads one answer of a class to its end.
func readAnswer(in *bufio.Reader, class byte) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if len(line) < 13 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return fmt.Errorf("not an HTTP answer: %q", line)
	}
	success, status := line[9] == class, string(line[9:12])
	length := 0
	for {
		if line, err = in.ReadSlice('\n'); err != nil {
			return err
		}
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		if len(name) == 0 {
			break
		}
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil || length < 0 {
				return fmt.Errorf("a Content-Length of %q", value)
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			return errors.New("an answer without Content-Length")
		}
	}
	if !success {
		problem, _ := io.ReadAll(io.LimitReader(in, int64(min(length, 500))))
		return fmt.Errorf("status %s: %s", status, problem)
	}
	_, err = in.Discard(length)
	return err
}

// Fetch makes one request and returns the body of its answer.
func Fetch(addr string, what []byte) ([]byte, error) {
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if _, err := conn.Write(what); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("status %s: %s", answer.Status, body)
	}
	return body, err
}
