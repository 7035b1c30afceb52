package dynamodb_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/localstack/dynamodb"
)

// What no answer tells of, because it is an error, is told to Consumed all the same.
func TestWhatFailsIsBilledToo(t *testing.T) {
	var told []string
	var units []float64
	service, _ := open(t, filepath.Join(t.TempDir(), "db"), dynamodb.Options{Consumed: func(_ context.Context, op string, c dynamodb.Capacity) {
		told, units = append(told, op+" "+c.Table), append(units, c.Read, c.Write)
	}})
	h := service.Handler()
	long := strings.Repeat("x", 2100)
	const free = `"ConditionExpression":"attribute_not_exists(pk)"`
	for _, c := range []struct {
		what, op, body string
		code           int
		read, write    float64
	}{
		{"a put", "PutItem", `{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":"1"},"v":{"S":"` + long + `"}}}`, 200, 0, 3},
		{"a put whose condition fails: the larger is there", "PutItem", `{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":"1"}},` + free + `}`, 400, 0, 3},
		{"a deletion whose condition fails", "DeleteItem", `{"TableName":"log","Key":{"pk":{"S":"p"},"sk":{"S":"1"}},` + free + `}`, 400, 0, 3},
		{"a deletion of nothing", "DeleteItem", `{"TableName":"log","Key":{"pk":{"S":"p"},"sk":{"S":"0"}}}`, 200, 0, 1},
		{"a transaction that is cancelled: each action, twice", "TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":"1"}},` + free + `}},
			{"Put":{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":"2"}}}}]}`, 400, 0, 8},
		{"a transaction", "TransactWriteItems", `{"ClientRequestToken":"t","TransactItems":[{"Put":{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":"3"}}}}]}`, 200, 0, 2},
		{"the same again", "TransactWriteItems", `{"ClientRequestToken":"t","TransactItems":[{"Put":{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":"3"}}}}]}`, 200, 2, 0},
	} {
		told, units = nil, nil
		if w := call(h, c.op, c.body); w.Code != c.code {
			t.Fatalf("%s: %d %s", c.what, w.Code, w.Body)
		}
		if d := cmp.Diff([]string{c.op + " log"}, told); d != "" {
			t.Errorf("%s: %s", c.what, d)
		} else if d := cmp.Diff([]float64{c.read, c.write}, units); d != "" {
			t.Errorf("%s: read and write %s", c.what, d)
		}
	}
	told = nil
	if w := call(h, "PutItem", `{"TableName":"log","Item":{}}`); w.Code != 400 || told != nil {
		t.Errorf("what is refused is billed: %v", told)
	}
}
