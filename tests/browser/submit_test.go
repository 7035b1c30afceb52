package browser

import (
	"strings"
	"testing"

	"windlass/tests/embedded"
)

const readme = "write a short README to /codex/result.txt and read it back"

// stages keeps every text that the receipt shows, so that none is missed between
// two looks.
const stages = `(() => {
	window.stages = [];
	const look = () => {
		const text = [...document.querySelectorAll("#receipt li")].map((li) => li.dataset.state + " " + li.querySelector(".word").textContent).join(", ");
		text && stages.at(-1) !== text && stages.push(text);
	};
	new MutationObserver(look).observe(document.querySelector("#receipt"), { childList: true, subtree: true, attributes: true, characterData: true });
})()`

// Accepted, running and completed are three things, told by words.
func TestSubmitTellsAcceptedRunningAndCompletedApart(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("submit")
	p.run(stages)
	p.submit("stress", `{"rounds":3,"callsPerRound":1,"toolBytes":9,"answerBytes":64,"reasoningBytes":0,"latencyMs":150}`)
	p.until(`document.querySelector("#receipt").textContent.includes("Completed") && document.querySelector("#receipt li:last-child").dataset.state === "done"`)
	want := []string{"now Sending…", "done Accepted, next Queued, next Completed", "done Accepted, now Running, next Completed", "done Accepted, done Ran, done Completed"}
	got := value[[]string](p, "stages")
	at := 0
	for _, stage := range got {
		if at < len(want) && stage == want[at] {
			at++
		}
	}
	if at != len(want) {
		t.Errorf("the receipt said %q, want %q in this order", got, want)
	}
	if receipt := p.text("#receipt"); !strings.Contains(receipt, "durable after seq") {
		t.Errorf("the receipt does not say what is durable: %q", receipt)
	}
}

func TestTheAnswerAppearsAndTheOperationIsListed(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("answer")
	p.name("my-operation")
	p.submit("demo", readme)
	p.until(`document.querySelector(".turn .answer")`)
	if answer := p.text(".turn .answer"); !strings.Contains(answer, "I wrote a short README to /codex/result.txt and read it back") {
		t.Errorf("the answer is %q", answer)
	}
	p.until(`document.querySelector('#operations .item[data-status="completed"]')`)
	if row := p.text("#operations .item"); !strings.Contains(row, "my-operation") || !strings.Contains(row, "completed") || !strings.Contains(row, "3 rounds") {
		t.Errorf("the operation's row says %q", row)
	}
	p.until(`[...document.querySelectorAll("#sessions .item")].some((a) => a.textContent.includes("answer"))`)
	if calls := value[int](p, `document.querySelectorAll('.turn .call[data-state="done"]').length`); calls != 2 {
		t.Errorf("%d calls are shown as done, want 2", calls)
	}
}

// A prompt that is refused stays in its box.
func TestARefusedSubmitKeepsTheTextAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("refused")
	p.expect("422 POST /v1/sessions/refused/operations") // by HTTP, if the socket is not open yet
	for _, prompt := range []string{readme, "another prompt"} {
		p.name("once")
		p.submit("demo", prompt)
		p.until(`/Accepted|Not submitted/.test(document.querySelector("#receipt").textContent)`)
	}
	if text, receipt := value[string](p, `document.querySelector("#prompt").value`), p.text("#receipt"); text != "another prompt" || !strings.Contains(receipt, "Not submitted") || !strings.Contains(receipt, "Choose another id") {
		t.Errorf("the box holds %q, the receipt says %q", text, receipt)
	}
}
