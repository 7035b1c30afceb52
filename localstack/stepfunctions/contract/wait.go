package contract

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
)

func waitByPath(t *testing.T, l *Lane) {
	until := time.Now().Add(4 * time.Second).UTC().Truncate(time.Second)
	input := `{"s":2,"t":"` + until.Format(time.RFC3339) + `"}`
	execution := l.start(t, l.machine(t, `{"StartAt":"A","States":{
	  "A":{"Type":"Wait","SecondsPath":"$.s","Next":"B"},
	  "B":{"Type":"Wait","TimestampPath":"$.t","End":true}}}`), input)
	out := l.ended(t, execution, types.ExecutionStatusSucceeded)
	if *out.Output != input {
		t.Errorf("output %s", *out.Output)
	}
	events := l.history(t, execution) // started, A entered, A exited, B entered, B exited, succeeded
	if waited := events[2].Timestamp.Sub(*events[1].Timestamp); waited < 2*time.Second || waited > 10*time.Second {
		t.Errorf("SecondsPath waited %v", waited)
	}
	if events[4].Timestamp.Before(until) {
		t.Errorf("TimestampPath ended at %v, before %v", events[4].Timestamp, until)
	}
}

func machineTimeout(t *testing.T, l *Lane) {
	execution := l.start(t, l.machine(t, `{"TimeoutSeconds":2,"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":3000,"End":true}}}`), `{}`)
	out := l.ended(t, execution, types.ExecutionStatusTimedOut)
	if out.Error != nil || out.Cause != nil || out.StopDate.Sub(*out.StartDate) > time.Minute {
		t.Errorf("ended with %+v", out)
	}
	l.reached(t, execution, types.HistoryEventTypeExecutionTimedOut, 1)
}
