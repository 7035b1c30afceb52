package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"windlass/localstack/cloudwatch"
	"windlass/localstack/lambda"
	"windlass/localstack/stepfunctions"
	"windlass/localstack/template"
)

// ofTheTemplate are template.yaml's resources and its alarms.
func ofTheTemplate(t *testing.T) (*template.Stack, map[string]cloudwatch.Alarm) {
	t.Helper()
	file, err := template.Read("../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	its, err := file.Parse(template.Options{Region: region, Account: account, SocketEndpoint: "ws://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := alarms(its)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]cloudwatch.Alarm{}
	for _, a := range all {
		byName[a.Name] = a
	}
	return its, byName
}

// fire are what makes each alarm's condition true, in one of its periods: as the embedded
// stack measures it.
func fire(its *template.Stack) map[string]func(measured) {
	names := map[string]string{}
	for _, f := range its.Functions {
		names[f.LogicalID] = f.Name
	}
	for _, q := range its.Queues {
		names[q.LogicalID] = q.Name
	}
	late := func(function string, by time.Duration) func(measured) {
		return func(m measured) { m.delivered("arn:aws:lambda:us-east-1:000000000000:function:"+names[function], by) }
	}
	givenUp := func(queue string) func(measured) { return func(m measured) { m.givenUp(names[queue]) } }
	throttled := func(function string) func(measured) {
		return func(m measured) { m.invoked(names[function], 0, &lambda.ServiceError{Status: 429}) }
	}
	ours := func(name string, v float64) func(measured) {
		return func(m measured) { m.put("Windlass", name, map[string]string{"Service": "windlass"}, v) }
	}
	socket := its.SocketAPIs[0]
	return map[string]func(measured){
		"TurnsFailedAlarm": func(m measured) {
			m.ended(stepfunctions.StatusChange{Status: "ABORTED", StateMachineARN: its.Machines[0].ARN})
		},
		"DispatchFailuresAlarm": givenUp("DispatchFailures"), "PublishFailuresAlarm": givenUp("PublishFailures"), "RecoverFailuresAlarm": givenUp("RecoverFailures"),
		"DispatchLateAlarm": late("DispatchFunction", 61*time.Second), "PublishLateAlarm": late("PublishFunction", 31*time.Second),
		"ApiThrottledAlarm": throttled("ApiFunction"), "DriveThrottledAlarm": throttled("DriveFunction"),
		"ApiErrorsAlarm": func(m measured) {
			failing := m.answered(its.HTTPAPIs[0].Name, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
			for range 6 {
				failing.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
			}
		},
		"SocketErrorsAlarm": func(m measured) {
			for range 6 {
				m.handled(socket.Name, socket.Stage, fmt.Errorf("the function failed"))
			}
		},
		// The subset never throttles by itself.
		"LogThrottledAlarm": func(m measured) {
			m.put("AWS/DynamoDB", "WriteThrottleEvents", map[string]string{"TableName": its.Tables[0].Name}, 1)
		},
		"OutcomesUnknownAlarm": ours("UnknownOutcomes", 1), "AppendsFailingAlarm": ours("AppendFailures", 21), "OperationsFailingAlarm": ours("OperationsFailed", 11),
	}
}

// Every alarm of the template goes off when its condition is true, for as long as it says,
// and is quiet before and after.
func TestEveryAlarmGoesOff(t *testing.T) {
	its, all := ofTheTemplate(t)
	now := time.Date(2026, 1, 1, 12, 0, 30, 0, time.UTC)
	for name, fire := range fire(its) {
		a, ok := all[name]
		if !ok {
			t.Errorf("there is no %s", name)
			continue
		}
		delete(all, name)
		at := now
		m := measured{cloudwatch.New(), func() time.Time { return at }}
		for n := range a.Breaching {
			if got := m.metrics.State(a, at); got != cloudwatch.OK {
				t.Errorf("%s after %d periods of %d: %s", name, n, a.Breaching, got)
			}
			fire(m)
			if n < a.Breaching-1 {
				at = at.Add(a.Period)
			}
		}
		if got := m.metrics.State(a, at); got != cloudwatch.Alarming {
			t.Errorf("%s when its condition is true: %s", name, got)
		}
		if got := m.metrics.State(a, at.Add(time.Duration(a.Periods)*a.Period)); got != cloudwatch.OK {
			t.Errorf("%s when it is over: %s", name, got)
		}
	}
	// This one goes off by silence.
	silent, m := all["RecoverSilentAlarm"], measured{cloudwatch.New(), func() time.Time { return now }}
	for _, f := range its.Functions {
		if f.LogicalID == "RecoverFunction" {
			m.invoked(f.Name, 0, nil)
		}
	}
	for periods, want := range []cloudwatch.State{cloudwatch.OK, cloudwatch.OK, cloudwatch.Alarming} { // a period that has just begun is not silent
		if got := m.metrics.State(silent, now.Add(time.Duration(periods)*silent.Period)); got != want {
			t.Errorf("%d periods after recover has run: %s, want %s", periods, got, want)
		}
	}
	delete(all, "RecoverSilentAlarm")
	for name := range all {
		t.Errorf("%s was not made to go off", name)
	}
}
