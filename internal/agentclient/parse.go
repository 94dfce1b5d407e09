package agentclient

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// parse reads a call of the client of a name.
func (f *form) parse(client string, call object) (event Event, err error) {
	event = Event{Client: client, Paths: []string{}}
	if event.When, err = f.when(call); err != nil {
		return Event{}, err
	}
	if err := f.common(&event, call); err != nil {
		return Event{}, err
	}
	if event.When == Other {
		return event, nil
	}
	input, patchText, err := f.readInput(call)
	if err != nil {
		return Event{}, err
	}
	if f.adjust != nil {
		event.OwnTool, err = f.adjust(&event, call, &input)
	} else {
		event.OwnTool, err = call.required(f.tool)
	}
	if err != nil {
		return Event{}, err
	}
	what, _ := f.find(event.OwnTool)
	if event.Tool == "" {
		event.Tool = event.OwnTool
		if what.name != "" {
			event.Tool = what.name
		}
	}
	if err := event.fill(what, input, patchText); err != nil {
		return Event{}, err
	}
	event.Interactive = f.typedInto && event.Tool == bash
	return event, nil
}

func (f *form) when(call object) (When, error) {
	if f.moment != nil {
		return f.moment(call)
	}
	name, err := call.required(f.event)
	if err != nil {
		return Other, err
	}
	if when, known := f.whens.find(name); known {
		return when, nil
	}
	return Other, nil
}

// common reads what does not depend on the tool.
func (f *form) common(event *Event, call object) (err error) {
	if event.Session, err = call.first(f.session); err != nil {
		return err
	}
	if event.Cwd, err = call.first(f.cwd); err != nil {
		return err
	}
	if f.toolUse != "" {
		if event.ToolUseID, err = call.text(f.toolUse); err != nil {
			return err
		}
	}
	if f.version != "" {
		if event.Version, err = call.text(f.version); err != nil {
			return err
		}
	}
	if f.failure != "" && event.When == Failed {
		event.Error = call.loose(f.failure)
	}
	event.Actor, err = f.actor(call)
	return err
}

// readInput reads the tool's input. Where it may be text, JSON in it is read as the object that it is, and anything
// else is handed back as it stands.
func (f *form) readInput(call object) (input object, text string, err error) {
	if !f.looseInput || !call.has(f.input) || call[f.input].Kind() != '"' {
		input, err = call.inner(f.input)
		return input, "", err
	}
	text = unquote(call[f.input])
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return object{}, text, nil
	}
	if input, err = readObject([]byte(text)); err != nil {
		return nil, "", fmt.Errorf("%s: %w", f.input, err)
	}
	return input, "", nil
}

// fill reads from the tool's input what the tool is to read, to write or to run.
func (e *Event) fill(what tool, input object, text string) (err error) {
	if e.OwnTool == "str_replace_editor" && input.loose("command") == "view" {
		e.Tool = read
	}
	if strings.EqualFold(e.OwnTool, "lsp") && changesCode(input.loose("operation")) {
		e.Tool, what = "lsp_rename", tool{}
	}
	switch e.Tool {
	case patch:
		e.Tool = edit
		return e.fillPatch(input, text)
	case bash, powerShell:
		return e.fillCommand(what, input, text)
	case skill, slash:
		e.fillSkill(input)
	}
	strict := slices.Contains(fileTools, e.Tool)
	if text != "" && strict {
		return errors.New("the tool's input is text; want an object")
	}
	if e.Paths, err = pathsOf(input, strict); err != nil {
		return err
	}
	if members, globs := globMembers.find(e.Tool); globs {
		e.Paths = withGlobs(e.Paths, input, members) // what it searches for is no path
	} else if what.name == "" && !strict {
		e.Paths, e.Puts = withLeaves(e.Paths, input), putsSomething(input)
	}
	return nil
}

// changesCode reports whether an operation of a language server edits files, as renaming does everywhere.
func changesCode(operation string) bool {
	operation = strings.ToLower(operation)
	return slices.ContainsFunc([]string{"rename", "format", "action", "edit", "apply", "execute", "organize", "fix"},
		func(word string) bool { return strings.Contains(operation, word) })
}

// withGlobs adds the patterns of files, each below the folder that the input names, if it does.
func withGlobs(paths []string, input object, members []string) []string {
	folder := ""
	if len(paths) > 0 {
		folder = strings.TrimSuffix(paths[0], "/") + "/"
	}
	for _, name := range members {
		glob, err := input.text(name)
		if err != nil || !strings.Contains(glob, "/") {
			continue // of names in any folder
		}
		if !strings.HasPrefix(glob, "/") {
			glob = folder + glob
		}
		if !slices.Contains(paths, glob) {
			paths = append(paths, glob)
		}
	}
	return paths
}

// mostLeaves is how many texts of a tool that nobody knows are taken for paths.
const mostLeaves = 200

