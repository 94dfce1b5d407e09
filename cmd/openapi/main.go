// Command openapi makes api/openapi.json of api/openapi.yaml and the schemas, for tools that take one file:
//
//	go generate ./api
//
// People edit the YAML, which has comments, anchors and references to other files. The JSON says the same in the forms
// that most tools know: every schema is a named component or stands where it is used, has a type, and is no boolean.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

// generate writes openapi.json, in the folder in which go generate runs the command.
func generate() error {
	text, err := made(".", "../schemas")
	if err != nil {
		return err
	}
	return os.WriteFile("openapi.json", text, 0o644)
}

// made returns what openapi.json is to be.
func made(folder, schemas string) ([]byte, error) {
	document, err := os.ReadFile(filepath.Join(folder, "openapi.yaml"))
	if err != nil {
		return nil, err
	}
	return bundle(document, os.DirFS(schemas))
}
