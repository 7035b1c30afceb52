package sizes

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// The most that a prompt may come with: many files that each stand in the event, and
// files that are large together.
func TestTheLargestInputs(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t)
	c := s.Client()
	var small, large []string
	for i := range 16 {
		name := fmt.Sprintf("/%d.txt", i)
		if _, _, err := c.PutFile(ctx, "s", name, bytes.Repeat([]byte{byte('a' + i)}, 16<<10), nil); err != nil {
			t.Fatal(err)
		}
		small = append(small, fmt.Sprintf(`{"type":"file","path":%q}`, name))
	}
	for i := range 4 {
		id, err := c.Upload(ctx, "s", "large.txt", bytes.Repeat([]byte{byte('a' + i)}, 5<<20))
		if err != nil {
			t.Fatal(err)
		}
		large = append(large, fmt.Sprintf(`{"type":"file","upload":%q,"name":"large.txt"}`, id))
	}
	for id, input := range map[string][]string{"small": small, "large": large} {
		body := fmt.Sprintf(`{"operationId":%q,"prompt":"what is it?","input":[%s]}`, id, strings.Join(input, ","))
		if _, err := c.Raw(ctx, http.MethodPost, "/v1/sessions/s/operations", []byte(body), nil); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
	}
	for _, id := range []string{"small", "large"} {
		o, err := c.Wait(ctx, "s", id)
		if err != nil || o.Status != "completed" {
			t.Errorf("%s: %+v, %+v, %v", id, o, o.Error, err)
		}
	}
	if items, largest := itemsOf(ctx, t, s); items < 20 || largest > 48<<10 {
		t.Errorf("the largest of %d items has %d bytes", items, largest)
	}
	_, err := c.Raw(ctx, http.MethodPost, "/v1/sessions/s/operations", fmt.Appendf(nil, `{"prompt":"p","input":[%s,%s]}`, strings.Join(large, ","), small[0]), nil)
	if p, ok := err.(*client.Problem); !ok || p.HTTP != http.StatusRequestEntityTooLarge || p.Code != "too_large" {
		t.Errorf("20 MiB and a bit: %v", err)
	}
}
