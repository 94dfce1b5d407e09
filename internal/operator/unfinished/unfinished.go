// Package unfinished asks a service what the holder of a token has claimed and not yet done, and puts it into commands.
package unfinished

import (
	"context"
	"net/url"
	"strconv"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/requirements/agenda"
	"orchestrator/internal/requirements/guidance"
)

// page is how many of those that wait for the role are asked for at once: the most that the service gives.
const page = 100

// Visit visits what the holder of the client's token has claimed and what waits for it still: its id, its status, and
// what is lacking, each with the command that supplies it. What waits for another role, and what another token has
// claimed, is left out.
func Visit(ctx context.Context, c *apiclient.Client, visit func(id, status string, do []string)) error {
	for query := (url.Values{"limit": {strconv.Itoa(page)}}); ; {
		var found agenda.Agenda
		if _, err := c.GetJSON(ctx, "/next?"+query.Encode(), &found); err != nil {
			return err
		}
		for _, item := range found.Mine {
			if item.Claim == nil || !item.Claim.Yours {
				continue
			}
			var view guidance.View
			if _, err := c.GetJSON(ctx, "/requirements/"+url.PathEscape(item.ID)+"/next", &view); err != nil {
				return err
			}
			do := words(view)
			if len(do) == 0 {
				do = []string{advice.Typed(item.ID, item.Do)}
			}
			visit(view.ID, string(view.Status), do)
		}
		if len(found.Mine) < page {
			return nil
		}
		query.Set("after", found.Mine[page-1].ID)
	}
}

// words returns what an actor has to supply, to move and to mend.
func words(v guidance.View) (all []string) {
	for _, f := range v.Fields {
		if f.Due && f.Example != nil {
			all = append(all, "supply "+f.Field+": "+advice.Body(v.ID, *f.Example))
		}
	}
	for _, m := range v.Moves {
		if m.Ready && m.LeadsToDone && m.Example != nil {
			all = append(all, "move it to "+string(m.To)+": "+advice.Body(v.ID, *m.Example))
		}
	}
	for _, o := range v.AgainstDone {
		if string(o.By) == string(v.Actor.Role) {
			all = append(all, "mend: "+advice.Objection(v.ID, o))
		}
	}
	return all
}
