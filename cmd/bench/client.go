package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// patience is how long after the end of a load its last answers may still arrive.
const patience = 10 * time.Second

// request appends the n-th request of a load to dst, whole.
type request func(dst []byte, n int) []byte

// load is a number of clients, each with a connection of its own on which it sends one request after another.
// It ends by time or by count, whichever comes first.
type load struct {
	addr    string
	clients int
	request request
	lasting time.Duration
	atMost  int           // requests in all
	refused bool          // every request is to be refused, with 4xx
	pause   time.Duration // of a client after each answer
}

// result is what became of a load of which every request succeeded.
type result struct {
	requests  int
	took      time.Duration
	latencies []time.Duration // sorted
	cpu       time.Duration   // that the server used
}

func (r result) rate() float64 { return float64(r.requests) / r.took.Seconds() }

// p50 returns the median in milliseconds.
func (r result) p50() float64 { return r.latencies[len(r.latencies)/2].Seconds() * 1000 }

// run fails when any request does: no connection, no answer in time, an answer that is not 2xx (or 4xx).
func (l load) run(ctx context.Context) (result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	latencies, errs := make([][]time.Duration, l.clients), make([]error, l.clients)
	start := time.Now()
	var clients sync.WaitGroup
	for i := range l.clients {
		clients.Go(func() {
			if latencies[i], errs[i] = l.client(ctx, i, start); errs[i] != nil {
				cancel()
			}
		})
	}
	clients.Wait()
	r := result{took: time.Since(start), latencies: slices.Concat(latencies...)}
	r.requests = len(r.latencies)
	slices.Sort(r.latencies)
	if err := errors.Join(errs...); err != nil {
		return r, err
	}
	if r.requests == 0 {
		return r, errors.New("no request was sent")
	}
	return r, nil
}

func (l load) client(ctx context.Context, first int, start time.Time) ([]time.Duration, error) {
	conn, err := net.DialTimeout("tcp", l.addr, patience)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	end := start.Add(l.lasting)
	if err := conn.SetDeadline(end.Add(patience)); err != nil {
		return nil, err
	}
	var latencies []time.Duration
	var out []byte
	in, class := bufio.NewReaderSize(conn, 8<<10), byte('2')
	if l.refused {
		class = '4'
	}
	before := time.Now()
	for n := first; n < l.atMost && before.Before(end) && ctx.Err() == nil; n += l.clients {
		out = l.request(out[:0], n)
		if _, err := conn.Write(out); err != nil {
			return latencies, err
		}
		if err := readAnswer(in, class); err != nil {
			return latencies, fmt.Errorf("request %d: %w", n, err)
		}
		now := time.Now()
		latencies = append(latencies, now.Sub(before))
		if l.pause > 0 {
			time.Sleep(l.pause)
			now = time.Now()
		}
		before = now
	}
	return latencies, nil
}

// readAnswer reads one HTTP/1.1 answer of a class to its end. It is as little of HTTP as the servers at hand need, so
// that the client leaves the machine to them: an answer has a Content-Length or no body.
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

// fetch makes one request and returns the body of its answer.
func fetch(addr string, what []byte) ([]byte, error) {
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
