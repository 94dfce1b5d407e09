package lists

// Opened returns how many parentheses are open at once at most.
func Opened(src string) (most int) {
	open := 0
	for i := range len(src) {
		switch src[i] {
		case '(':
			open++
			most = max(most, open)
		case ')':
			open = max(open-1, 0)
		}
	}
	return most
}
