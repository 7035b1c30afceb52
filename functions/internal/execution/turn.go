package execution

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Turn is an execution's whole input.
type Turn struct {
	Tenant     string `json:"tenant"`
	Session    string `json:"session"`
	Operation  string `json:"operation"`
	Generation int    `json:"generation"`
}

// Input is the turn's JSON: the same bytes each time, so that starting twice is
// starting once.
func (t Turn) Input() string {
	b, err := json.Marshal(t)
	if err != nil {
		panic(err) // three strings and a number
	}
	return string(b)
}

// Name is the execution's name. Ids may be longer than a name may be, so it is a
// hash; the generation stands in front for people.
func (t Turn) Name() string {
	sum := sha256.Sum256([]byte(t.Input()))
	return fmt.Sprintf("%d-%s", t.Generation, hex.EncodeToString(sum[:20]))
}

// arn is the execution's, made from its state machine's.
func (t Turn) arn(stateMachineARN string) string {
	return strings.Replace(stateMachineARN, ":stateMachine:", ":execution:", 1) + ":" + t.Name()
}
