package contract

import "testing"

// Run runs every case. within opens a lane, with nothing in it, for the time of
// one test; it may put the test on a fake clock.
func Run(t *testing.T, within func(t *testing.T, test func(t *testing.T, l *Lane))) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, l *Lane)
	}{
		{"LoopOf128", loopOf128},
		{"HistoryOfEveryStateType", historyOfEveryStateType},
		{"RetryBacksOffAndGivesUp", retryBacksOffAndGivesUp},
		{"RetryWithJitterStaysBelowTheDelay", retryWithJitter},
		{"RetryCountsPerRetrier", retryCountsPerRetrier},
		{"CatchByErrorName", catchByErrorName},
		{"TimeoutIsCaughtByItsName", timeoutIsCaught},
		{"LateAnswerOfAnEarlierAttemptIsIgnored", lateAnswer},
		{"BackoffHasNoLimitAndNoToken", backoffIsIdle},
		{"RuntimeErrorIsNotCaught", runtimeErrorIsNotCaught},
		{"OversizeResultIsAnError", oversizeResult},
		{"WaitByPath", waitByPath},
		{"MachineTimeout", machineTimeout},
		{"TokenAnswered", tokenAnswered},
		{"TokenFailed", tokenFailed},
		{"TokenTimesOut", tokenTimesOut},
		{"TokenHeartbeat", tokenHeartbeat},
		{"TokenAnsweredWhileTheFunctionRuns", tokenAnsweredEarly},
		{"TokenThatIsNone", tokenThatIsNone},
		{"Stop", stopExecution},
		{"StopLeavesTheFunctionRunning", stopLeavesTheFunction},
		{"StartIsIdempotent", startIsIdempotent},
		{"StartRefusesBadNamesAndInputs", startRefuses},
		{"ListExecutions", listExecutions},
		{"HistoryPages", historyPages},
		{"UpdateAppliesToNewExecutions", updateAppliesToNew},
		{"HistoryLimitIsAnError", historyLimit},
		{"UnknownIsRefused", unknownIsRefused},
		{"KillInATask", killInATask},
		{"KillInAWait", killInAWait},
		{"KillInAPark", killInAPark},
		{"KillInABackoff", killInABackoff},
	} {
		t.Run(c.name, func(t *testing.T) { within(t, c.test) })
	}
}
