package browser

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

// careful is a page in whose session the agent that asks before it writes has asked.
func careful(t *testing.T, look screen) (context.Context, *page) {
	t.Helper()
	ctx := embedded.Context(t)
	p := open(t, embedded.Start(t), look)
	p.visit("careful")
	p.run(`document.querySelector("#tab-transcript").click()`) // a wide window shows it anyway
	p.name("asks")
	p.submit("careful", readme)
	p.until(`document.querySelector(".approval .exact pre")`)
	return ctx, p
}

// content is a file's, or nothing where there is none.
func (p *page) content(ctx context.Context, path string) string {
	p.t.Helper()
	answer, err := p.s.Client().Send(ctx, "GET", "/v1/sessions/careful/files"+path, nil, nil)
	if problem := (*client.Problem)(nil); errors.As(err, &problem) && problem.Code == "not_found" {
		return ""
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return string(answer.Body)
}

// A reload loses no question; the call runs once it is approved, and not before.
func TestAWriteWaitsForAPerson(t *testing.T) {
	t.Parallel()
	ctx, p := careful(t, desktop)
	p.until(`document.title === "Waits for you · careful · Windlass"`)
	p.says(".turn .status", "waiting")
	p.says(".approval", "workspace_write", "policy", "Expires", "/codex/result.txt")
	if written := p.content(ctx, "/codex/result.txt"); written != "" {
		t.Errorf("it is written before it is approved: %q", written)
	}
	p.do(chromedp.Reload())
	p.until(`document.querySelector(".approval .exact pre")`)
	p.press("Approve")
	p.settled("asks", "completed")
	p.says(".turn .round", "A person said of workspace_write, call 1: approve")
	if p.content(ctx, "/codex/result.txt") == "" {
		t.Error("it is approved and not written")
	}
	if title := value[string](p, "document.title"); title != "careful · Windlass" {
		t.Errorf("the title is %q", title)
	}
}

// A turn waits for its person through as many restarts as it takes: the page finds its
// question again by itself, and the answer reaches the turn.
func TestAQuestionOutlivesTwoKills(t *testing.T) {
	t.Parallel()
	ctx, s := embedded.Context(t), fixed(t)
	p := open(t, s, desktop)
	p.expect(gone...)
	p.visit("careful")
	p.run(`document.querySelector("#tab-transcript").click()`)
	p.name("asks")
	p.submit("careful", readme)
	p.until(`document.querySelector(".approval .exact pre")`)
	for range 2 {
		s.Kill()
		p.until(`document.querySelector("#connection").dataset.state === "waiting"`)
		s.Restart()
		p.until(`document.querySelector("#connection").dataset.state === "open"`)
	}
	p.press("Approve")
	p.settled("asks", "completed")
	if p.content(ctx, "/codex/result.txt") == "" {
		t.Error("it is approved and not written")
	}
	events, err := s.Client().Events(ctx, "careful", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range checker.Check(events).Violations {
		t.Error(violation)
	}
}

func TestAWriteIsChangedByAPerson(t *testing.T) {
	t.Parallel()
	ctx, p := careful(t, phone)
	p.press("Edit arguments")
	p.fill(".approval textarea", `{"path": "/codex/other.txt", "content": "mine"}`)
	p.press("Approve as edited")
	p.until(`document.querySelector(".call").textContent.includes("/codex/other.txt")`)
	p.until(`document.querySelector('.turn[data-open="false"]')`)
	if mine, theirs := p.content(ctx, "/codex/other.txt"), p.content(ctx, "/codex/result.txt"); mine != "mine" || theirs != "" {
		t.Errorf("the person's file holds %q, the model's %q", mine, theirs)
	}
}

func TestAWriteIsDeniedByAPerson(t *testing.T) {
	t.Parallel()
	ctx, p := careful(t, desktop)
	p.press("Deny")
	p.fill(".approval textarea", "not <b>there")
	p.press("Deny it")
	p.until(`document.querySelector('.turn[data-open="false"]')`)
	p.says(".turn .round", "A person said of workspace_write, call 1: deny, “not <b>there”")
	if written := p.content(ctx, "/codex/result.txt"); written != "" {
		t.Errorf("it is denied and written: %q", written)
	}
	p.run(`document.querySelector(".call").open = true`)
	p.until(`document.querySelector(".call").textContent.includes("not <b>there")`)
	p.harmless("a denial")
}

// An operation that is cancelled waits for nobody.
func TestAQuestionGoesWithItsOperation(t *testing.T) {
	t.Parallel()
	ctx, p := careful(t, desktop)
	p.cancel("asks")
	p.settled("asks", "cancelled")
	p.until(`!document.querySelector(".approval") && document.title === "careful · Windlass"`)
	for _, l := range logged(ctx, t, p.s.Client(), "careful") {
		if strings.HasPrefix(l.Type, "approval.resolved") {
			t.Error("somebody answered")
		}
	}
}
