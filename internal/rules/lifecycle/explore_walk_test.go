package lifecycle

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// edge is an accepted step from one class to another.
type edge struct {
	to    int32
	helps bool // it was taken by someone whose turn it was, or is an event that helps
}

// graph is what a walk found: the classes in the order of their distance from the beginning.
type graph struct {
	workflow Workflow
	broad    bool
	steps    []step
	classes  []class
	index    map[class]int32
	parent   []int32 // the class from which each was reached first
	via      []int32 // by which step
	edges    [][]edge
	asked    int // steps that were tried
	accepted int
}

// arrival is an accepted step, before its class has a number.
type arrival struct {
	from, via int32
	to        class
	helps     bool
}

// walk explores everything that is reachable from a requirement that was just imported, by breadth first, and holds
// each step to the laws. It ends at the fixpoint.
func walk(w Workflow, broad bool) (*graph, error) {
	g := &graph{workflow: w, broad: broad, steps: stepsOf(broad), index: map[class]int32{}}
	begun, _ := Define(nil, textOf("one"), noon, LatestRules)
	g.add(classOf(situation{begun, world{tip: 'A'}}), 0, -1)
	for done := 0; done < len(g.classes); {
		level := g.classes[done:]
		parts := make([][]arrival, workers)
		asked, errs := make([]int, workers), make([]error, workers)
		var all sync.WaitGroup
		for i := range workers {
			all.Go(func() {
				for n := i; n < len(level) && errs[i] == nil; n += workers {
					var tried int
					parts[i], tried, errs[i] = g.expand(parts[i], int32(done+n))
					asked[i] += tried
				}
			})
		}
		all.Wait()
		done += len(level)
		for i := range workers {
			if errs[i] != nil {
				return g, errs[i]
			}
			g.asked += asked[i]
		}
		g.take(parts)
	}
	return g, nil
}

const workers = 2

func (g *graph) add(c class, parent, via int32) int32 {
	n, known := g.index[c]
	if !known {
		n = int32(len(g.classes))
		g.index[c] = n
		g.classes, g.parent, g.via = append(g.classes, c), append(g.parent, parent), append(g.via, via)
		g.edges = append(g.edges, nil)
	}
	return n
}

// take gives numbers to the classes that were arrived at.
func (g *graph) take(parts [][]arrival) {
	for _, part := range parts {
		for _, a := range part {
			e := edge{g.add(a.to, a.from, a.via), a.helps}
			g.accepted++
			if !slices.Contains(g.edges[a.from], e) {
				g.edges[a.from] = append(g.edges[a.from], e)
			}
		}
	}
}

// expand takes every step from one class.
func (g *graph) expand(arrivals []arrival, n int32) ([]arrival, int, error) {
	c := g.classes[n]
	from, asked := c.situation(), 0
	if classOf(from) != c {
		return nil, 0, fmt.Errorf("a situation of the class %+v is of another class: %+v", c, classOf(from))
	}
	v := g.viewOf(from)
	if err := workGoesOn(v); err != nil {
		return nil, 0, fmt.Errorf("%w\n%s", err, g.way(n))
	}
	turn, inTurn := g.workflow.Turn(from.req), int(n)%len(g.steps)
	for i, s := range g.steps {
		if !g.broad && i != inTurn && s.isHopeless(from.req) {
			continue
		}
		to, happened := s.take(g.workflow, from, byTheRules)
		if !happened {
			continue
		}
		asked++
		if err := broken(v, s, to); err != nil {
			return nil, 0, fmt.Errorf("%w\n%s", err, g.way(n, int32(i)))
		}
		if to.err == nil {
			arrivals = append(arrivals, arrival{n, int32(i), classOf(to.situation), s.helps && (s.event != nil || slices.Contains(turn, s.who.Role))})
		}
	}
	if !reflect.DeepEqual(from, c.situation()) {
		return nil, 0, fmt.Errorf("a step changed the requirement that it was given\n%s", g.way(n))
	}
	return arrivals, asked, nil
}

// steps lists the steps that lead to a class, and then another one.
func (g *graph) path(n int32, last ...int32) []int32 {
	way := slices.Clone(last)
	for ; g.via[n] >= 0; n = g.parent[n] {
		way = append([]int32{g.via[n]}, way...)
	}
	return way
}

// way tells the shortest history that ends with a step from a class.
func (g *graph) way(n int32, last ...int32) string {
	var names []string
	for _, i := range g.path(n, last...) {
		names = append(names, g.steps[i].name)
	}
	return "the shortest history under " + g.workflow.Name + ":\n\t" + strings.Join(names, "\n\t")
}

// replay takes the steps from the beginning on, without reducing situations to their classes.
func (g *graph) replay(way []int32) situation {
	begun, _ := Define(nil, textOf("one"), noon, LatestRules)
	at := situation{begun, world{tip: 'A'}}
	for _, i := range way {
		to, _ := g.steps[i].take(g.workflow, at, byTheRules)
		at = to.situation
	}
	return at
}
