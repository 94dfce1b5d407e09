package agentclient

// sharedInstructions is the file in which a project tells the agents of most clients how to work.
const sharedInstructions = "AGENTS.md"

// InstructionFiles returns the files in which a project tells agents how to work: the one that most clients read, and
// then those of clients that read a file of their own.
func InstructionFiles() []string {
	files := []string{sharedInstructions}
	for _, c := range clients {
		if c.Instructions != "" {
			files = append(files, c.Instructions)
		}
	}
	return files
}
