package reqdoc

import (
	"fmt"
	"strings"

	"orchestrator/internal/requirements/circles"
	"orchestrator/internal/requirements/qualify"
)

// resolveLinks gives the links of requirements whole ids: that of the same folder before all others, and one of another
// folder by its short form where it is the only one. It returns the names of the requirements.
func resolveLinks(all []Requirement) qualify.Names {
	ones := make([]qualify.One, len(all))
	for i, r := range all {
		ones[i] = qualify.One{ID: r.ID, Path: r.Path}
	}
	names := qualify.NamesOf(ones)
	for _, r := range all {
		folder := strings.TrimSuffix(strings.TrimSuffix(r.ID, qualify.Short(r.ID, r.Path)), "/")
		for _, links := range [][]string{r.Parents, r.DependsOn} {
			for i, id := range links {
				if own := qualify.Whole(folder, id); names.Is(own) {
					links[i] = own
				} else if meant := names.Meant(id); len(meant) == 1 {
					links[i] = meant[0]
				}
			}
		}
	}
	return names
}

// maxMeant is how many requirements are listed that a link could lead to.
const maxMeant = 20

// astray reports a link that leads to no requirement, or to none in particular.
func astray(r Requirement, id string, names qualify.Names) Problem {
	if meant := names.Meant(id); len(meant) > 1 {
		return remark(ReasonLink, r.Place, r.ID, fmt.Sprintf("%s links to %s, which could be %s", r.ID, shorten(id),
			strings.Join(meant[:min(len(meant), maxMeant)], ", ")), "write the id with its folder")
	}
	return remark(ReasonLink, r.Place, r.ID, fmt.Sprintf("%s links to %s, which no document defines", r.ID, shorten(id)),
		"mend the link")
}

// shared reports ids that are the short form of another requirement.
func shared(all []Requirement, names qualify.Names) (problems []Problem) {
	for _, r := range all {
		if names.Shared(r.ID) {
			message := r.ID + " can be taken for each of " + strings.Join(names.Meant(r.ID), ", ")
			problems = append(problems, remark(ReasonShared, r.Place, r.ID, message,
				"give it another id, or write "+qualify.OneFolder+r.ID+" in marks"))
		}
	}
	return problems
}

// checkLinks reports ids that lead to several requirements, and links that lead nowhere or in a circle.
func checkLinks(all []Requirement, names qualify.Names) []Problem {
	problems := shared(all, names)
	at := make(map[string]int, len(all))
	for i, r := range all {
		at[r.ID] = i
	}
	edges := make([][]int, len(all))
	for i, r := range all {
		for _, links := range [][]string{r.Parents, r.DependsOn} {
			for _, id := range links {
				if to, found := at[id]; found {
					edges[i] = append(edges[i], to)
					continue
				}
				problems = append(problems, astray(r, id, names))
			}
		}
	}
	for _, circle := range circles.Of(edges) {
		var ids []string
		for _, i := range circle {
			ids = append(ids, shorten(all[i].ID))
		}
		if len(circle) == circles.MaxLength {
			ids = append(ids, "…")
		}
		r := all[circle[0]]
		ids = append(ids, r.ID)
		problems = append(problems, remark(ReasonLink, r.Place, r.ID,
			"links lead in a circle: "+strings.Join(ids, " → "), "take one of the links out"))
	}
	return problems
}
