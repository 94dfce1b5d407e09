package apiclient

import (
	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
)

// StreamEnd returns the error that the last event of a stream tells of. fault.Unavailable means that the stream may be
// there again, as after a restart; fault.Unauthenticated that the token may not have it.
func StreamEnd(data []byte) error {
	var said struct {
		Code      fault.Code `json:"code"`
		Detail    string     `json:"detail"`
		Fix       string     `json:"fix"`
		Retryable bool       `json:"retryable"`
	}
	if err := jsonv2.Unmarshal(data, &said); err != nil {
		return err
	}
	kind := fault.Unauthenticated
	if said.Retryable {
		kind = fault.Unavailable
	}
	return &fault.Error{Kind: kind, Code: said.Code, Detail: said.Detail, Fix: said.Fix}
}
