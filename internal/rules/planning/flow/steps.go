package flow

import (
	"strconv"

	"orchestrator/internal/rules/planning"
)

// KindPlan is the kind of an ACHIEVE whose payload has the steps that bring it about.
const KindPlan = "plan"

const stepsMember = "steps"

func isPlan(o planning.Obligation) bool { return o.Type == planning.Achieve && o.Kind() == KindPlan }

// obligationsMember has what a SCHEDULE is to bring about later. It is a request of its own: what its obligations refer
// to are one another.
const obligationsMember = "obligations"

// apart reports whether the obligations in a member of a payload refer to one another on their own.
func apart(o planning.Obligation, member string) bool {
	return member == stepsMember && isPlan(o) || scheduled(o, member)
}

func scheduled(o planning.Obligation, member string) bool {
	return member == obligationsMember && o.Type == planning.Schedule
}

// Scheduled returns the obligations that a SCHEDULE is to bring about; none for any other.
func Scheduled(o planning.Obligation) []planning.Obligation {
	if o.Type != planning.Schedule {
		return nil
	}
	return read(o.Payload[obligationsMember])
}

// Steps returns the obligations that an obligation brings with it as the steps of a plan; none for any other.
func Steps(o planning.Obligation) []planning.Obligation {
	if !isPlan(o) {
		return nil
	}
	return read(o.Payload[stepsMember])
}

// read returns a list of obligations in a payload.
func read(member any) []planning.Obligation {
	list, _ := member.([]any)
	steps := make([]planning.Obligation, len(list))
	for i, item := range list {
		object, _ := item.(map[string]any)
		typ, _ := object["type"].(string)
		steps[i].Type = planning.Type(typ)
		steps[i].Name, _ = object["name"].(string)
		steps[i].Payload, _ = object["payload"].(map[string]any)
	}
	return steps
}

// All returns a list of obligations with the steps in their payloads, each before its steps.
func All(list []planning.Obligation) []planning.Obligation {
	var all []planning.Obligation
	for _, o := range list {
		all = append(append(all, o), All(Steps(o))...)
	}
	return all
}

// StepsIn returns the steps in the payload of an obligation that was read from JSON, as they were read.
func StepsIn(obligation any) (steps any, is bool) {
	object, _ := obligation.(map[string]any)
	payload, _ := object["payload"].(map[string]any)
	if object["type"] != string(planning.Achieve) || payload["kind"] != KindPlan {
		return nil, false
	}
	steps, is = payload[stepsMember]
	return steps, is
}

// Place returns the name that every obligation of a list has by its place: o1 for the first.
func Place(i int) string { return "o" + strconv.Itoa(i+1) }

// NameOf returns the name of an obligation in its list: its own, or that of its place.
func NameOf(o planning.Obligation, i int) string {
	if o.Name != "" {
		return o.Name
	}
	return Place(i)
}

// places returns the obligations of a list by each of their names.
func places(list []planning.Obligation) map[string]int {
	all := make(map[string]int, len(list))
	for i, o := range list {
		all[Place(i)] = i
		if o.Name != "" {
			all[o.Name] = i
		}
	}
	return all
}

// Order returns a list of obligations, which [Check] has accepted, in the order in which they have to run: each after
// those whose values it takes, and otherwise as they stand.
//
// Implements: ORC-252
func Order(list []planning.Obligation) []int {
	order, _ := ordered(list)
	return order
}

// ordered returns the order of a list as far as there is one, and what each obligation waits for.
func ordered(list []planning.Obligation) (order []int, sources [][]int) {
	names := places(list)
	sources = make([][]int, len(list))
	for i, o := range list {
		for _, ref := range Needs(o) {
			if source, known := names[ref.Name]; known {
				sources[i] = append(sources[i], source)
			}
		}
	}
	done := make([]bool, len(list))
	ready := func(i int) bool {
		for _, source := range sources[i] {
			if !done[source] {
				return false
			}
		}
		return true
	}
	for i := 0; i < len(list); i++ {
		if done[i] || !ready(i) {
			continue
		}
		done[i], order = true, append(order, i)
		i = firstWaiting(done, sources, i)
	}
	return order, sources
}

// firstWaiting returns the place before the first obligation that may have become ready when one was done: an earlier
// one that waits for it, or else the one itself.
func firstWaiting(done []bool, sources [][]int, now int) int {
	for i := range now {
		if done[i] {
			continue
		}
		for _, source := range sources[i] {
			if source == now {
				return i - 1
			}
		}
	}
	return now
}
