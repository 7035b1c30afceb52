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

// startExecution makes the execution durable and answers; it moves after that.
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
	var started *execution
	again := func(tx *bbolt.Tx) (err error) {
		if m, err := getJSON[machine](tx, machinesBucket, []byte(ex.Machine)); m == nil || m.Deleting {
			return err
		}
		started, err = s.existing(tx, &ex, input, s.opts.Now())
		return err
	}
	if err := s.db.View(again); err == nil && started != nil { // which costs no commit
		return s.startedAt(started), nil
	}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		var err error
		started, err = s.create(tx, ex, input)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.started {
		go s.drive(started.Seq, proceed{}) // stale, and so harmless, if it has begun already
	}
	return s.startedAt(started), nil
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
func (s *Service) create(tx *bbolt.Tx, ex execution, input []byte) (*execution, error) {
	m, err := getJSON[machine](tx, machinesBucket, []byte(ex.Machine))
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, s.noMachine(s.machineARN(ex.Machine))
	}
	if m.Deleting {
		return nil, awsjson.Errorf("StateMachineDeleting", "State Machine is being deleted: '%s'", s.machineARN(ex.Machine))
	}
	now := s.opts.Now()
	if same, err := s.existing(tx, &ex, input, now); same != nil || err != nil {
		return same, err
	}
	ex.Definition, ex.RoleARN, ex.Start = m.Definition, m.RoleARN, toMillis(now)
	if err := s.opts.StatusChanged(tx, s.statusChange(&ex, input, nil)); err != nil {
		return nil, err
	}
	if ex.Seq, err = tx.Bucket(executionsBucket).NextSequence(); err != nil {
		return nil, err
	}
	return &ex, putNew(tx, &ex, m, input)
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

func putNew(tx *bbolt.Tx, ex *execution, m *machine, input []byte) error {
	first := cursor{State: m.StartAt, Phase: entering, NextEvent: 2, data: input}
	if m.Timeout > 0 {
		first.Deadline = ex.Start + millis(m.Timeout)*1000
	}
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
