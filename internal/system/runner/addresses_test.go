package runner

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func TestAddressesThatAreNeverDialled(t *testing.T) {
	for _, host := range []string{
		"169.254.169.254", "169.254.0.1", "0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255", "100.100.100.200", "168.63.129.16",
		"[fd00:ec2::254]", "[fd20:ce::254]", "[fe80::1]", "[fe80::1%25lo]", "[ff02::1]", "[::]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
		"[2002:a9fe:a9fe::1]", "[::169.254.169.254]", "[2001:0:1::1]", "0",
	} {
		h := HTTP{URL: "http://" + host + ":80/", AllowLoopback: true, Timeout: time.Minute, Hosts: []string{strings.ReplaceAll(host, "%25", "%") + ":80"}}
		_, err := h.Run(t.Context(), nil)
		code := "host_refused"
		if host == "0" && fault.Is(err, "tool_unreachable") {
			code = "tool_unreachable" // by Go's resolver it is no name; the C library's makes it 0.0.0.0
		}
		f := refusal(t, err, code)
		require.NotEmpty(t, f.Detail, host)
	}
}

// naming is a resolver that knows one server of names, which answers with these addresses in turn, and then with the last for ever.
func naming(t *testing.T, addresses ...string) (*net.Resolver, *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		for buffer := make([]byte, 1500); ; {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			end := 12
			for end < n && buffer[end] != 0 { // over the name, label by label
				end += int(buffer[end]) + 1
			}
			end += 5 // its end, type and class
			answer := append([]byte{buffer[0], buffer[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, buffer[12:end]...)
			if buffer[end-3] == 1 { // A
				ip := netip.MustParseAddr(addresses[min(int(asked.Add(1))-1, len(addresses)-1)]).As4()
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
				answer = append(answer, ip[:]...)
			}
			_, _ = conn.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}, &asked
}

func TestNamesGainNothing(t *testing.T) {
	h := answering(t, func(w http.ResponseWriter, r *http.Request) { answerJSON(w, "1") })
	_, port, err := net.SplitHostPort(hostOf(t, h))
	require.NoError(t, err)
	named := HTTP{URL: "http://tools.example.com:" + port, Timeout: time.Minute}

	for _, address := range []string{"127.0.0.1", "169.254.169.254", "10.1.2.3"} {
		var asked *atomic.Int64
		named.resolver, asked = naming(t, address)
		_, err = named.Run(t.Context(), nil)
		require.Contains(t, refusal(t, err, "host_refused").Detail, address)
		require.Positive(t, asked.Load())
	}
	named.resolver, _ = naming(t, "127.0.0.1")
	named.AllowLoopback = true
	r, err := named.Run(t.Context(), nil)
	require.NoError(t, err, "so the name does lead there")
	require.Equal(t, "1", string(r.Stdout))
}

// A name that means a harmless address once, and another from then on.
func TestRebinding(t *testing.T) {
	var reached atomic.Int64
	inside := answering(t, func(w http.ResponseWriter, r *http.Request) { reached.Add(1); answerJSON(w, `"inside"`) })
	_, port, err := net.SplitHostPort(hostOf(t, inside))
	require.NoError(t, err)
	h := HTTP{URL: "http://tools.example.com:" + port}
	var asked *atomic.Int64
	h.resolver, asked = naming(t, "192.0.2.1", "127.0.0.1") // the first is a range for documents, where nobody is
	// A slow machine needs longer to ask.
	for h.Timeout = 300 * time.Millisecond; asked.Load() == 0; h.Timeout *= 2 {
		_, err = h.Run(t.Context(), nil)
		var f *fault.Error
		require.ErrorAs(t, err, &f)
		require.Contains(t, []string{"tool_timeout", "tool_unreachable"}, string(f.Code), "it may be dialled")
	}
	h.Timeout = time.Minute
	for range 5 {
		_, err := h.Run(t.Context(), nil)
		refusal(t, err, "host_refused")
	}
	require.EqualValues(t, 6, asked.Load())
	require.Zero(t, reached.Load())
}
