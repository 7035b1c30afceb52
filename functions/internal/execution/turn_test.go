package execution_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"windlass/functions/internal/execution"
)

// A name is how a second start finds the first: it must not change while
// executions of the build before still run.
func TestNamesNeverChange(t *testing.T) {
	for generation, want := range map[int]string{
		1:  "1-462d3fd4240f2331b77d4f1ae9a9e4435e16ddf4",
		12: "12-08e8a854b0322a66a21f2de16387cea785c1e5bb",
	} {
		turn := execution.Turn{Tenant: "acme", Session: "s", Operation: "a", Generation: generation}
		if got := turn.Name(); got != want {
			t.Errorf("generation %d: %s, want %s", generation, got, want)
		}
		if in := fmt.Sprintf(`{"tenant":"acme","session":"s","operation":"a","generation":%d}`, generation); turn.Input() != in {
			t.Errorf("input %s, want %s", turn.Input(), in)
		}
	}
}

// Step Functions: 1 to 80 characters, without spaces, brackets and the like.
var legal = regexp.MustCompile(`^[0-9A-Za-z_-]{1,80}$`)

func TestNamesFollowStepFunctionsRulesAndDiffer(t *testing.T) {
	long := strings.Repeat("z", 128)
	seen := map[string]execution.Turn{}
	for _, tenant := range []string{"a", "a.b", long} {
		for _, session := range []string{"a", "a:b", "...", long} {
			for _, operation := range []string{"a", "b", "A", long[1:], long} {
				for _, generation := range []int{1, 2, 11, 1 << 40} {
					turn := execution.Turn{Tenant: tenant, Session: session, Operation: operation, Generation: generation}
					name := turn.Name()
					if !legal.MatchString(name) {
						t.Errorf("%s is no name", name)
					}
					if other, ok := seen[name]; ok {
						t.Errorf("%+v and %+v are both %s", turn, other, name)
					}
					seen[name] = turn
				}
			}
		}
	}
}
