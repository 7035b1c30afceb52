package browser

import (
	"fmt"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// What the page may hold of a log of twenty thousand events.
const (
	logNodes = 600 // elements of the log view, wherever it is scrolled to
	held     = 20_000
)

func TestALogOfTwentyThousandEventsStaysBounded(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), embedded.Start(t)
	c := s.Client()
	for i := range 6 {
		id := fmt.Sprint("op-", i)
		if _, err := c.Submit(ctx, "long", client.Submission{Prompt: load(50, 26, 9, 0), OperationID: id, Agent: "stress"}); err != nil {
			t.Fatal(err)
		}
		if o, err := c.Wait(ctx, "long", id); err != nil || o.Status != "completed" {
			t.Fatalf("%+v, %v", o, err)
		}
	}
	o, err := c.Operation(ctx, "long", "op-5", 0)
	if err != nil || o.LastSeq < held {
		t.Fatalf("the log ends at %d, %v: too short for this test", o.LastSeq, err)
	}
	p := open(t, s, desktop)
	p.visit("long")
	p.view("log")
	for quarter := range uint64(4) { // each is waited for: there is much to read
		p.until(fmt.Sprintf(`Number(/the page has seq (\d+);/.exec(document.querySelector("#connection").title)[1]) >= %d`, o.LastSeq*(quarter+1)/4))
	}
	for _, place := range []string{"0", "list.scrollHeight / 2", "list.scrollHeight"} {
		p.run(fmt.Sprintf(`(async () => {
			const list = document.querySelector(".log-list");
			list.scrollTop = %s;
			await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		})()`, place))
		if n := value[int](p, `document.querySelectorAll("#panel-log *").length`); n > logNodes {
			t.Errorf("at %s the log view has %d elements, at most %d", place, n, logNodes)
		}
		if n := value[int](p, `document.querySelectorAll(".log-line").length`); n < 20 {
			t.Errorf("at %s the log view has %d lines", place, n)
		}
	}
	// The page knows its place in the log a frame before its list shows it: the end of
	// the list is where the last event is, once it has it.
	p.until(fmt.Sprintf(`(() => {
		const list = document.querySelector(".log-list");
		list.scrollTop = list.scrollHeight;
		return Number([...document.querySelectorAll(".log-line")].at(-1)?.dataset.seq) === %d;
	})()`, o.LastSeq))
	p.fill(`.filters input[type="search"]`, `"type":"operation.completed"`)
	p.until(`document.querySelectorAll(".log-line").length === 6`)
	t.Logf("%d elements in the whole page", value[int](p, `document.querySelectorAll("*").length`))
}
