package outbound

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who may be dialled, address by address.
func TestTheTableOfAddresses(t *testing.T) {
	const here, elsewhere = "10.0.0.5:80", "192.0.2.1:80"
	for _, c := range []struct {
		address  string
		hosts    []string
		loopback bool
		may      bool
	}{
		{"93.184.215.14:80", nil, false, true},
		{"[2606:2800::1]:443", nil, false, true},
		{here, nil, true, false},
		{here, []string{elsewhere}, true, false},
		{here, []string{here}, false, true},
		{"10.0.0.5:81", []string{here}, false, false},
		{"[::ffff:10.0.0.5]:80", []string{here}, false, true},
		{"[::ffff:10.0.0.5]:80", nil, true, false},
		{"172.31.0.1:80", nil, true, false},
		{"172.32.0.1:80", nil, false, true},
		{"192.168.0.1:80", nil, true, false},
		{"100.64.0.1:80", nil, true, false},
		{"[fd12::1]:80", nil, true, false},
		{"[fd12::1]:80", []string{"[fd12::1]:80"}, false, true},
		{"[2002:a00:5::1]:80", nil, true, false},
		{"[64:ff9b::7f00:1]:80", nil, false, false},
		{"127.0.0.1:80", []string{"127.0.0.1:80"}, false, false},
		{"127.9.9.9:80", nil, true, true},
		{"[::1]:80", []string{"[::1]:80"}, false, false},
		{"[::1]:80", nil, true, true},
		{"[::ffff:127.0.0.1]:80", nil, false, false},
		{"169.254.169.254:80", []string{"169.254.169.254:80"}, true, false},
		{"[fd00:ec2::254]:80", []string{"[fd00:ec2::254]:80"}, true, false},
	} {
		may, why := Dialling{AllowLoopback: c.loopback, Hosts: c.hosts}.mayDial(netip.MustParseAddrPort(c.address))
		require.Equal(t, c.may, may, "%+v", c)
		require.Equal(t, c.address[0] == '9' || strings.HasPrefix(c.address, "172.32") || strings.HasPrefix(c.address, "[2606"), why == "", "%+v", c)
	}
}
