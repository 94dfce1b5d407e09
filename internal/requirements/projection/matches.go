package projection

import (
	"bytes"
	"io"

	"orchestrator/internal/fault"
)

// CodeStoreDiffers is the code of a state that the export of the same moment contradicts.
const CodeStoreDiffers fault.Code = "store_differs"

// Matches holds an export of the present moment of the log against the state, byte for byte: where they differ,
// the tables or the export were changed behind the service's back. An export of an earlier moment, as a crash
// leaves it, says nothing; Verify compares that one too. Nor does one of another root: the start has refused it, or
// reported that it is torn, unless an operator gave up the part of the log that it is of.
func (s *Snapshot) Matches(export io.Reader) error {
	var begin bytes.Buffer // of the export, as far as it is read for the log
	log, err := ReadLog(io.TeeReader(export, &begin))
	if err != nil || log.Size != s.Head.Size || log.Root != s.Head.Root {
		return nil //nolint:nilerr // the start has said so
	}
	if !equals(io.MultiReader(&begin, export), s.Write) {
		return fault.New(fault.Internal, CodeStoreDiffers,
			"the database and the export are of the same moment and do not agree").
			WithFix("run orchestrator verify, which says which of the two was changed; put back a good database, or move the export away")
	}
	return nil
}
