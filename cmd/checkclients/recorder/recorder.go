// Package recorder makes the programs that stand between a client and orchestrator: one that keeps each call of the
// hook, and second names of others.
package recorder

import (
	"fmt"
	"os"
)

// script is the program that the client starts as orchestrator-hook. It keeps the call and the answer.
const script = `#!/bin/sh
call="%[1]s/$(date +%%s%%N)-$$"
cat > "$call.stdin"
printf '%%s\n' "$*" > "$call.args"
"%[2]s" "$@" < "$call.stdin" > "$call.stdout" 2> "$call.stderr"
code=$?
printf '%%s\n' "$code" > "$call.exit"
cat "$call.stdout"
cat "$call.stderr" >&2
exit $code
`

// Write writes the recorder of a hook to a file. The calls are kept in a folder.
func Write(file, hook, calls string) error {
	return os.WriteFile(file, fmt.Appendf(nil, script, calls, hook), 0o700)
}

// LinkOrCopy makes a second name of a program: a symbolic link would lead to the folder where the real hook lies.
func LinkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o700) //nolint:gosec // a folder of our own
}
