// Command openapi makes api/openapi.json of api/openapi.yaml and the schemas, for tools that take one file:
//
//	go generate ./api
//
// People edit the YAML, which has comments, anchors and references to other files. The JSON says the same in the forms
// that the most tools know: every schema is a named component or stands where it is used, has a type, and is no boolean.
package main

import (
	"errors"
	"fmt"
	"os"

	"orchestrator/api"
	"orchestrator/schemas"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: openapi FILE")
		os.Exit(2)
	}
	text, err := bundle(api.OpenAPI, schemas.Files())
	if err = errors.Join(err, write(os.Args[1], text)); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

// write replaces a file, unless there is nothing to write.
func write(path string, text []byte) error {
	if text == nil {
		return nil
	}
	return os.WriteFile(path, text, 0o644)
}
