package tools

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
	"windlass/tests/providers"
)

func TestMain(m *testing.M) {
	code := m.Run()
	embedded.Remove()
	os.Exit(code)
}

// parrot says which agent it is, by what its instructions are.
func parrot(a asked) providers.Answer { return say("I am told to " + a.instructions) }

// A deployment's own agents stand beside those of the build, and take the place of those
// that have their name. What is written later counts from the next start on.
func TestADeploymentsOwnAgents(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	own := folder(t, map[string]string{"pirate": "instructions: say arr\n", "coder": "instructions: count\n"})
	stack := embedded.Start(t, own, model(t, parrot))
	turn := func(session, agent string) string {
		t.Helper()
		submit(ctx, t, stack, session, agent, "who are you?")
		return *settled(ctx, t, stack, session).Output
	}
	if got := turn("pirate", "pirate"); got != "I am told to say arr" {
		t.Errorf("the own agent says %q", got)
	}
	if got := turn("coder", "coder"); got != "I am told to count" {
		t.Errorf("the agent that was replaced says %q", got)
	}
	if got := turn("demo", ""); got == "" || strings.HasPrefix(got, "I am told") {
		t.Errorf("the build's own agent says %q", got)
	}
	rewrite(t, own, "pirate", "instructions: say ahoy\n")
	if got := turn("pirate-2", "pirate"); got != "I am told to say arr" {
		t.Errorf("before the next start the agent says %q", got)
	}
	stack.Kill()
	stack.Restart()
	if got := turn("pirate-3", "pirate"); got != "I am told to say ahoy" {
		t.Errorf("after the next start the agent says %q", got)
	}
	var refused *client.Problem
	if _, err := stack.Client().Submit(ctx, "x", client.Submission{Prompt: "x", Agent: "nobody"}); !errors.As(err, &refused) || refused.Code != "unknown_agent" {
		t.Errorf("an agent that is in neither: %v", err)
	}
}

// rewrite writes a definition anew.
func rewrite(t *testing.T, own, name, rest string) {
	t.Helper()
	file := filepath.Join(strings.TrimPrefix(own, "WINDLASS_AGENTS="), name+".yaml")
	if err := os.WriteFile(file, []byte("name: "+name+"\nmodel: {provider: openai-compatible, name: local}\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAMistakeInADeploymentsAgentsStopsTheStart(t *testing.T) {
	t.Parallel()
	own := folder(t, map[string]string{"pirate": "", "parrot": "tools: [{name: http, with: {allow: [{hosts: a}]}}]\n"})
	log := embedded.Refused(t, own)
	for _, says := range []string{own, "parrot.yaml", "hosts"} {
		if !strings.Contains(log, says) {
			t.Errorf("it does not say %q:\n%s", says, log)
		}
	}
}

// A secret reaches the host that the definition gives it to, and nobody sees it: where the
// functions are in one process, and where each is a process of its own, which works in
// another folder.
func TestADeploymentsSecretsReachItsTools(t *testing.T) {
	t.Parallel()
	const secret = "a-secret-of-the-deployment"
	for name, more := range map[string]func(*testing.T) []string{
		"in process": func(*testing.T) []string { return nil },
		"isolated":   func(t *testing.T) []string { return embedded.Isolated(t) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := patience(t)
			var mu sync.Mutex
			var got []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, r.Header.Get("Authorization"))
				_, _ = fmt.Fprint(w, "you sent ", r.Header.Get("Authorization"))
			}))
			t.Cleanup(server.Close)
			own := folder(t, map[string]string{"clerk": fmt.Sprintf(`
tools:
  - name: http
    with:
      allow:
        - {host: 127.0.0.1, private: true, http: true, ports: [%s], headers: {Authorization: {secret: SHOP, prefix: "Bearer "}}}
`, port(server.URL))})
			env := append(more(t), own, "WINDLASS_SECRET_SHOP="+secret, model(t, steps([]providers.Part{call("c0", "http_read", object{"method": "GET", "url": server.URL})})))
			stack := embedded.Start(t, env...)
			submit(ctx, t, stack, "s", "clerk", "look")
			out := *settled(ctx, t, stack, "s").Output
			mu.Lock()
			defer mu.Unlock()
			if len(got) != 1 || got[0] != "Bearer "+secret || !strings.Contains(out, "you sent Bearer [secret]") {
				t.Errorf("the server was sent %q; the model was shown %q", got, out)
			}
			for _, e := range verified(ctx, t, stack, "s") {
				if strings.Contains(string(e.Data), secret) {
					t.Errorf("the secret stands in a %s", e.Type)
				}
			}
			stack.Kill()
			if strings.Contains(stack.Log(), secret) {
				t.Error("the secret stands in the stack's log")
			}
		})
	}
}
