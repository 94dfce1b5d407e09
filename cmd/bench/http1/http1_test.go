package http1

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadAnswer(t *testing.T) {
	for _, c := range []struct{ name, answer, wrong string }{
		{"with a body", "HTTP/1.1 200 OK\r\nX: y\r\ncontent-length: 3\r\n\r\nabc", ""},
		{"without a body", "HTTP/1.1 204 No Content\r\n\r\n", ""},
		{"a problem", "HTTP/1.1 409 Conflict\r\nContent-Length: 6\r\n\r\nsealed", "status 409: sealed"},
		{"not HTTP", "hello, who is there?\r\n\r\n", "not an HTTP answer"},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "without Content-Length"},
		{"a wrong length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "Content-Length of"},
		{"cut in the head", "HTTP/1.1 200 OK\r\nContent-Le", "EOF"},
		{"cut in the body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := bufio.NewReader(strings.NewReader(c.answer))
			err := readAnswer(in, '2')
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.Zero(t, in.Buffered(), "the next answer begins here")
		})
	}
}
