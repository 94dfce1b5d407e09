package daemon

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddressesThatOthersReachWithoutTLS(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:80": false, "[::1]:80": false, "unix:/run/a.sock": false, "https://[::]:443": false,
		"0.0.0.0:80": true, "[::]:80": true, "192.0.2.7:80": true,
	} {
		require.Equal(t, want, exposed(addr), addr)
	}
}

func TestHostsThatARequestMayName(t *testing.T) {
	local := []string{"127.0.0.1", "::1", "localhost"}
	for addr, more := range map[string]string{
		"127.0.0.1:8080": "", "0.0.0.0:8080": "", "[::]:0": "", ":8080": "", "shop.Example:80": "shop.example",
		"192.0.2.7:80": "192.0.2.7",
	} {
		o := Options{Addr: addr, AllowHosts: []string{"CI.example.org", "localhost"}}
		want := append([]string{"ci.example.org"}, local...)
		if more != "" {
			want = append(want, more)
		}
		require.ElementsMatch(t, want, o.hosts(), addr)
	}
}
