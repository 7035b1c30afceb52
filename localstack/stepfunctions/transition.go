package stepfunctions

import (
	"encoding/json"
	"slices"

	"go.etcd.io/bbolt"
	"windlass/localstack/stepfunctions/asl"
)

// transition moves one execution by one signal: work it out, store it in one
// transaction, and only then do what follows from it.
func (s *Service) transition(seq uint64, sig signal) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		return errClosed
	}
	l := s.live(seq)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := s.load(seq, l); err != nil {
		if err == errNotRunning {
			s.forget(seq, l)
		}
		return err
	}
	r, err := s.newRun(l)
	if err != nil {
		return err
	}
	if err := sig.apply(r); err != nil {
		if err == errNotDue {
			s.watch(seq, l.cur.earliest())
		}
		return err
	}
	r.worked()
	if err := s.db.Update(func(tx *bbolt.Tx) error { return s.commit(tx, r) }); err != nil {
		l.cur = nil // whatever is stored is what counts
		return err
	}
	s.moved(seq, l, r)
	return nil
}

// moved tells of a stored transition, and goes on from there.
func (s *Service) moved(seq uint64, l *live, r *run) {
	if s.opts.Moved != nil && r.moves > 0 {
		s.opts.Moved(r.ex.Machine, r.moves)
	}
	s.follow(seq, l, r)
}

// follow does what a stored transition leads to.
func (s *Service) follow(seq uint64, l *live, r *run) {
	if r.end != nil {
		l.ex, l.cur = nil, nil
		s.forget(seq, l)
		return
	}
	l.cur = &r.cur
	s.watch(seq, r.cur.earliest())
	if r.launch != nil {
		go s.invoke(seq, r.launch)
	}
	if r.unfinished() && s.started {
		go s.drive(seq, proceed{})
	}
	l.rest()
}

func (s *Service) newRun(l *live) (*run, error) {
	m, err := s.definitions.get(s.db, l.ex.Definition)
	if err != nil {
		return nil, err
	}
	r := &run{
		machine: m, ex: l.ex, cur: *l.cur, data: asl.StoredValue(l.cur.data), now: s.opts.Now(),
		random: s.random, token: newToken, first: l.cur.NextEvent,
	}
	r.cur.Counts = slices.Clone(r.cur.Counts)
	if s.started {
		r.steps = maxWalk
	}
	r.context = asl.Context{
		ExecutionID: s.executionARN(l.ex.Machine, l.ex.Name), ExecutionName: l.ex.Name, StartTime: l.ex.Start.text(),
		StateMachineID: s.machineARN(l.ex.Machine), StateMachineName: l.ex.Machine,
		StateName: r.cur.State, EnteredTime: r.cur.Entered.text(), RetryCount: r.cur.Retry, TaskToken: r.cur.Token,
		Input: func() any { return s.inputTree(l.ex.Seq) },
	}
	return r, nil
}

func (s *Service) inputTree(seq uint64) (tree any) {
	err := s.db.View(func(tx *bbolt.Tx) error {
		v, err := asl.ParseValue(tx.Bucket(valuesBucket).Get(inputKey(seq)))
		if err == nil {
			tree = v.Tree()
		}
		return err
	})
	if err != nil {
		s.opts.Log.Error("an execution's input cannot be read", "execution", seq, "error", err)
	}
	return tree
}

// commit writes a transition. Everything that may refuse comes first.
func (s *Service) commit(tx *bbolt.Tx, r *run) error {
	batch, err := encodeBatch(r.events)
	if err != nil {
		return err
	}
	if r.end != nil {
		if err := s.commitEnd(tx, r); err != nil {
			return err
		}
	} else if err := putCursor(tx, r.ex.Seq, &r.cur); err != nil {
		return err
	}
	if len(r.events) == 0 {
		return nil
	}
	return tx.Bucket(historyBucket).Put(key(r.ex.Seq, uint64(r.first)), batch)
}

func (s *Service) commitEnd(tx *bbolt.Tx, r *run) error {
	ex := *r.ex
	ex.Status, ex.Error, ex.Cause = r.end.status, r.end.err, r.end.cause
	ex.Stop = max(toMillis(r.now), ex.Start)
	record, err := json.Marshal(ex)
	if err != nil {
		return err
	}
	var output []byte
	if r.end.output != nil {
		output = r.end.output.Text()
	}
	detail := s.statusChange(&ex, tx.Bucket(valuesBucket).Get(inputKey(ex.Seq)), output)
	if err := s.opts.StatusChanged(tx, detail); err != nil {
		return err
	}
	if err := tx.Bucket(executionsBucket).Put(key(ex.Seq), record); err != nil {
		return err
	}
	if output != nil {
		if err := tx.Bucket(valuesBucket).Put(outputKey(ex.Seq), output); err != nil {
			return err
		}
	}
	if err := tx.Bucket(closedBucket).Put(key(uint64(ex.Stop), ex.Seq), nil); err != nil {
		return err
	}
	return tx.Bucket(progressBucket).Delete(key(ex.Seq))
}
