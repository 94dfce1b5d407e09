package review

import (
	"orchestrator/internal/fault"
	"strconv"
	"strings"
)

// ProblemOf shows of a failure what is meant for clients: no causes, and nothing of a defect.
func ProblemOf(err error) *ImportProblem {
	if err == nil {
		return nil
	}
	f := fault.As(err)
	if f == nil || f.Kind == fault.Internal {
		f = fault.New(fault.Internal, "internal", "the import met a defect").
			WithFix("the log of the service says which; import again once it is mended")
	}
	problem := &ImportProblem{Code: f.Code, Detail: f.Detail, Fix: f.Fix, Errors: []ImportError{}}
	for _, field := range f.Fields {
		problem.Errors = append(problem.Errors, importError(field))
	}
	return problem
}

// importError reads the place that a field of a refused import points at: path, or path#L and a line.
func importError(f fault.Field) ImportError {
	e := ImportError{Path: f.Pointer, Detail: f.Detail, Fix: f.Fix}
	if at := strings.LastIndex(f.Pointer, "#L"); at >= 0 {
		if line, err := strconv.Atoi(f.Pointer[at+2:]); err == nil {
			e.Path, e.Line = f.Pointer[:at], line
		}
	}
	return e
}
