// Package circles finds the circles of a graph, such as the links between requirements. It does no I/O.
package circles

// No more circles are listed, and no more of one.
const (
	maxFound  = 100
	MaxLength = 20
)

// Of returns the circles of a graph, one of each set of nodes that reach one another, by a walk from each node
// that is still open. It takes linear time and no recursion.
func Of(edges [][]int) [][]int {
	const unseen, open, done = 0, 1, 2
	state, position := make([]byte, len(edges)), make([]int, len(edges))
	next := make([]int, len(edges)) // edge to follow
	var found [][]int
	for start := range edges {
		if state[start] != unseen {
			continue
		}
		path := []int{start}
		state[start] = open
		for len(path) > 0 {
			node := path[len(path)-1]
			if next[node] == len(edges[node]) {
				state[node] = done
				path = path[:len(path)-1]
				continue
			}
			to := edges[node][next[node]]
			next[node]++
			switch state[to] {
			case unseen:
				state[to], position[to] = open, len(path)
				path = append(path, to)
			case open:
				if circle := path[position[to]:]; len(found) < maxFound {
					found = append(found, append([]int(nil), circle[:min(len(circle), MaxLength)]...))
				}
			}
		}
	}
	return found
}
