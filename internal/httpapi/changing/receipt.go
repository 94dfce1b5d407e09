package changing

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"

	"orchestrator/internal/requirements"
)

// SetReceipt sets the header that says where the record of a decision stands, as a dictionary of RFC 9651.
func SetReceipt(w http.ResponseWriter, r requirements.Receipt) {
	place := "index=" + strconv.FormatUint(r.Index, 10)
	if r.Folded {
		place = "folded"
	}
	w.Header()["Audit-Receipt"] = []string{fmt.Sprintf("size=%d, %s, root=:%s:", r.Size, place,
		base64.StdEncoding.EncodeToString(r.Root[:]))}
}
