package stepfunctions

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	"windlass/localstack/awsjson"
	"windlass/localstack/stepfunctions/asl"
)

// keepNames is how long the name of a closed execution stays taken, and how long
// what is known of it is kept.
const keepNames = 90 * 24 * time.Hour

type startExecutionInput struct {
	ARN   string  `json:"stateMachineArn"`
	Name  *string `json:"name"`
	Input *string `json:"input"`
}

// startExecution makes the execution durable, with its first transition, and answers; it
// moves on after that.
// The same name and input while the execution runs is the same execution.
func (s *Service) startExecution(in startExecutionInput) (any, error) {
	machineName, err := s.machineOf(in.ARN)
	if err != nil {
		return nil, err
	}
	ex := execution{Machine: machineName, Name: newName(), Status: running}
	if in.Name != nil {
		ex.Name = *in.Name
	}
	if err := checkName(ex.Name); err != nil {
		return nil, err
	}
	input := []byte("{}")
	if in.Input != nil {
		input = []byte(*in.Input)
	}
	if err := checkInput(input); err != nil {
		return nil, err
	}
	if err := s.purge(purgeOnWrite); err != nil {
		return nil, err
	}
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	started, err := s.again(&ex, input)
	if err != nil {
		return nil, err
	}
	if started != nil { // which costs no commit
		return s.startedAt(started), nil
	}
	b := beginning{s: s}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		b.drop() // a neighbour's panic has this run again
		m, err := getJSON[machine](tx, machinesBucket, []byte(ex.Machine))
		if err != nil {
			return err
		}
		var fresh bool
		if started, fresh, err = s.create(tx, ex, m, input); err != nil || !fresh || !s.started {
			return err
		}
		return b.walk(tx, started, m, input)
	})
	if err != nil {
		b.drop()
		return nil, err
	}
	b.follow()
	return s.startedAt(started), nil
}

// again finds the execution that the caller means, if it runs already, and refuses a
// machine whose definition cannot be read: behind it there is nothing left to refuse.
func (s *Service) again(ex *execution, input []byte) (same *execution, err error) {
	var m *machine
	err = s.db.View(func(tx *bbolt.Tx) (err error) {
		if m, err = getJSON[machine](tx, machinesBucket, []byte(ex.Machine)); m == nil || m.Deleting {
			return err // create says what is wrong with it
		}
		same, err = s.existing(tx, ex, input, s.opts.Now())
		return err
	})
	if err == nil && same == nil && m != nil {
		_, err = s.definitions.get(s.db, m.Definition)
	}
	return same, err
}

// beginning is the first transition of an execution: it is stored with its start.
type beginning struct {
	s    *Service
	live *live
	run  *run
}

// walk works it out and stores it. The execution is locked until drop or follow: whoever
// hears of it, such as by its name, finds where it stands.
func (b *beginning) walk(tx *bbolt.Tx, ex *execution, m *machine, input []byte) (err error) {
	b.live = b.s.live(ex.Seq)
	b.live.mu.Lock()
	first := firstCursor(ex, m, input)
	b.live.ex, b.live.cur = ex, &first
	if b.run, err = b.s.newRun(b.live); err != nil {
		return err
	}
	b.run.context.Input = func() any { // it is not stored yet
		v, err := asl.ParseValue(input)
		if err != nil {
			return nil // it was checked
		}
		return v.Tree()
	}
	b.run.walk()
	b.run.worked()
	return b.s.commit(tx, b.run)
}

func (b *beginning) drop() {
	if b.live == nil {
		return
	}
	seq := b.live.ex.Seq
	b.live.ex, b.live.cur = nil, nil
	b.live.mu.Unlock()
	b.s.forget(seq, b.live)
	b.live = nil
}

func (b *beginning) follow() {
	if b.live != nil {
		b.s.moved(b.live.ex.Seq, b.live, b.run)
		b.live.mu.Unlock()
	}
}

func (s *Service) startedAt(ex *execution) members {
	return members{"executionArn": s.executionARN(ex.Machine, ex.Name), "startDate": epoch(ex.Start)}
}

