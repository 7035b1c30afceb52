package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// folder holds definitions, by agent; it returns what names it to a stack.
func folder(t *testing.T, agents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, rest := range agents {
		text := "name: " + name + "\nmodel: {provider: openai-compatible, name: local}\n" + rest
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "WINDLASS_AGENTS=" + dir
}

// asked is what a model is shown: instructions, the prompt, what its calls came to, in
// order, and the names of its tools.
type asked struct {
	instructions, prompt string
	results              []string
	tools                []string
}

// model serves a model that answers by what it is shown, and so says the same when a
// process that was killed asks again. It returns what names it to a stack.
func model(t *testing.T, answer func(asked) providers.Answer) string {
	t.Helper()
	server := providers.Serve(t, providers.Chat, func(_ int, body []byte) providers.Answer { return answer(shown(t, body)) })
	return "OPENAI_COMPATIBLE_BASE_URL=" + server.URL + "/v1"
}

func shown(t *testing.T, body []byte) (a asked) {
	var r struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Error(err)
	}
	for _, m := range r.Messages {
		switch m.Role {
		case "system":
			a.instructions = content(m.Content)
		case "user":
			a.prompt = content(m.Content)
		case "tool":
			a.results = append(a.results, content(m.Content))
		}
	}
	for _, one := range r.Tools {
		a.tools = append(a.tools, one.Function.Name)
	}
	return a
}

// content is a message's text, however it is written.
func content(raw json.RawMessage) string {
	var text string
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &parts) == nil {
		for _, p := range parts {
			text += p.Text
		}
	}
	return text
}

func say(text string) providers.Answer {
	return providers.Answer{Parts: []providers.Part{{Text: text}}}
}

func call(id, name string, arguments any) providers.Part {
	b, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // strings and numbers
	}
	return providers.Part{Call: &providers.Call{ID: id, Name: name, Arguments: string(b)}}
}

func ask(calls ...providers.Part) providers.Answer { return providers.Answer{Parts: calls} }

// patience is for a busy machine; what takes its time here is waits that are the system's
// own.
func patience(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func submit(ctx context.Context, t *testing.T, s *embedded.Stack, session, agent, prompt string) {
	t.Helper()
	if _, err := s.Client().Submit(ctx, session, client.Submission{Prompt: prompt, OperationID: "op", Agent: agent}); err != nil {
		t.Fatal(err)
	}
}

// settled waits until the operation is completed, and returns it.
func settled(ctx context.Context, t *testing.T, s *embedded.Stack, session string) client.Operation {
	t.Helper()
	o, err := s.Client().Wait(ctx, session, "op")
	if err != nil || o.Status != "completed" || o.Output == nil {
		t.Fatalf("%s: %+v, %+v, %v", session, o, o.Error, err)
	}
	return o
}

// verified is a session's log, which keeps all laws.
func verified(ctx context.Context, t *testing.T, s *embedded.Stack, session string) []client.Event {
	t.Helper()
	events, err := s.Client().Events(ctx, session, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range checker.Check(events).Violations {
		t.Errorf("%s: %s", session, v)
	}
	return events
}

// count is how many events of a type a log has.
func count(events []client.Event, kind string) (n int) {
	for _, e := range events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

func unmarshal(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v of %s", err, raw)
	}
}

// port is a server's.
func port(url string) string { return url[strings.LastIndexByte(url, ':')+1:] }

// deaths are places where the process is to be killed. Whoever is there waits
// until it is gone.
type deaths chan chan struct{}

// wait has the process killed, and returns when it is gone. ctx is the request's, which
// ends with the process that sent it: what another request killed is not killed again.
func (d deaths) wait(ctx context.Context) {
	dead := make(chan struct{})
	select {
	case d <- dead:
	case <-ctx.Done():
		return
	}
	select {
	case <-dead:
	case <-ctx.Done():
	}
}

// kill waits until somebody wants the process dead, and starts another one.
func (d deaths) kill(ctx context.Context, t *testing.T, s *embedded.Stack) {
	t.Helper()
	select {
	case dead := <-d:
		s.Kill()
		close(dead)
		s.Restart()
	case <-ctx.Done():
		t.Fatal("nobody came to where the process is to be killed")
	}
}
