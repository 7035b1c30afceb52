package stepfunctions_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.etcd.io/bbolt"
	"windlass/localstack/disk"
	"windlass/localstack/stepfunctions"
)

// loopForever goes Drive, Choice, Drive until the function says it is done.
const loopForever = `{"StartAt":"Drive","States":{
  "Drive":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","OutputPath":"$.Payload","Next":"Next",
    "Parameters":{"FunctionName":"drive","Payload":{"in.$":"$.in","by":{"execution.$":"$$.Execution.Name","entered.$":"$$.State.EnteredTime","retry.$":"$$.State.RetryCount"}}},
    "Retry":[{"ErrorEquals":["States.ALL"],"JitterStrategy":"FULL"}]},
  "Next":{"Type":"Choice","Choices":[{"Variable":"$.next","StringEquals":"Backoff","Next":"Done"},{"Variable":"$.next","StringEquals":"Drive","Next":"Drive"}],"Default":"Done"},
  "Done":{"Type":"Succeed"}}}`

const loopInput = `{"tenant":"t","session":"s","operation":"o","generation":1}`

// benchLoop runs b.N iterations with a function that does nothing, in executions
// of about 1,000 iterations, some of them at once.
func benchLoop(b *testing.B, sync bool, atOnce int, input string) {
	var done atomic.Int64
	ended := make(chan struct{}, atOnce)
	db, err := disk.Open(filepath.Join(b.TempDir(), "disk"), sync)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	s, err := stepfunctions.Open(db, stepfunctions.Options{
		Invoke: func(context.Context, string, []byte) ([]byte, *stepfunctions.FunctionError, error) {
			if n := done.Add(1); n%1000 == 0 || n >= int64(b.N) {
				return []byte(`{"next":"Done","in":{}}`), nil, nil
			}
			return []byte(`{"next":"Drive","in":` + input + `}`), nil, nil
		},
		StatusChanged: func(_ *bbolt.Tx, d stepfunctions.StatusChange) error {
			if d.StopDate != nil {
				ended <- struct{}{}
			}
			return nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.Start(context.Background()); err != nil {
		b.Fatal(err)
	}
	machine, err := s.EnsureStateMachine("turn", loopForever)
	if err != nil {
		b.Fatal(err)
	}
	client := clientOf(s.Handler())
	b.ReportAllocs()
	b.ResetTimer()
	for range atOnce {
		startExecution(b, client, machine, "", `{"in":`+input+`}`)
	}
	for running := atOnce; running > 0; running-- {
		<-ended
		if done.Load() < int64(b.N) {
			startExecution(b, client, machine, "", `{"in":`+input+`}`)
			running++
		}
	}
}

func BenchmarkLoopIteration(b *testing.B)         { benchLoop(b, false, 1, loopInput) }
func BenchmarkLoopIteration50AtOnce(b *testing.B) { benchLoop(b, false, 50, loopInput) }
func BenchmarkLoopIterationFsynced(b *testing.B)  { benchLoop(b, true, 1, loopInput) }
func BenchmarkLoopIterationOf200KB(b *testing.B) {
	benchLoop(b, false, 1, `"`+strings.Repeat("x", 200<<10)+`"`)
}
