package stepfunctions

import (
	"errors"

	"go.etcd.io/bbolt"
)

// deleteStateMachine marks the machine, aborts its running executions and then
// removes it. AWS aborts them at their next transition; here that is now. Closed
// executions keep their records and names. Deleting what does not exist is no
// error.
func (s *Service) deleteStateMachine(in machineInput) (any, error) {
	name, err := s.machineOf(in.ARN)
	if err != nil {
		return nil, err
	}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		m, err := getJSON[machine](tx, machinesBucket, []byte(name))
		if err != nil || m == nil {
			return err
		}
		m.Deleting = true
		return putJSON(tx, machinesBucket, []byte(name), m)
	})
	if err != nil {
		return nil, err
	}
	return members{}, s.finishDeletion(name)
}

// finishDeletions carries on what the end of a process interrupted.
func (s *Service) finishDeletions() error {
	var names []string
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(machinesBucket).ForEach(func(k, _ []byte) error {
			m, err := getJSON[machine](tx, machinesBucket, k)
			if err == nil && m.Deleting {
				names = append(names, m.Name)
			}
			return err
		})
	})
	for _, name := range names {
		err = errors.Join(err, s.finishDeletion(name))
	}
	return err
}

func (s *Service) finishDeletion(name string) error {
	executions, err := s.runningOf(name)
	if err != nil {
		return err
	}
	for _, seq := range executions {
		if err := s.transition(seq, stop{}); err != nil && err != errNotRunning {
			return err
		}
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		m, err := getJSON[machine](tx, machinesBucket, []byte(name))
		if err != nil || m == nil || !m.Deleting {
			return err
		}
		return tx.Bucket(machinesBucket).Delete([]byte(name))
	})
}

// runningOf lists a machine's running executions.
func (s *Service) runningOf(name string) (executions []uint64, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(progressBucket).ForEach(func(k, _ []byte) error {
			ex, err := getJSON[execution](tx, executionsBucket, k)
			if err == nil && ex != nil && ex.Machine == name {
				executions = append(executions, ex.Seq)
			}
			return err
		})
	})
	return executions, err
}
