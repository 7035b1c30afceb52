package browser

import (
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
	p.submit("stress", `{"rounds":3,"callsPerRound":1,"toolBytes":9,"answerBytes":64,"reasoningBytes":0,"latencyMs":1000}`)
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
	p.says("#receipt", "durable after seq")
}

func TestTheAnswerAppearsAndTheOperationIsListed(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("answer")
	p.name("my-operation")
	p.submit("demo", readme)
	p.until(`document.querySelector(".turn .answer")`)
	p.says(".turn .answer", "I wrote a short README to /codex/result.txt and read it back")
	p.says(`#operations .item[data-status="completed"]`, "my-operation", "completed", "3 rounds")
	p.until(`[...document.querySelectorAll("#sessions .item")].some((a) => a.textContent.includes("answer"))`)
	p.until(`document.querySelectorAll('.turn .call[data-state="done"]').length === 2`)
}

// A prompt that is refused stays in its box.
func TestARefusedSubmitKeepsTheTextAndSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := embedded.Start(t)
	p := open(t, s, desktop)
	p.visit("refused")
	p.expect("422 POST /v1/sessions/refused/operations") // by HTTP, if the socket is not open yet
	for _, try := range []struct{ prompt, becomes string }{{readme, "Accepted"}, {"another prompt", "Not submitted"}} {
		p.name("once")
		p.submit("demo", try.prompt)
		p.says("#receipt", try.becomes)
	}
	p.says("#receipt", "Choose another id")
	if text := value[string](p, `document.querySelector("#prompt").value`); text != "another prompt" {
		t.Errorf("the box holds %q", text)
	}
}
