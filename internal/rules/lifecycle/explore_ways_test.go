package lifecycle

import "slices"

// stuck lists the classes from which no way leads to done, if three people have a role each and act when it is their turn,
// the code is committed and merged, and the document has its text again. It goes back from done.
func (g *graph) stuck() (all []int32) {
	back := make([][]int32, len(g.classes))
	for from, edges := range g.edges {
		for _, e := range edges {
			if e.helps {
				back[e.to] = append(back[e.to], int32(from))
			}
		}
	}
	reaches := make([]bool, len(g.classes))
	var queue []int32
	reach := func(n int32) {
		if !reaches[n] {
			reaches[n] = true
			queue = append(queue, n)
		}
	}
	for n, c := range g.classes {
		if c.status == position(Done) {
			reach(int32(n))
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, from := range back[n] {
			reach(from)
		}
	}
	for n := range g.classes {
		if !reaches[n] {
			all = append(all, int32(n))
		}
	}
	return all
}

// statusesOf lists the statuses of classes, in their order.
func (g *graph) statusesOf(classes []int32) []Status {
	found := map[Status]bool{}
	for _, n := range classes {
		found[Statuses()[g.classes[n].status-1]] = true
	}
	return slices.DeleteFunc(Statuses(), func(s Status) bool { return !found[s] })
}

// count returns how many classes have a status.
func (g *graph) count(status ...Status) (n int) {
	for _, c := range g.classes {
		if slices.Contains(status, Statuses()[c.status-1]) {
			n++
		}
	}
	return n
}

// differs compares what each step leads to from a class with what it leads to at the end of a real history of it, and
// returns the first step that differs, or "".
func (g *graph) differs(n int32) string {
	reduced, real := g.classes[n].situation(), g.replay(g.path(n))
	if classOf(real) != g.classes[n] {
		return "the history itself"
	}
	for _, s := range g.steps {
		a, _ := s.take(g.workflow, reduced, byTheRules)
		if real.req.Stamps.Implementation.By == tess.Name {
			s.who = otherwise(s.who)
		}
		b, _ := s.take(g.workflow, real, byTheRules)
		if (a.err == nil) != (b.err == nil) || classOf(a.situation) != classOf(b.situation) {
			return s.name
		}
	}
	return ""
}

// otherwise returns the same role of the other one of cody and tess.
func otherwise(who Actor) Actor {
	if n, is := map[string]string{"cody": "tess", "Cody": "tess", "tess": "cody"}[who.Name]; is {
		who.Name = n
	}
	return who
}
