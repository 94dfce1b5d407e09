package project

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"orchestrator/internal/daemon/credentials"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/token"
)

// refuseTracked refuses to start while git tracks a token, a key or the database: the next push would publish them.
func (p *Plan) refuseTracked(ctx context.Context, inForce []token.Token, log zerolog.Logger) error {
	more := append([]string{datadir.WitnessKeyBeside(p.Witness)}, p.Secrets...)
	tracked, err := gitignore.Secrets(ctx, p.Data, more,
		func(content string) bool { return token.Holds(inForce, content) })
	if len(tracked) > 0 {
		return secretsTracked(tracked)
	}
	if err != nil {
		log.Warn().Err(err).Msg("whether git tracks tokens, keys or the database cannot be told")
	}
	return nil
}

func secretsTracked(tracked []gitignore.File) error {
	var names, commands []string
	for i, f := range tracked {
		names = append(names, filepath.Join(f.Top, f.Path))
		if i == 0 || f.Top != tracked[i-1].Top {
			commands = append(commands, "git -C "+shellquote.Quote(f.Top)+" rm --cached --")
		}
		commands[len(commands)-1] += " " + shellquote.Quote(f.Path)
	}
	return fault.New(fault.Conflict, credentials.CodeTracked, "git tracks secrets of this service: %s",
		strings.Join(names, ", ")).
		WithFix("first see with git log who added them: what you did not add yourself has taken the place of your own "+
			"files, so move it away before a start takes it over (the start makes new tokens; orchestrator restore FILE "+
			"reads a backup of the database and the key). Then take them out of the "+
			"index, and commit that: %s. If they were ever pushed, they are known: make "+
			"new tokens and revoke the old ones "+
			"(orchestrator token add, token revoke), and replace the key: move audit.key away and start once with "+
			"--accept-new-key REASON",
			strings.Join(commands, "; "))
}

// keepOutOfGit writes the .gitignore of the data folder, and warns where that does not keep its secrets out of git.
func (p *Plan) keepOutOfGit(ctx context.Context, log zerolog.Logger) error {
	shared := slices.Clone(p.Requirements)
	if p.Export != "" {
		shared = append(shared, p.Export)
	}
	result, err := gitignore.Write(p.Data, shared)
	if err != nil {
		return fmt.Errorf("write .gitignore into the data folder: %w", err)
	}
	if result == gitignore.Written || result == gitignore.Current {
		return nil
	}
	data := p.dir()
	for _, path := range []string{data.Database(), data.Tokens(), data.Key(), data.Token(string(lifecycle.PM))} {
		exposed, err := gitignore.Look(ctx, path)
		if err != nil || exposed != gitignore.Hidden {
			log.Warn().Err(err).Str("file", path).Str("gitignore", data.GitIgnore()).
				Msg("git does not ignore the secrets of the data folder, and git add -A would take them; " +
					"ignore them, or use a data folder of its own (--data), which gets a .gitignore")
			return nil
		}
	}
	return nil
}
