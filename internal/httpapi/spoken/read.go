package spoken

import (
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/strictjson"
)

// Said is the body of POST /requests.
type Said struct {
	Utterance      string `json:"utterance"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	Rephrase       bool   `json:"rephrase,omitempty"`
	AnswerWithinS  int    `json:"answer_within_s,omitempty"` // seconds that its questions wait; 0 is a day
}

// longestWait is the most seconds that a question may wait, as in schemas/obligations.schema.json.
const longestWait = 30 * 24 * 60 * 60

// Read reads the body of POST /requests, which is valid JSON.
func Read(body []byte) (said Said, err error) {
	if err := strictjson.Fill(body, &said); err != nil {
		return said, wire.Misshapen(err,
			`send {"utterance":"what is 2+2"}; idempotency_key, rephrase and answer_within_s alone may be added`)
	}
	if said.AnswerWithinS < 0 || said.AnswerWithinS > longestWait {
		wrong := fault.Field{Pointer: "/answer_within_s", Code: "range", Detail: "the value is not from 1 to 2592000"}
		return said, fault.New(fault.Invalid, "schema_violation", "the body does not have the expected shape").
			WithFields(wrong).WithFix("name the seconds that a question waits, at most 30 days; a day if left out")
	}
	return said, nil
}
