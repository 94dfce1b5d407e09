package lists

import "strings"

// Begins returns where the first of the words between single spaces stands that begins with a name; -1 for none.
func Begins(table, name string) int {
	for at := 0; at < len(table); at++ {
		next := strings.Index(table[at:], name)
		if next < 0 {
			break
		}
		if at += next; at == 0 || table[at-1] == ' ' {
			return at
		}
	}
	return -1
}
