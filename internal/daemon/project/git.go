package project

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/token"
)

// refuseTracked refuses to start while git tracks a token, a key or the database: the next push would publish them.
func (s *server) refuseTracked(ctx context.Context) error {
	more := []string{filepath.Join(filepath.Dir(s.options.Witness), "witness.key")}
	if s.options.MetricsTokenFile != "" {
		more = append(more, s.options.MetricsTokenFile)
	}
	inForce, _ := TokenFile(s.options.Data).List() // one that cannot be read is refused where it is needed
	tracked, err := gitignore.Secrets(ctx, s.options.Data, more,
		func(content string) bool { return token.Holds(inForce, content) })
	if len(tracked) > 0 {
		return secretsTracked(tracked)
	}
	if err != nil {
		s.log.Warn().Err(err).Msg("whether git tracks tokens, keys or the database cannot be told")
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
	return fault.New(fault.Conflict, "secrets_tracked", "git tracks secrets of this service: %s",
		strings.Join(names, ", ")).
		WithFix("take them out of the index, and commit that: %s. If they were ever pushed, they are known: make new tokens and revoke the old ones "+
			"(orchestrator token add, token revoke), and replace the key: move audit.key away and start once with --accept-new-key REASON",
			strings.Join(commands, "; "))
}

// keepOutOfGit writes the .gitignore of the data folder, and warns where that does not keep its secrets out of git.
func (s *server) keepOutOfGit(ctx context.Context) error {
	shared := append([]string{s.options.Export}, s.options.Requirements...)
	result, err := gitignore.Write(s.options.Data, shared)
	if err != nil {
		return fmt.Errorf("write .gitignore into the data folder: %w", err)
	}
	if result == gitignore.Written || result == gitignore.Current {
		return nil
	}
	for _, name := range []string{"state.db", "tokens.json", "audit.key", "tokens/pm.token"} {
		path := filepath.Join(s.options.Data, name)
		exposed, err := gitignore.Look(ctx, path)
		if err != nil || exposed != gitignore.Hidden {
			s.log.Warn().Err(err).Str("file", path).Str("gitignore", filepath.Join(s.options.Data, ".gitignore")).
				Msg("git does not ignore the secrets of the data folder, and git add -A would take them; " +
					"ignore them, or use a data folder of its own (--data), which gets a .gitignore")
			return nil
		}
	}
	return nil
}

// warnOfAlikeNames says which names of tokens count as one person.
func (s *server) warnOfAlikeNames() {
	tokens, err := s.files.List()
	if err != nil {
		return // whoever needs them says so
	}
	for _, names := range token.Alike(tokens) {
		s.log.Warn().Strs("names", names).Str("file", s.files.Path()).
			Msg("these names differ in case or width alone: they count as one person where separation of duties wants two")
	}
}
