package disaster

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
)

// ask sends a request until it is answered, the same each time.
func (w *world) ask(request func(context.Context, *session.Service) error) {
	for {
		var err error
		alive := w.run(false, 30*time.Second, func(p *process) { err = request(p.ctx, p.service()) })
		if alive && err == nil || !w.sleep(time.Second) {
			return
		}
	}
}

func (w *world) submit(prompt string) {
	w.ask(func(ctx context.Context, s *session.Service) error {
		_, err := s.Submit(ctx, talk, session.Submission{OperationID: prompt, Prompt: cmp.Or(prompts[prompt], prompt), Agent: cmp.Or(agents[prompt], "clerk")})
		return err
	})
}

func (w *world) cancel(operation string) {
	w.ask(func(ctx context.Context, s *session.Service) error {
		_, err := s.Cancel(ctx, talk, operation)
		return err
	})
}

// steer says more to an operation. A message that comes too late is an
// operation of its own.
func (w *world) steer(operation string) {
	w.ask(func(ctx context.Context, s *session.Service) error {
		_, err := s.Steer(ctx, talk, operation, session.Message{Text: "that is enough", ID: "message"})
		return err
	})
}

// person looks now and then whether a session waits for somebody, finds out at the
// shop what is asked, and says so.
func (w *world) person() {
	for w.sleep(7 * time.Second) {
		for _, s := range w.sessions() {
			if h := w.summary(s).Head; h != nil && h.Phase == turn.Waiting && h.Asked > 0 {
				w.run(false, 30*time.Second, func(p *process) { p.decide(s) })
			}
		}
	}
}

// decide says what became of one call. What fails is tried with the next look.
func (p *process) decide(of eventstore.Stream) {
	s, err := fold.Open(p.ctx, p.journal(), of)
	if err != nil || s.State.Head() == nil {
		return
	}
	op := s.State.Head()
	for _, c := range op.Calls {
		if c.Phase != turn.Asked {
			continue
		}
		said := event.ApprovalResolved{Index: c.Index, Decision: event.DidNotHappen}
		if receipt, found := p.w.shop.find(fmt.Sprintf("%s/%s/%d/%d", of, op.ID, op.Round, c.Index)); found {
			output := event.Text(receipt)
			said.Decision, said.Output = event.Happened, &output
		}
		e := event.Event{At: event.At(time.Now()), Operation: op.ID, Round: op.Round, Data: said}
		_, _, _ = p.journal().Append(p.ctx, s.At, index.Draft(of, &s.State, "", []event.Event{e}))
		return
	}
}
