package token

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
)

// document is tokens.json.
type document struct {
	Tokens []Token `json:"tokens"`
}

func encode(tokens []Token) ([]byte, error) {
	data, err := json.Marshal(document{Tokens: tokens}, jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// decode reads the file strictly: a member that is unknown, given twice or of the wrong type, and an
// entry that is incomplete or contradicts another, are fault.Malformed. No value is repeated in the
// error, because a value may be a token that was put in by mistake.
func decode(path string, data []byte) ([]Token, error) {
	var doc document
	var problems []fault.Field
	if err := json.Unmarshal(data, &doc, json.RejectUnknownMembers(true)); err != nil {
		problems = append(problems, syntaxProblem(err))
	} else if doc.Tokens == nil {
		problems = append(problems, fault.Field{Pointer: "/tokens", Detail: "is missing"})
	}
	if problems == nil {
		problems = entryProblems(doc.Tokens)
	}
	if problems != nil {
		return nil, fault.New(fault.Malformed, "tokens_malformed", "the token file %s cannot be used", path).
			WithFields(problems...).WithFix("correct the file, or remove the entry and add a new token")
	}
	return doc.Tokens, nil
}

func syntaxProblem(err error) fault.Field {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		problem := fault.Field{Pointer: string(syntax.JSONPointer)}
		if errors.Is(err, jsontext.ErrDuplicateName) {
			problem.Detail = "is given twice"
		} else {
			problem.Detail = fmt.Sprintf("is not valid JSON at byte %d", syntax.ByteOffset)
		}
		return problem
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		problem := fault.Field{Pointer: string(semantic.JSONPointer)}
		if errors.Is(err, json.ErrUnknownName) {
			problem.Detail = "is not a known member"
		} else {
			problem.Detail = fmt.Sprintf("cannot be read as %v", semantic.GoType)
		}
		return problem
	}
	return fault.Field{Detail: "is not one JSON object"}
}

func entryProblems(tokens []Token) (problems []fault.Field) {
	ids, sums := map[string]int{}, map[string]int{}
	for i, t := range tokens {
		wrong := func(member, format string, args ...any) {
			problems = append(problems, fault.Field{
				Pointer: fmt.Sprintf("/tokens/%d/%s", i, member), Detail: fmt.Sprintf(format, args...),
			})
		}
		if !validName(t.ID) {
			wrong("id", "must be 1 to %d visible characters", maxName)
		}
		if !validName(t.Name) {
			wrong("name", "must be 1 to %d visible characters", maxName)
		}
		if !validRole(t.Role) {
			wrong("role", "is not a known role")
		}
		if sum, err := hex.DecodeString(t.SHA256); err != nil || len(sum) != 32 ||
			strings.ToLower(t.SHA256) != t.SHA256 {
			wrong("sha256", "must be 64 lower-case hexadecimal digits")
		}
		if t.Created.IsZero() {
			wrong("created", "is missing")
		}
		if first, ok := ids[t.ID]; ok {
			wrong("id", "is the same as in entry %d", first)
		}
		if first, ok := sums[t.SHA256]; ok {
			wrong("sha256", "is the same as in entry %d", first)
		}
		ids[t.ID], sums[t.SHA256] = i, i
	}
	return problems
}
