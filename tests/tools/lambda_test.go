package tools

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// desk is an agent that may call functions.
const desk = `
tools:
  - name: lambda
    with:
      functions:
        - &f {name: open, function: "tickets:live", description: opens a ticket, effect: idempotent, timeout: 2s, input: {type: object, properties: {title: {type: string}}, required: [title]}}
        - {<<: *f, name: pay, function: payments, effect: once}
        - {<<: *f, name: look, function: "arn:aws:lambda:us-east-1:123456789012:function:search", effect: read}
        - {<<: *f, name: break, function: broken}
        - {<<: *f, name: wait, function: busy}
`

func title(id, tool, title string) providers.Part { return call(id, tool, object{"title": title}) }

// Functions of the account are called with a signed request and the call's key. The process
// is killed while they run: the idempotent one is called again with the same key, the one
// that must not be repeated waits for a person.
func TestFunctionsAreCalledThroughKills(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	service := newLambda(t)
	service.plans["tickets:live"], service.plans["payments"] = after, after
	stack := embedded.Start(t, folder(t, map[string]string{"desk": desk}), "AWS_ENDPOINT_URL_LAMBDA="+service.URL, "WINDLASS_LOCAL_CALLS=", // its key is this test's to check
		model(t, steps(
			[]providers.Part{title("c0", "open", "A"), title("c1", "look", "B"), title("c2", "break", "C"), title("c3", "wait", "D"), call("c4", "open", object{})},
			[]providers.Part{title("c0", "pay", "E")},
		)))
	var err error
	if service.credentials, err = stack.AWS(ctx).Credentials.Retrieve(ctx); err != nil {
		t.Fatal(err)
	}
	submit(ctx, t, stack, "s", "desk", "go")
	service.kill(ctx, t, stack)
	service.kill(ctx, t, stack)
	o, err := stack.Client().Waiting(ctx, "s", "op")
	if err != nil || len(o.Approvals) != 1 || o.Approvals[0].Tool != "pay" || len(service.came("payments")) != 1 {
		t.Fatalf("%+v, %v; paid with %v", o, err, service.came("payments"))
	}
	if _, err := stack.Client().Do(ctx, http.MethodPost, "/v1/sessions/s/operations/op/reconcile/"+o.Approvals[0].Step, object{"outcome": "did_not_happen"}, nil); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(*settled(ctx, t, stack, "s").Output, "\n---\n")
	for i, want := range []string{"tickets:live opened A", "opened B", "OutOfInk", "throttled", "invalid_arguments", "payments opened E"} {
		if len(parts) != 6 || !strings.Contains(parts[i], want) || strings.Contains(parts[i], "secret.go") {
			t.Fatalf("result %d of %q, want %q", i, parts, want)
		}
	}
	opened, paid := service.came("tickets:live"), service.came("payments")
	if diff := cmp.Diff([]string{"dev/s/op/1/0", "dev/s/op/1/0"}, opened); diff != "" {
		t.Errorf("tickets are opened with the keys %v", opened)
	}
	if len(paid) != 2 || paid[0] != paid[1] || paid[0] == opened[0] {
		t.Errorf("paid with the keys %v, once before a person was asked and once because of what was said", paid)
	}
	verified(ctx, t, stack, "s")
}

// Without an endpoint the laptop has no functions but its own: the model is told, and the
// turn goes on.
func TestALaptopHasNoFunctionsOfAnAccount(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	stack := embedded.Start(t, folder(t, map[string]string{"desk": desk}), model(t, steps([]providers.Part{title("c0", "pay", "E")})))
	submit(ctx, t, stack, "s", "desk", "go")
	if out := *settled(ctx, t, stack, "s").Output; !strings.Contains(out, "not_run") {
		t.Error(out)
	}
	verified(ctx, t, stack, "s")
}
