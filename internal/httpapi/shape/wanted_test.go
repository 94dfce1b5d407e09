package shape

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWanted(t *testing.T) {
	stored := []byte(`{"id":"R","text":"t","status":"done","revision":3,"history":[]}`)
	all := []string{"id", "status", "history"}
	for _, c := range []struct{ prefer, fields, want string }{
		{"", "", `{"id":"R","text":"t","status":"done","revision":3}`},
		{Minimal, "", `{"id":"R","status":"done","revision":3}`},
		{Whole, "", string(stored)},
		{"", "id,history", string(stored)},
		{Minimal, "status", `{"id":"R","text":"t","status":"done","revision":3}`},
	} {
		values := url.Values{}
		if c.fields != "" {
			values.Set("fields", c.fields)
		}
		o, err := WantedOf([]string{c.prefer}, values, all)
		require.NoError(t, err)
		got, err := o.Requirement(stored)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got), "%+v", c)
	}
	_, err := WantedOf(nil, url.Values{"fields": {"colour"}}, all)
	require.Error(t, err)
	rows, err := Wanted{Fields: []string{"id"}}.CutAll(2, func(i int) any { return map[string]int{"id": i, "n": 1} })
	require.NoError(t, err)
	require.Equal(t, `{"id":1}`, string(rows[1]))
	_, err = Wanted{}.CutAll(1, func(int) any { return func() {} })
	require.Error(t, err)
	whole, err := Wanted{}.Cut(stored)
	require.NoError(t, err)
	require.Equal(t, string(stored), string(whole))
}
