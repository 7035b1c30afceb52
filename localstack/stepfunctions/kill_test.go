package stepfunctions_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"windlass/localstack/disk"
	"windlass/localstack/stepfunctions"
)

const (
	childEnv   = "WINDLASS_TEST_KILLED_CHILD"
	killLoops  = 600
	executions = 4
)

var killDefinition = fmt.Sprintf(`{"StartAt":"Drive","States":{
  "Drive":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","OutputPath":"$.Payload","Next":"Next",
    "Retry":[{"ErrorEquals":["States.ALL"],"MaxAttempts":9,"JitterStrategy":"FULL","MaxDelaySeconds":2}],
    "Parameters":{"FunctionName":"drive","Payload":{"n.$":"$.n","execution.$":"$$.Execution.Name","entered.$":"$$.State.EnteredTime","retry.$":"$$.State.RetryCount"}}},
  "Next":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericLessThan":%d,"Next":"Drive"}],"Default":"Done"},
  "Done":{"Type":"Succeed"}}}`, killLoops)

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := runChild(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// runChild starts the executions, which a child before it may have done, and says
// each thing it got an answer for and each invocation, on a line.
func runChild(path string) error {
	db, err := disk.Open(path, true)
	if err != nil {
		return err
	}
	s, err := stepfunctions.Open(db, stepfunctions.Options{
		Invoke: func(_ context.Context, _ string, payload []byte) ([]byte, *stepfunctions.FunctionError, error) {
			os.Stdout.WriteString("by " + string(payload) + "\n")
			var in struct{ N int }
			err := json.Unmarshal(payload, &in)
			return fmt.Appendf(nil, `{"n":%d}`, in.N+1), nil, err
		},
	})
	if err != nil {
		return err
	}
	machine, err := s.EnsureStateMachine("turn", killDefinition)
	if err != nil {
		return err
	}
	if err := s.Start(context.Background()); err != nil {
		return err
	}
	client := clientOf(s.Handler())
	for i := range executions {
		name, input := fmt.Sprint("e", i), `{"n":0}`
		out, err := client.StartExecution(context.Background(), &sfn.StartExecutionInput{StateMachineArn: &machine, Name: &name, Input: &input})
		var exists *types.ExecutionAlreadyExists
		if err != nil && !errors.As(err, &exists) {
			return err
		}
		if err == nil {
			os.Stdout.WriteString("started " + *out.ExecutionArn + "\n")
		}
	}
	for i := 0; i < executions; {
		arn := strings.Replace(machine, ":stateMachine:", ":execution:", 1) + fmt.Sprint(":e", i)
		out, err := client.DescribeExecution(context.Background(), &sfn.DescribeExecutionInput{ExecutionArn: &arn})
		if err != nil {
			return err
		}
		if out.Status == types.ExecutionStatusRunning {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		i++
	}
	os.Stdout.WriteString("done\n")
	time.Sleep(time.Hour) // until killed
	return nil
}

// TestKilledProcessLosesNothing kills a real process, again and again, in the
// middle of what it does.
func TestKilledProcessLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "disk")
	by, started := map[string]bool{}, map[string]bool{}
	for _, lines := range []int{1, 40, 300, 700} {
		killAfter(t, path, lines, by, started)
	}
	killWhenDone(t, path, by, started)
	if len(started) != executions {
		t.Errorf("started %v", started)
	}
	db, err := disk.Open(path, true)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := stepfunctions.Open(db, stepfunctions.Options{Invoke: func(context.Context, string, []byte) ([]byte, *stepfunctions.FunctionError, error) {
		return nil, nil, errors.New("not expected")
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client := clientOf(s.Handler())
	failed := 0
	for arn := range started {
		out := describe(t, client, arn)
		if want := fmt.Sprintf(`{"n":%d}`, killLoops); out.Status != types.ExecutionStatusSucceeded || *out.Output != want {
			t.Errorf("%s: %s", arn, out.Status)
		}
		names, _ := history(t, client, arn)
		for _, n := range names {
			if n == "TaskFailed" {
				failed++
			}
		}
	}
	if want := executions*killLoops + failed; len(by) > want || len(by) < executions*killLoops {
		t.Errorf("%d invocations, %d iterations and %d lost", len(by), executions*killLoops, failed)
	}
	t.Logf("%d invocations, %d lost to kills", len(by), failed)
}

// child starts a child and passes its lines on until enough says so; then it is
// killed, and what it still said is read.
func child(t *testing.T, path string, by, started map[string]bool, enough func(n int, line string) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+path)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	lines := bufio.NewScanner(out)
	for n := 1; lines.Scan(); n++ {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		switch {
		case what == "started":
			started[rest] = true
		case what == "by" && by[identity(rest)]:
			t.Errorf("two invocations share %s", rest)
		case what == "by":
			by[identity(rest)] = true
		}
		if !killed && enough(n, lines.Text()) {
			killed = true
			c.Process.Kill() // this very process is ours
		}
	}
	c.Wait()
	if !killed {
		t.Fatal("the child ended by itself or took too long")
	}
}

// identity is what an invocation is told apart by.
func identity(payload string) string {
	var in struct {
		Execution, Entered string
		Retry              int
	}
	if json.Unmarshal([]byte(payload), &in) != nil {
		return payload // cut short by the kill
	}
	return fmt.Sprint(in.Execution, " ", in.Entered, " ", in.Retry)
}

func killAfter(t *testing.T, path string, lines int, by, started map[string]bool) {
	t.Helper()
	child(t, path, by, started, func(n int, _ string) bool { return n >= lines })
}

// killWhenDone lets a child finish the executions.
func killWhenDone(t *testing.T, path string, by, started map[string]bool) {
	t.Helper()
	child(t, path, by, started, func(_ int, line string) bool { return line == "done" })
}