// withLeaves adds every text in the input of a tool that nobody knows that may be a path, wherever it stands: what such
// a tool writes cannot be told by the names of its members.
func withLeaves(paths []string, input object) []string {
	for _, name := range slices.Sorted(maps.Keys(input)) {
		d := decoder(input[name])
		for len(paths) < mostLeaves {
			token, err := d.ReadToken()
			if err != nil {
				break
			}
			if kind, n := d.StackIndex(d.StackDepth()); token.Kind() != '"' || kind == '{' && n%2 == 1 {
				continue
			}
			if text := withoutScheme(token.String()); mayBePath(text) && !slices.Contains(paths, text) {
				paths = append(paths, text)
			}
		}
	}
	return paths
}

func mayBePath(text string) bool {
	const longest = 1024
	return len(text) <= longest && strings.ContainsAny(text, `/\.`) && !strings.ContainsAny(text, "\n\r\x00")
}

func (e *Event) fillPatch(input object, text string) error {
	for _, member := range patchMembers {
		if value, found := input[member]; found && text == "" {
			if argv, list := texts(value); list {
				text = strings.Join(argv, "\n")
			} else if value.Kind() == '"' {
				text = unquote(value)
			}
		}
	}
	more, err := pathsOf(input, true)
	e.Paths = append(patchPaths(text), more...)
	return err
}

func (e *Event) fillCommand(what tool, input object, text string) error {
	if action, err := input.inner("action"); err == nil && len(action) > 0 {
		input = action
	}
	members := commandMembers
	if what.command != "" {
		members = []string{what.command}
	}
	found := text != ""
	e.Command = text
	for _, member := range members {
		if found || !input.has(member) {
			continue
		}
		found = true
		if argv, list := texts(input[member]); list {
			e.fillArgv(argv)
			continue
		}
		command, err := input.text(member)
		if err != nil {
			return fmt.Errorf("the tool's %w", err)
		}
		e.Command = command
	}
	if !found && what.maybe {
		e.Tool = e.OwnTool
		return nil
	}
	if !found && e.When == Before {
		return fmt.Errorf("the tool's %s is missing", members[0])
	}
	folder, err := input.first(folderMembers)
	if err != nil {
		return fmt.Errorf("the tool's %w", err)
	}
	e.Cwd = join(e.Cwd, folder)
	return nil
}

// fillSkill reads which skill is to be loaded. Clients name it by different members.
func (e *Event) fillSkill(input object) {
	for _, member := range []string{"skill", "name", "command"} {
		if e.Skill == "" {
			e.Skill = input.loose(member)
		}
	}
	e.SkillArgs = input.loose("args")
	if words := strings.Fields(e.Skill); e.Tool == slash && len(words) > 0 { // /name arguments
		e.SkillArgs = strings.TrimSpace(strings.TrimSpace(e.Skill)[len(words[0]):])
		e.Skill = words[0]
	}
}

// fillArgv reads a command that is a list of words. One that is a shell with its command is that command; a patch is
// one.
func (e *Event) fillArgv(argv []string) {
	program := ""
	if len(argv) > 0 {
		program = path.Base(argv[0])
	}
	switch {
	case len(argv) == 3 && slices.Contains([]string{"bash", "sh", "zsh", "dash", "ksh"}, program) &&
		slices.Contains([]string{"-c", "-lc", "-cl", "-ilc"}, argv[1]):
		e.Command = argv[2]
	case len(argv) > 1 && (program == "apply_patch" || program == "applypatch"):
		e.Tool, e.Paths = edit, patchPaths(strings.Join(argv[1:], "\n"))
	default:
		e.Command = quoted(argv)
	}
}

// pathsOf collects the paths that an input names, each once, in the order of the members. Where strict, a path that is
// no string is an error.
func pathsOf(input object, strict bool) ([]string, error) {
	paths := []string{}
	add := func(path string) {
		if path = withoutScheme(path); path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, member := range pathMembers {
		path, err := input.text(member)
		if err != nil && strict {
			return paths, fmt.Errorf("the tool's %w", err)
		}
		add(path)
	}
	for _, member := range listMembers {
		all, list := texts(input[member])
		if !list {
			one, _ := input.text(member) // a single one is taken as well
			all = []string{one}
		}
		for _, path := range all {
			add(path)
		}
	}
	for _, member := range editMembers {
		for _, one := range objects(input[member]) {
			inner, err := pathsOf(one, strict)
			if err != nil {
				return paths, fmt.Errorf("%s: %w", member, err)
			}
			for _, path := range inner {
				add(path)
			}
		}
	}
	return paths, nil
}

// objects reads the objects of an array that is at most as deep as a list of edits; anything else is none.
func objects(value jsontext.Value) []object {
	if value.Kind() != '[' {
		return nil
	}
	d := decoder(value)
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	var all []object
	for d.PeekKind() != ']' {
		element, err := d.ReadValue()
		if err != nil {
			return all
		}
		if element.Kind() != '{' {
			continue
		}
		if one, err := readObject(element); err == nil {
			delete(one, "edits")
			delete(one, "files")
			all = append(all, one)
		}
	}
	return all
}
