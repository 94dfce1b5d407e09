// Package api holds the OpenAPI 3.1 document of the service.
package api

import _ "embed"

// OpenAPI is openapi.yaml as it is served. It refers to the schemas under /schemas/.
//
//go:embed openapi.yaml
var OpenAPI []byte
