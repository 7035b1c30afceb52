package stepfunctions

import (
	"bytes"

	"go.etcd.io/bbolt"
	"windlass/localstack/awsjson"
)

type executionInput struct {
	ARN string `json:"executionArn"`
}

// findExecution reads an execution by its ARN inside tx.
func (s *Service) findExecution(tx *bbolt.Tx, arn string) (*execution, error) {
	machineName, name, err := s.executionOf(arn)
	if err != nil {
		return nil, err
	}
	if seq := tx.Bucket(namesBucket).Get(nameKey(machineName, name)); seq != nil {
		ex, err := getJSON[execution](tx, executionsBucket, seq)
		if ex != nil || err != nil {
			return ex, err
		}
	}
	return nil, awsjson.Errorf("ExecutionDoesNotExist", "Execution Does Not Exist: '%s'", arn)
}

func (s *Service) describeExecution(in executionInput) (any, error) {
	var out members
	err := s.db.View(func(tx *bbolt.Tx) error {
		ex, err := s.findExecution(tx, in.ARN)
		if err != nil {
			return err
		}
		out = s.summary(ex)
		values := tx.Bucket(valuesBucket)
		out["input"], out["inputDetails"] = string(values.Get(inputKey(ex.Seq))), Included{true}
		if output := values.Get(outputKey(ex.Seq)); output != nil {
			out["output"], out["outputDetails"] = string(output), Included{true}
		}
		out.set("error", ex.Error)
		out.set("cause", ex.Cause)
		return nil
	})
	return out, err
}

func (s *Service) summary(ex *execution) members {
	out := members{
		"executionArn": s.executionARN(ex.Machine, ex.Name), "stateMachineArn": s.machineARN(ex.Machine),
		"name": ex.Name, "status": ex.Status, "startDate": epoch(ex.Start),
	}
	if ex.Stop != 0 {
		out["stopDate"] = epoch(ex.Stop)
	}
	return out
}

type stopExecutionInput struct {
	ARN   string  `json:"executionArn"`
	Error *string `json:"error"`
	Cause *string `json:"cause"`
}

// stopExecution aborts the execution. Stopping a closed one changes nothing and
// answers when it ended, so a retry is safe.
func (s *Service) stopExecution(in stopExecutionInput) (any, error) {
	if len(value(in.Error)) > maxError || len(value(in.Cause)) > maxCause {
		return nil, awsjson.Errorf("ValidationException", "error has at most %d bytes and cause at most %d", maxError, maxCause)
	}
	var ex *execution
	find := func(tx *bbolt.Tx) (err error) {
		ex, err = s.findExecution(tx, in.ARN)
		return err
	}
	if err := s.db.View(find); err != nil {
		return nil, err
	}
	if ex.Status == running {
		if err := s.transition(ex.Seq, stop{err: in.Error, cause: in.Cause}); err != nil && err != errNotRunning {
			return nil, err
		}
		if err := s.db.View(find); err != nil {
			return nil, err
		}
	}
	return members{"stopDate": epoch(ex.Stop)}, nil
}

type listExecutionsInput struct {
	ARN        string `json:"stateMachineArn"`
	Status     status `json:"statusFilter"`
	MaxResults int    `json:"maxResults"`
	NextToken  string `json:"nextToken"`
}

// maxScan bounds what one page looks at, so that a filter that matches little
// returns short pages rather than slow ones.
const maxScan = 10_000

// listExecutions lists the newest first.
func (s *Service) listExecutions(in listExecutionsInput) (any, error) {
	m, _, err := s.findMachine(in.ARN)
	if err != nil {
		return nil, err
	}
	switch in.Status {
	case "", running, succeeded, failed, timedOut, aborted:
	default:
		return nil, awsjson.Errorf("ValidationException", "statusFilter %.40q is not supported here", in.Status)
	}
	size, err := pageSize(in.MaxResults)
	if err != nil {
		return nil, err
	}
	question := "executions " + m.Name + " " + string(in.Status)
	at, err := openPageToken(question, in.NextToken)
	if err != nil {
		return nil, err
	}
	if at == nil {
		at = ageKey(m.Name, 1<<64-1)
	}
	list := []members{}
	out := members{}
	err = s.db.View(func(tx *bbolt.Tx) error {
		prefix := []byte(m.Name + "\x00")
		c := tx.Bucket(agesBucket).Cursor()
		scanned := 0
		for k := seekLast(c, at); bytes.HasPrefix(k, prefix); k, _ = c.Prev() {
			if len(list) == size || scanned == maxScan {
				out["nextToken"] = pageToken(question, k)
				return nil
			}
			scanned++
			ex, err := getJSON[execution](tx, executionsBucket, key(seqOf(k)))
			if err != nil {
				return err
			}
			if ex != nil && (in.Status == "" || ex.Status == in.Status) {
				list = append(list, s.summary(ex))
			}
		}
		return nil
	})
	out["executions"] = list
	return out, err
}

// seekLast moves to the last key that is not after at.
func seekLast(c *bbolt.Cursor, at []byte) []byte {
	k, _ := c.Seek(at)
	switch {
	case k == nil:
		k, _ = c.Last()
	case !bytes.Equal(k, at):
		k, _ = c.Prev()
	}
	return k
}
