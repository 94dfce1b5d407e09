package lists

import "strings"

// Begins returns where the first of the words between single spaces stands that begins with a name; -1 for none.
func Begins(table, name string) int {
	if strings.HasPrefix(table, name) && table != "" {
		return 0
	}
	if at := strings.Index(table, " "+name); at >= 0 {
		return at + 1
	}
	return -1
}
