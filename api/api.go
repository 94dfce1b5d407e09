// Package api holds the OpenAPI 3.1 document of the service, as it is edited and as tools take it.
package api

import _ "embed"

// OpenAPI is openapi.yaml as it is served. It refers to the schemas under /schemas/.
//
//go:embed openapi.yaml
var OpenAPI []byte

// OpenAPIJSON is openapi.json as it is served: the same contract, which refers to nothing outside itself.
//
//go:generate go run ../cmd/openapi
//go:embed openapi.json
var OpenAPIJSON []byte
