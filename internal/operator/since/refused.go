package since

import (
	"context"
	"fmt"

	"orchestrator/internal/requirements/review"
)

// Service answers GET requests, as apiclient.Client does.
type Service interface {
	Get(ctx context.Context, path, media string) ([]byte, error)
	GetJSON(ctx context.Context, path string, v any) ([]byte, error)
}

// maxPages bounds how much of a log is looked through for refusals.
const maxPages = 50

// refused counts the attempts that were refused since the log had so many records.
func refused(ctx context.Context, service Service, records uint64) (*review.RefusedSince, error) {
	found := &review.RefusedSince{}
	path := fmt.Sprintf("/audit?kind=requirement.refused,request.refused,refusals.folded&since=%d&limit=500", records)
	for range maxPages {
		var page struct {
			Records []struct {
				Data struct {
					Count int `json:"count"` // of folded ones
				} `json:"data"`
			} `json:"records"`
			Next *string `json:"next"`
		}
		if _, err := service.GetJSON(ctx, path, &page); err != nil {
			return nil, err
		}
		for _, r := range page.Records {
			found.Count += max(1, r.Data.Count)
		}
		if page.Next == nil {
			return found, nil
		}
		path = *page.Next
	}
	found.More = true
	return found, nil
}
