package dynamo

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
)

var update = flag.Bool("update", false, "write the golden files of items that have none yet")

var golden = eventstore.Stream{Tenant: "acme", Session: "s-1"}

// full has every attribute that a commit may have, bare has only those it must.
func full() eventstore.Record {
	return eventstore.Record{
		Stream: golden, First: 7, Last: 8, ID: "01JGK3SR00000000000000000A", By: "1-abc/2026-01-02T03:04:05Z/0/request",
		At: time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC), Wake: true,
		Summary: []byte(`{"head":"op-1"}`), Body: []byte(`[{"type":"a"},{"type":"b <&> \u2028"}]`),
	}
}

func bare() eventstore.Record {
	r := full()
	r.By, r.Wake, r.Summary = "", false, nil
	return r
}

// settling is a commit that ends something, and wakes nobody.
func settling() eventstore.Record {
	r := bare()
	r.Settles = true
	return r
}

// last is a commit that closed its stream.
func last() eventstore.Record {
	r := bare()
	r.Closed = true
	return r
}

// A golden file is the stored form for ever: -update makes missing ones and
// never rewrites one that is there.
func TestStoredFormOfEveryItemIsUnchanged(t *testing.T) {
	claim := claimItem(golden, eventstore.Claim{Key: "op-1", Fingerprint: "v1:ab<c", First: 7})
	row := rowItem(eventstore.Row{RowKey: eventstore.RowKey{Partition: "acme#s-1#row", Sort: "operation#op-1"}, Kind: "operation", Data: []byte(`{"n":1}`)})
	for name, got := range map[string]item{"commit": recordItem(full()), "commit-bare": recordItem(bare()), "commit-closed": recordItem(last()), "commit-settling": recordItem(settling()), "claim": claim, "row": row} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".json")
			text := printed(t, got)
			want, err := os.ReadFile(file)
			if os.IsNotExist(err) && *update {
				want, err = text, os.WriteFile(file, text, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(text)); d != "" {
				t.Errorf("stored form (-want +got):\n%s", d)
			}
		})
	}
}

// printed writes an item as DynamoDB's own JSON does.
func printed(t *testing.T, i item) []byte {
	values := map[string]map[string]string{}
	for name, v := range i {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			values[name] = map[string]string{"S": v.Value}
		case *types.AttributeValueMemberN:
			values[name] = map[string]string{"N": v.Value}
		default:
			t.Fatalf("%s is a %T", name, v)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(values); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestItemsReadBack(t *testing.T) {
	for _, want := range []eventstore.Record{full(), bare(), last()} {
		i := recordItem(want)
		i["a newer build's"] = &types.AttributeValueMemberBOOL{Value: true}
		got, err := readRecord(i)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("read back (-want +got):\n%s", d)
		}
	}
}

func TestTornItemsAreCorrupt(t *testing.T) {
	other := map[string]types.AttributeValue{
		"another type": &types.AttributeValueMemberBOOL{Value: true}, "empty": text(""), "no number": &types.AttributeValueMemberN{Value: "x"},
		"too large": number(1 << 60), "zero": number(0), "off by one": number(3),
	}
	wrong := map[string][]string{
		attrPK: {"", "another type", "empty"}, attrSK: {"", "another type", "empty"}, attrKind: {"", "another type", "empty"},
		attrN: {"", "another type", "empty", "no number", "too large", "zero", "off by one"}, attrLast: {"", "another type", "empty", "no number", "too large", "zero", "off by one"},
		attrID: {"", "another type", "empty"}, attrAt: {"", "another type", "empty"}, attrBody: {"", "another type", "empty"},
		attrBy: {"another type"}, attrWake: {"another type"}, attrSettles: {"another type"}, attrClosed: {"another type"}, attrSummary: {"another type"},
	}
	for attribute, ways := range wrong {
		for _, way := range ways {
			i := recordItem(full())
			if i[attribute] = other[way]; way == "" {
				delete(i, attribute)
			}
			if _, err := readRecord(i); err == nil || eventstore.CodeOf(err) != eventstore.Corrupt {
				t.Errorf("%s %q: %v, want %s", attribute, way, err, eventstore.Corrupt)
			}
		}
	}
	i := recordItem(full())
	i[attrPK] = text(eventstore.ClaimKey(golden, "k").Partition)
	if _, err := readRecord(i); err == nil || eventstore.CodeOf(err) != eventstore.Corrupt {
		t.Errorf("a commit among claims: %v", err)
	}
	if _, err := readRow(recordItem(full())); err == nil || eventstore.CodeOf(err) != eventstore.Corrupt {
		t.Errorf("a commit read as a row: %v", err)
	}
}
