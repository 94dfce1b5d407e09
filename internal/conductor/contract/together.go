package contract

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
)

// checkTogether checks contracts against one another: for duplicate names, for dependencies that do not exist or are
// circular, and for relations on which they disagree. Invalid contracts count with their names, so that nothing that is
// there is reported missing.
func checkTogether(sources []source) []fault.Field {
	byName := map[string]source{}
	var wrong []fault.Field
	for _, s := range sources {
		name := s.name()
		first, twice := byName[name]
		switch {
		case name == "":
		case twice:
			wrong = append(wrong, s.wrong("/name", "duplicate_tool", "the name %s is taken, at %s",
				fault.Clip(name, 80), first.place("/name")))
		default:
			byName[name] = s
		}
	}
	for _, s := range sources {
		for i, needed := range s.dependsOn() {
			if _, known := byName[needed]; !known && needed != "" {
				wrong = append(wrong, s.wrong("/depends_on/"+strconv.Itoa(i), "unknown_tool", "there is no tool %s",
					fault.Clip(needed, 80)))
			}
		}
	}
	return slices.Concat(wrong, cycles(byName), disagreements(sources))
}

// disagreements finds relations that two contracts declare differently.
func disagreements(sources []source) (wrong []fault.Field) {
	type declared struct {
		as string
		at source
	}
	first := map[string]declared{}
	for _, s := range sources {
		object, _ := s.value.(map[string]any)
		relations, _ := object["relations"].(map[string]any)
		for _, predicate := range slices.Sorted(maps.Keys(relations)) {
			as, _ := relations[predicate].(string)
			before, known := first[predicate]
			switch {
			case !known:
				first[predicate] = declared{as, s}
			case before.as != as:
				pointer := "/relations/" + fault.PointerToken(predicate)
				wrong = append(wrong, s.wrong(pointer, "relation_disagrees", "%s is %s here, and %s at %s",
					fault.Clip(predicate, 80), fault.Clip(as, 20), fault.Clip(before.as, 20), before.at.place(pointer)))
			}
		}
	}
	return wrong
}

// dependsOn returns the names of the tools that the contract needs, whether it is valid or not.
func (s source) dependsOn() []string {
	object, _ := s.value.(map[string]any)
	list, _ := object["depends_on"].([]any)
	var names []string
	for _, item := range list {
		name, _ := item.(string)
		names = append(names, name)
	}
	return names
}

// cycles finds tools that need themselves, directly or not, each circle once.
func cycles(byName map[string]source) (wrong []fault.Field) {
	done := map[string]bool{}
	var path []string
	var follow func(name string)
	follow = func(name string) {
		if from := slices.Index(path, name); from >= 0 {
			circle := append(slices.Clone(path[from:]), name)
			wrong = append(wrong, byName[name].wrong("/depends_on", "cycle", "tools need one another: %s",
				strings.Join(circle, " → ")))
			return
		}
		if done[name] {
			return
		}
		path = append(path, name)
		for _, needed := range byName[name].dependsOn() {
			follow(needed)
		}
		path = path[:len(path)-1]
		done[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		follow(name)
	}
	return wrong
}