func checkInput(input []byte) error {
	if len(input) > asl.MaxData {
		return awsjson.Errorf("InvalidExecutionInput", "Invalid State Machine Execution Input: the input has %d bytes, more than %d", len(input), asl.MaxData)
	}
	if !json.Valid(input) {
		return awsjson.Errorf("InvalidExecutionInput", "Invalid State Machine Execution Input: the input is not JSON")
	}
	return nil
}

// create writes a new execution, or finds the one that the caller means. It
// refuses before it writes.
func (s *Service) create(tx *bbolt.Tx, ex execution, m *machine, input []byte) (started *execution, fresh bool, err error) {
	if m == nil {
		return nil, false, s.noMachine(s.machineARN(ex.Machine))
	}
	if m.Deleting {
		return nil, false, awsjson.Errorf("StateMachineDeleting", "State Machine is being deleted: '%s'", s.machineARN(ex.Machine))
	}
	now := s.opts.Now()
	if same, err := s.existing(tx, &ex, input, now); same != nil || err != nil {
		return same, false, err
	}
	ex.Definition, ex.RoleARN, ex.Start = m.Definition, m.RoleARN, toMillis(now)
	if err := s.opts.StatusChanged(tx, s.statusChange(&ex, input, nil)); err != nil {
		return nil, false, err
	}
	if ex.Seq, err = tx.Bucket(executionsBucket).NextSequence(); err != nil {
		return nil, false, err
	}
	return &ex, true, putNew(tx, &ex, m, input)
}

// existing finds an execution of that name: nil if the name is free, the
// execution if it is running with that input, otherwise an error.
func (s *Service) existing(tx *bbolt.Tx, ex *execution, input []byte, now time.Time) (*execution, error) {
	seq := tx.Bucket(namesBucket).Get(nameKey(ex.Machine, ex.Name))
	if seq == nil {
		return nil, nil
	}
	old, err := getJSON[execution](tx, executionsBucket, seq)
	if err != nil || old == nil {
		return nil, err
	}
	if old.Status == running && bytes.Equal(tx.Bucket(valuesBucket).Get(inputKey(old.Seq)), input) {
		return old, nil
	}
	if old.Status != running && now.Sub(old.Stop.time()) >= keepNames {
		return nil, nil // about to be purged; the new one takes the name
	}
	return nil, awsjson.Errorf("ExecutionAlreadyExists", "Execution Already Exists: '%s'", s.executionARN(ex.Machine, ex.Name))
}

// firstCursor stands behind the event of the start.
func firstCursor(ex *execution, m *machine, input []byte) cursor {
	c := cursor{State: m.StartAt, Phase: entering, NextEvent: 2, data: input}
	if m.Timeout > 0 {
		c.Deadline = ex.Start + millis(m.Timeout)*1000
	}
	return c
}

func putNew(tx *bbolt.Tx, ex *execution, m *machine, input []byte) error {
	first := firstCursor(ex, m, input)
	batch, err := encodeBatch([]event{{Type: "ExecutionStarted", At: ex.Start, text: input, Name: ex.RoleARN}})
	if err != nil {
		return err
	}
	seq := key(ex.Seq)
	if err := putJSON(tx, executionsBucket, seq, ex); err != nil {
		return err
	}
	if err := putCursor(tx, ex.Seq, &first); err != nil {
		return err
	}
	for _, put := range []struct{ bucket, key, value []byte }{
		{valuesBucket, inputKey(ex.Seq), input},
		{namesBucket, nameKey(ex.Machine, ex.Name), seq},
		{agesBucket, ageKey(ex.Machine, ex.Seq), nil},
		{historyBucket, key(ex.Seq, 1), batch},
	} {
		if err := tx.Bucket(put.bucket).Put(put.key, put.value); err != nil {
			return err
		}
	}
	return nil
}

// newName makes a name for an execution that was started without one: a UUID, as
// on AWS.
func newName() string {
	var u [16]byte
	rand.Read(u[:]) // never fails
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
