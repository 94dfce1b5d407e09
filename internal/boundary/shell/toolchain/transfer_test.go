package toolchain

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each program that transfers files has the options that make links of them, and no other has those.
func TestOptionsThatMakeLinks(t *testing.T) {
	for program, marked := range map[string]string{
		"cp": " --link& ", "gcp": " --symbolic-link& ", "ln": " --relative$", "rsync": " --link-dest:& ",
		"install": " --directory* ", "scp": " D:!", "mv": " --suffix: ",
	} {
		require.Contains(t, " "+Transfer(program)+" ", marked, program)
	}
	for _, program := range []string{"mv", "install", "scp"} {
		require.NotContains(t, Transfer(program), "&", program)
	}
}
