package agentclient

// Servers says where a client registers MCP servers, and how an entry is written. agentclient/settings edits files by
// it.
type Servers struct {
	File  string // in the project; one that ends in .toml is TOML, any other one JSON
	User  string // in the user's folder, for all projects
	Table string // the object, or the table of TOML, that has a member for each server

	Type    string  // of a program that is started, where an entry names a type
	OneList bool    // program and arguments are one list; else the program is a text, and its arguments are a list
	Besides *Option // what an entry has besides

	Trust string // what the person has to know or to do before the client starts a server of a project; "" for nothing
}

// files returns the files of one scope.
func (s *Servers) files(home bool) []string {
	if home {
		return []string{s.User}
	}
	return []string{s.File}
}
