package reqdoc

import (
	"fmt"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/placeholder"
)

// template refuses a document that is to be filled in yet: its title is a placeholder, or most definitions are.
func template(title string, line int, hollow []Problem, real int) error {
	titled := placeholder.Is(afterColon(title)) && len(hollow)+real > 0 || real == 0 && placeholder.IsTemplate(title)
	if !titled && len(hollow) <= real {
		return nil
	}
	why := fmt.Sprintf("%d of its %d definitions are placeholders", len(hollow), len(hollow)+real)
	if titled {
		why = fmt.Sprintf("its title is %q", shorten(title))
		hollow = append([]Problem{problem(Place{Line: line}, "", why, "write what the document is about")}, hollow...)
	}
	err := fault.New(fault.Invalid, "document_template", "the document is a template: %s", why).
		WithFix("fill it in, title included, and import it again")
	for _, p := range listed(hollow) {
		err.Fields = append(err.Fields, fault.Field{Pointer: p.pointer(), Detail: p.Message, Fix: p.Fix})
	}
	return err
}

func afterColon(title string) string {
	if _, name, found := strings.Cut(title, ":"); found {
		return name
	}
	return title
}
