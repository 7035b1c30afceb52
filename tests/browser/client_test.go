package browser

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/tests/embedded"
)

// The client that any page may import, in a page: it submits, follows to the end,
// and its events are the log's, character by character.
func TestTheClientWorksInAPage(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("elsewhere") // the console's own page, for its origin and its policy
	got := value[[]string](p, fmt.Sprintf(`(async () => {
		const { Windlass } = await import("/windlass.js");
		const windlass = new Windlass({ url: location.origin, key: %s });
		const receipt = await windlass.submit("module", { prompt: %s, agent: "stress" });
		const events = [];
		for await (const event of windlass.events("module", { operationId: receipt.operationId })) events.push(JSON.stringify(event));
		windlass.close();
		return events;
	})()`, quoted(embedded.Key), quoted(load(5, 2, 9, 20))))
	var log struct{ Events []json.RawMessage }
	if _, err := s.Client().Do(ctx, "GET", "/v1/sessions/module/events?limit=1000", nil, &log); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, event := range log.Events[1:] { // the first opens the session, and is no operation's
		want = append(want, string(event))
	}
	if d := cmp.Diff(want, got); d != "" || len(got) < 20 {
		t.Errorf("%d events came (-log +page):\n%s", len(got), d)
	}
}
