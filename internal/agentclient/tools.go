package agentclient

// tool is what a client's tool is, in canonical terms.
type tool struct {
	name    string // canonical
	command string // the member with a shell's command, where it is not called as in commandMembers
	maybe   bool   // it is a shell only with a command, and else a tool of its own
}

// The canonical names that mean something here.
const (
	edit       = "Edit"
	write      = "Write"
	multiEdit  = "MultiEdit"
	notebook   = "NotebookEdit"
	remove     = "Delete"
	read       = "Read"
	bash       = "Bash"
	powerShell = "PowerShell"
	task       = "Task"
	patch      = "patch" // becomes Edit, after its text has been read
)

// rows say what a client's names mean. They are few, and a part of the program as it lies on the disk: maps would be
// built each time that a hook starts.
type rows[V any] []struct {
	name string
	is   V
}

func (r rows[V]) find(name string) (is V, found bool) {
	for i := range r {
		if r[i].name == name {
			return r[i].is, true
		}
	}
	return is, false
}

func named(canonical string) tool { return tool{name: canonical} }

// The tables have what must be translated; a name that is not in them stays as it is.
var (
	// Agent is what Claude Code calls Task today, and Monitor runs a command and watches it. Its other names are the
	// canonical ones.
	claudeTools = rows[tool]{{"Agent", named(task)}, {"Monitor", tool{name: bash, maybe: true}}}

	codexTools = rows[tool]{
		{"apply_patch", named(patch)}, {"shell", named(bash)}, {"shell_command", named(bash)}, {"local_shell", named(bash)},
		{"exec_command", named(bash)}, {"unified_exec", named(bash)}, {"container.exec", named(bash)},
		{"write_stdin", tool{name: bash, command: "chars", maybe: true}},
		{"read_file", named(read)}, {"view_image", named(read)}, {"grep_files", named("Grep")}, {"list_dir", named("LS")},
		{"spawn_agent", named(task)}, {"web_search", named("WebSearch")}, {"update_plan", named("TodoWrite")},
	}

	qwenTools = rows[tool]{
		{"edit", named(edit)}, {"write_file", named(write)}, {"notebook_edit", named(notebook)}, {"run_shell_command", named(bash)},
		{"read_file", named(read)}, {"read_many_files", named(read)}, {"grep_search", named("Grep")}, {"search_file_content", named("Grep")},
		{"glob", named("Glob")}, {"list_directory", named("LS")}, {"agent", named(task)}, {"task", named(task)},
		{"web_fetch", named("WebFetch")}, {"web_search", named("WebSearch")}, {"todo_write", named("TodoWrite")},
	}

	geminiTools = rows[tool]{
		{"replace", named(edit)}, {"write_file", named(write)}, {"run_shell_command", named(bash)},
		{"read_file", named(read)}, {"read_many_files", named(read)}, {"grep_search", named("Grep")}, {"search_file_content", named("Grep")},
		{"glob", named("Glob")}, {"list_directory", named("LS")}, {"web_fetch", named("WebFetch")}, {"google_web_search", named("WebSearch")},
		{"write_todos", named("TodoWrite")},
	}

	cursorTools = rows[tool]{
		{"Shell", named(bash)}, {"Write", named(write)}, {"Edit", named(edit)}, {"StrReplace", named(edit)}, {"MultiEdit", named(multiEdit)},
		{"ApplyPatch", named(patch)}, {"EditNotebook", named(notebook)}, {"Delete", named(remove)}, {"Read", named(read)},
	}

	copilotTools = rows[tool]{
		{"edit", named(edit)}, {"create", named(write)}, {"str_replace_editor", named(edit)}, {"apply_patch", named(patch)},
		{"bash", named(bash)}, {"write_bash", tool{name: bash, command: "input"}}, {"powershell", named(powerShell)},
		{"write_powershell", tool{name: powerShell, command: "input"}},
		{"view", named(read)}, {"grep", named("Grep")}, {"rg", named("Grep")}, {"glob", named("Glob")}, {"task", named(task)},
		{"web_fetch", named("WebFetch")}, {"web_search", named("WebSearch")}, {"update_todo", named("TodoWrite")}, {"ask_user", named("AskUserQuestion")},
	}

	opencodeTools = rows[tool]{
		{"edit", named(edit)}, {"multiedit", named(multiEdit)}, {"write", named(write)}, {"patch", named(patch)}, {"apply_patch", named(patch)},
		{"bash", named(bash)}, {"read", named(read)}, {"grep", named("Grep")}, {"glob", named("Glob")}, {"list", named("LS")}, {"task", named(task)},
		{"webfetch", named("WebFetch")}, {"websearch", named("WebSearch")}, {"todowrite", named("TodoWrite")}, {"todoread", named("TodoRead")},
	}
)

// fileTools are those whose paths must be readable: a path that is no string is an error. Elsewhere it is passed over.
var fileTools = []string{edit, write, multiEdit, notebook, remove, read}

// The members of a tool's input that are looked at.
var (
	pathMembers = []string{"file_path", "filePath", "notebook_path", "path", "absolute_path", "target_notebook",
		"destination", "source", "target_file", "uri"}
	listMembers    = []string{"paths", "file_paths", "files"}
	editMembers    = []string{"edits", "files"} // arrays of objects, each of which may name a file
	commandMembers = []string{"command", "cmd", "script"}
	patchMembers   = []string{"patchText", "patch", "input", "command"}
	globMembers    = rows[[]string]{{"Grep", []string{"glob", "include"}},
		{"Glob", []string{"pattern", "glob_pattern"}}}
	folderMembers = []string{"workdir", "working_directory", "directory", "dir_path", "cwd"}
)
