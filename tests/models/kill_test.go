package models

import (
	"strings"
	"testing"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// A process that is killed while an answer comes: who joins afterwards is shown what
// had been said, the model is asked again, and one answer stands in the log.
func TestAProcessIsKilledInMidStream(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.Name(), func(t *testing.T) {
			said, again := make(chan bool), make(chan bool)
			server := providers.Serve(t, p.Protocol, func(n int, _ []byte) providers.Answer {
				a := text("This is half of the answer, and this the other half.")
				switch n {
				case 0:
					a.Hold = func(piece int) bool {
						if piece < 5 {
							return true
						}
						close(said)
						<-again
						return false
					}
				case 1:
					a.Hold = func(piece int) bool { <-again; return true }
				}
				return a
			})
			ctx := embedded.Context(t)
			s := embedded.Start(t, append(p.env(server.URL), "WINDLASS_MODEL="+p.model())...)
			if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: "say it", OperationID: "op", Agent: "coder"}); err != nil {
				t.Fatal(err)
			}
			<-said
			partial := until(t, s, func(f client.Frame) bool {
				return f.Type == "preview" && f.Kind == "text" && strings.HasPrefix(f.Text, "This is")
			})
			s.Kill()
			s.Restart()
			if after := until(t, s, func(f client.Frame) bool { return f.Type == "preview" && f.Kind == "text" }); after.Text == "" || !strings.HasPrefix("This is half of the answer, and this the other half.", after.Text) || after.Offset != 0 {
				t.Errorf("after the kill %+v is shown; before it was %+v", after, partial)
			}
			close(again)
			o, err := s.Client().Wait(ctx, "s", "op")
			if err != nil || o.Status != "completed" || *o.Output != "This is half of the answer, and this the other half." {
				t.Fatalf("%+v, %+v, %v", o, o.Error, err)
			}
			events, err := s.Client().Events(ctx, "s", 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range checker.Check(events).Violations {
				t.Error(v)
			}
			answers := 0
			for _, e := range events {
				if e.Type == "model.completed" {
					answers++
				}
			}
			if answers != 1 || len(server.Requests()) != 2 {
				t.Errorf("%d answers in the log, %d requests", answers, len(server.Requests()))
			}
			s.Kill()
			quiet(t, s, "half of the answer")
		})
	}
}

// until joins the session anew and reads until a frame is the one that is wanted.
func until(t *testing.T, s *embedded.Stack, wanted func(client.Frame) bool) client.Frame {
	t.Helper()
	ctx := embedded.Context(t)
	c := s.Client()
	socket, err := c.Dial(ctx, "s")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := socket.Subscribe(ctx, "s", "", 0); err != nil {
		t.Fatal(err)
	}
	for {
		f, err := socket.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if wanted(f) {
			return f
		}
	}
}
