package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestByteSize(t *testing.T) {
	for text, want := range map[string]uint64{"0": 0, "1000": 1000, "64KiB": 64 << 10, "512MiB": 512 << 20, "2GiB": 2 << 30} {
		var b byteSize
		require.NoError(t, b.Set(text))
		require.EqualValues(t, want, b)
		require.Equal(t, text, b.String())
	}
	for _, text := range []string{"", "MiB", "-1", "1.5MiB", "1MB", "1 MiB", "99999999999GiB", "18446744073709551616"} {
		require.Error(t, new(byteSize).Set(text), text)
	}
}
