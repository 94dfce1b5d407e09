package setup

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/operator/tokens"
)

// guarded is a project whose clients have a settings file each.
func guarded(a Answers) Project {
	p := shop(a)
	p.Guard = func(_ context.Context, client string) (Guard, error) {
		settings := "." + client + "/settings.json"
		content, err := os.ReadFile(settings)
		return Guard{File: settings, Folder: ".orchestrator", Done: err == nil && string(content) == "hook",
			Install: func(context.Context) ([]string, error) {
				return []string{"trust it"}, errors.Join(os.MkdirAll("."+client, 0o700),
					os.MkdirAll(".orchestrator/boundary", 0o700), os.WriteFile(settings, []byte("hook"), 0o600))
			},
			Uninstall: func() error { return nil },
		}, nil
	}
	return p
}

func TestClientsAreGuarded(t *testing.T) {
	t.Chdir(t.TempDir())
	file(t, "REQUIREMENTS.md", document)
	file(t, ".claude/settings.json", "{}")
	was := folder(t)
	p := guarded(Answers{Clients: []string{"claude", "codex", "claude"}})
	for i := range planned(t, p).Steps {
		plan := planned(t, p)
		work, broken := plan.Steps[i].do, errors.New("broken")
		plan.Steps[i].do = func(ctx context.Context) error { return errors.Join(work(ctx), broken) }
		require.ErrorIs(t, plan.Do(t.Context()), broken)
		require.Equal(t, was, folder(t), "step %d: %s", i, plan.Steps[i])
	}

	plan := planned(t, p)
	require.NoError(t, plan.Do(t.Context()))
	require.Equal(t, []string{"trust it"}, plan.Steps[len(plan.Steps)-1].Said)
	require.True(t, planned(t, p).Complete())
	require.Equal(t, "hook", folder(t)[".claude/settings.json"])

	require.True(t, planned(t, guarded(Answers{Clients: []string{None}})).Complete())
}

func TestAGuardIsTakenOutAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	file(t, "REQUIREMENTS.md", document)
	out, broken := 0, errors.New("broken")
	p := guarded(Answers{Clients: []string{"claude", "codex"}})
	guard := p.Guard
	p.Guard = func(ctx context.Context, client string) (Guard, error) {
		g, err := guard(ctx, client)
		g.Uninstall = func() error { out++; return nil }
		if client == "codex" {
			g.Install = func(context.Context) ([]string, error) { return nil, broken }
		}
		return g, err
	}
	require.ErrorIs(t, planned(t, p).Do(t.Context()), broken)
	require.Equal(t, 2, out)
}

func TestRolesGetTokens(t *testing.T) {
	t.Chdir(t.TempDir())
	file(t, "REQUIREMENTS.md", document)
	for _, wrong := range []string{"pm", "viewer", "", "Coder"} {
		_, err := shop(Answers{Roles: []string{wrong}}).Plan(t.Context())
		require.True(t, fault.Is(err, fault.CodeUsage), wrong)
		require.NotEmpty(t, fault.As(err).Fix)
	}
	p := shop(Answers{Roles: []string{"all", "coder"}})
	begin := p.Begin
	p.Begin = func(ctx context.Context, a Answers) error {
		if err := os.Mkdir(string(p.Data), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		_, err := tokens.Open(p.Data).Bootstrap([]string{"pm"}, time.Now())
		return errors.Join(begin(ctx, a), err)
	}
	require.NoError(t, planned(t, p).Do(t.Context()))
	for _, role := range []string{"architect", "coder", "tester"} {
		require.FileExists(t, p.Data.Token(role))
	}
	require.True(t, planned(t, p).Complete())
	require.True(t, planned(t, shop(Answers{Roles: []string{None}})).Complete())
}
