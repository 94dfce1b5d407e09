package projectcmd

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/operator/setup"
)

func TestAQuestionCanBeInterrupted(t *testing.T) {
	in, never := io.Pipe()
	defer never.Close()
	stop := make(chan struct{})
	close(stop)
	q := questioner{bufio.NewReader(in), io.Discard, stop}
	_, err := q.ask("name", "", func(string) error { return nil })
	require.True(t, fault.Is(err, setup.CodeInterrupted), err)
}

func TestNamesAreAskedFor(t *testing.T) {
	var said bytes.Buffer
	q := questioner{bufio.NewReader(strings.NewReader("emacs\nclaude, codex\n\n")), &said, nil}
	var clients, roles []string
	require.NoError(t, q.list(&clients, "clients", checkClients))
	require.Equal(t, []string{"claude", "codex"}, clients)
	require.NoError(t, q.list(&roles, "roles", setup.CheckRoles))
	require.Equal(t, []string{setup.None}, roles)
	require.NoError(t, q.list(&roles, "nobody is asked again", setup.CheckRoles))
	require.Contains(t, said.String(), `there is no client "emacs"`)
	q.in = bufio.NewReader(strings.NewReader("yes\nblock\n\n"))
	var decision, otherwise, unasked string
	require.NoError(t, q.produces(&decision, clients))
	require.NoError(t, q.produces(&otherwise, clients))
	require.NoError(t, q.produces(&unasked, nil))
	require.NoError(t, q.produces(&decision, clients))
	require.Equal(t, []string{"block", "allow", ""}, []string{decision, otherwise, unasked})
	require.Contains(t, said.String(), `"yes" is no answer to that question`)
}
