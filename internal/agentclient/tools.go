package agentclient

// The canonical names that mean something here.
const (
	edit       = "Edit"
	write      = "Write"
	multiEdit  = "MultiEdit"
	notebook   = "NotebookEdit"
	remove     = "Delete"
	read       = "Read"
	grep       = "Grep"
	glob       = "Glob"
	list       = "LS"
	bash       = "Bash"
	powerShell = "PowerShell"
	task       = "Task"
	webFetch   = "WebFetch"
	webSearch  = "WebSearch"
	todoWrite  = "TodoWrite"
	todoRead   = "TodoRead"
	askUser    = "AskUserQuestion"
	toolSearch = "ToolSearch"
	skill      = "Skill"
	slash      = "SlashCommand"
	enterPlan  = "EnterPlanMode"
	exitPlan   = "ExitPlanMode"
	taskOutput = "TaskOutput" // what waits for something, or reads what came of it
	taskStop   = "TaskStop"
	taskList   = "TaskList"
	listMCP    = "ListMcpResourcesTool"
	readMCP    = "ReadMcpResourceTool"
	patch      = "patch" // becomes Edit, after its text has been read
)

// fileTools are those whose paths must be readable: a path that is no string is an error. Elsewhere it is passed over.
var fileTools = []string{edit, write, multiEdit, notebook, remove, read}

// The members of a tool's input that are looked at.
var (
	pathMembers = []string{"file_path", "filePath", "notebook_path", "path", "absolute_path", "target_notebook",
		"destination", "source", "target_file", "uri", "file", "dir_path", "output_csv_path"}
	listMembers    = []string{"paths", "file_paths", "files"}
	editMembers    = []string{"edits", "files"} // arrays of objects, each of which may name a file
	commandMembers = []string{"command", "cmd", "script"}
	patchMembers   = []string{"patchText", "patch", "input", "command"}
	globMembers    = rows[[]string]{
		{grep, []string{"glob", "include", "include_pattern"}}, {glob, []string{"pattern", "glob_pattern"}},
	}
	folderMembers = []string{"workdir", "working_directory", "directory", "dir_path", "cwd"}
)
