package hook

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/hook/skillfile"
	"orchestrator/internal/boundary/shell"
	"orchestrator/internal/system/lazyregexp"
)

// Limits of the files of skills: the bytes of one, and the folders above that of the client in which it looks for them.
const (
	mostSkill   = 1 << 20
	mostFolders = 32
)

var skillName = lazyregexp.New(`^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)*$`)

// skill reads what a skill has the client run by itself, where the client has a file of it. Where several files have
// its name, all of them count; where none has, or none runs anything, there is no reading.
func (r resolver) skill(e agentclient.Event) (reading shell.Reading, runs bool) {
	client, known := agentclient.Named(e.Client)
	e.Skill = strings.TrimPrefix(strings.TrimSpace(e.Skill), "/") // as it is typed
	if !known || len(client.Skills) == 0 {
		return shell.Reading{}, false
	} else if !skillName().MatchString(e.Skill) || strings.Contains(e.Skill, "..") {
		return shell.Unread("", "the name of the skill is no name, and which file is read cannot be told"), true
	}
	var all []string
	doubt := ""
	for _, folder := range r.skillFolders() {
		for _, pattern := range client.Skills {
			name := strings.ReplaceAll(e.Skill, ":", "/")
			file := filepath.Join(folder, strings.ReplaceAll(pattern, "NAME", name))
			text, err := readIn(filepath.Dir(file), filepath.Base(file), mostSkill)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				continue
			} else if err != nil {
				doubt = "the file of the skill cannot be read: " + err.Error()
				continue
			}
			skill := skillfile.Read(string(text), e.SkillArgs)
			all = append(all, skill.Commands...)
			if skill.Doubt != "" {
				doubt = skill.Doubt
			}
		}
	}
	if len(all) == 0 && doubt == "" && e.Tool == "SlashCommand" && strings.Contains(e.Skill, ":") {
		return shell.Unread("", "the command may be one of a plugin, whose file is not looked for"), true
	}
	if len(all) == 0 && doubt == "" {
		return shell.Reading{}, false
	}
	reading = shell.Bash(strings.Join(all, "\n"))
	if doubt != "" {
		reading.Parts = append(reading.Parts, shell.Part{Class: shell.Ambiguous, Why: doubt})
	}
	return reading, true
}

// skillFolders returns the folders in which a client looks for skills: the one that it works in, those above it up to
// the project, and the user's.
func (r resolver) skillFolders() (all []string) {
	at := r.absolute("")
	for range mostFolders {
		all = append(all, at)
		if at == r.root || at == r.realRoot || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	if at != r.root && at != r.realRoot {
		all = append(all, r.root)
	}
	if r.home != "" {
		all = append(all, r.home)
	}
	return all
}
