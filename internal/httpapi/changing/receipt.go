package changing

import (
	"encoding/base64"
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
	w.Header()["Audit-Receipt"] = []string{"size=" + strconv.FormatUint(r.Size, 10) + ", " + place + ", root=:" +
		base64.StdEncoding.EncodeToString(r.Root[:]) + ":"}
}
