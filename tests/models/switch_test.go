package models

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// tour visits every ordered pair of four, and each after itself.
var tour = []int{0, 0, 1, 0, 2, 0, 3, 1, 1, 2, 1, 3, 2, 2, 3, 3, 0}

// The model changes in mid-session, from every protocol to every other: each server
// checks that what it is sent keeps its protocol's rules, and nobody is shown another's
// opaque material.
func TestTheModelChangesInMidSession(t *testing.T) {
	var mu sync.Mutex
	turn := 0
	now := func() int {
		mu.Lock()
		defer mu.Unlock()
		return turn
	}
	var env, models []string
	for i, p := range protocols {
		server := providers.Serve(t, p.Protocol, func(_ int, body []byte) providers.Answer {
			for other := range protocols {
				if sealed := fmt.Sprintf("sealed%d", other); other != i && strings.Contains(string(body), sealed) {
					t.Errorf("%s is shown the opaque material of %s", p.Name(), protocols[other].Name())
				}
			}
			at := now()
			if i != tour[at] {
				return providers.Answer{Status: http.StatusUnauthorized}
			}
			if strings.Contains(string(body), fmt.Sprintf("/turn-%d.txt", at)) {
				return text(fmt.Sprint("done with ", at))
			}
			return providers.Answer{Parts: []providers.Part{
				thought(fmt.Sprintf("sealed%d", i)), {Text: "two calls"},
				call("call-0", "workspace_write", fmt.Sprintf(`{"path":"/turn-%d.txt","content":"a"}`, at)), call("call-0", "workspace_list", `{"{"a":`),
			}}
		})
		env = append(env, p.env(server.URL)...)
		models = append(models, p.model())
	}
	ctx := embedded.Context(t)
	s := embedded.Start(t, append(env, "WINDLASS_MODEL="+strings.Join(models, ","))...)
	for at := range tour {
		mu.Lock()
		turn = at
		mu.Unlock()
		id := fmt.Sprint("op-", at)
		if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: "go on", OperationID: id, Agent: "coder"}); err != nil {
			t.Fatal(err)
		}
		o, err := s.Client().Wait(ctx, "s", id)
		if want := fmt.Sprint("done with ", at); err != nil || o.Status != "completed" || o.Output == nil || *o.Output != want {
			t.Fatalf("turn %d, of %s: %+v, %+v, %v", at, protocols[tour[at]].Name(), o, o.Error, err)
		}
	}
	events, err := s.Client().Events(ctx, "s", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range checker.Check(events).Violations {
		t.Error(v)
	}
}
