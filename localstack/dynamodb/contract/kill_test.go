package contract

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/localstack/disk"
	local "windlass/localstack/dynamodb"
)

// childFile, when set, makes the test binary serve that file until it is killed.
const childFile = "WINDLASS_TEST_CHILD_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		child(path)
	}
	os.Exit(m.Run())
}

const (
	crashTable   = "crash"
	crashWriters = 8
)

// child serves the file in process to eight writers. Each prints a line after
// every acknowledged write; a line that is out is a write that must survive.
func child(path string) {
	db, err := disk.Open(path, false)
	die(err)
	service, err := local.Open(db, local.Options{})
	die(err)
	die(service.EnsureTable(local.TableSpec{Name: crashTable, HashKey: local.KeyAttribute{Name: "pk", Kind: "S"},
		SortKey: local.KeyAttribute{Name: "sk", Kind: "N"}, Stream: "NEW_AND_OLD_IMAGES"}))
	client := inProcess(service)
	for writer := range crashWriters {
		go crashWriter(client, writer)
	}
	select {}
}

func die(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// crashWriter writes pairs of items in one transaction, every fourth time a
// single put instead.
func crashWriter(client *dynamodb.Client, writer int) {
	run := fmt.Sprint(os.Getpid())
	for n := 0; ; n++ {
		at := func(half string) item {
			return item{"pk": str(fmt.Sprint("w", writer, "-", run, half)), "sk": num(fmt.Sprint(n)), "body": str(strings.Repeat("0123456789", 1+n%400))}
		}
		put := func(it item) types.TransactWriteItem {
			return types.TransactWriteItem{Put: &types.Put{TableName: aws.String(crashTable), Item: it, ConditionExpression: notExists}}
		}
		var err error
		if n%4 == 3 {
			_, err = client.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String(crashTable), Item: at("x"), ConditionExpression: notExists})
		} else {
			_, err = client.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{put(at("a")), put(at("b"))}})
		}
		die(err)
		fmt.Printf("%d %s %d\n", writer, run, n)
	}
}

// TestKillLosesNothing kills five processes in the middle of their writes and
// reads what each left behind.
func TestKillLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	acknowledged := map[string]bool{}
	for round := range 5 {
		killAfter(t, path, 300+round*170, acknowledged)
		checkFile(t, path, acknowledged)
	}
	if len(acknowledged) < 1000 {
		t.Errorf("only %d writes were acknowledged", len(acknowledged))
	}
}

// killAfter lets a child acknowledge so many writes, kills it, and collects
// every line that it had written.
func killAfter(t *testing.T, path string, writes int, acknowledged map[string]bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFile+"="+path)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		acknowledged[lines.Text()] = true
		if seen++; seen == writes {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
	if seen < writes {
		t.Fatalf("the child ended after %d writes: %s", seen, complaint.String())
	}
}

// checkFile opens the file as the next process would and checks that every
// acknowledged write is whole, that transactions are whole or absent, and that
// each item has exactly one stream record.
func checkFile(t *testing.T, path string, acknowledged map[string]bool) {
	t.Helper()
	db, err := disk.Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	service, err := local.Open(db, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stored := scanAll(t, inProcess(service))
	for line := range acknowledged {
		var writer, n int
		var run string
		if _, err := fmt.Sscan(line, &writer, &run, &n); err != nil {
			continue // the kill cut the line
		}
		want := []string{"a", "b"}
		if n%4 == 3 {
			want = []string{"x"}
		}
		for _, half := range want {
			if id := fmt.Sprint("w", writer, "-", run, half, "/", n); !stored[id] {
				t.Errorf("acknowledged write %s is lost", id)
			}
		}
	}
	for id := range stored {
		if head, n, _ := strings.Cut(id, "/"); strings.HasSuffix(head, "a") && !stored[strings.TrimSuffix(head, "a")+"b/"+n] {
			t.Errorf("half of the transaction of %s is missing", id)
		}
	}
	if records := countRecords(t, service); records != len(stored) {
		t.Errorf("%d items have %d stream records", len(stored), records)
	}
}

func scanAll(t *testing.T, client *dynamodb.Client) map[string]bool {
	t.Helper()
	stored := map[string]bool{}
	for p := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: aws.String(crashTable)}); p.HasMorePages(); {
		out, err := p.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range out.Items {
			n := it["sk"].(*types.AttributeValueMemberN).Value
			id := it["pk"].(*types.AttributeValueMemberS).Value + "/" + n
			var number int
			if _, err := fmt.Sscan(n, &number); err != nil || it["body"].(*types.AttributeValueMemberS).Value != strings.Repeat("0123456789", 1+number%400) {
				t.Errorf("item %s is torn", id)
			}
			stored[id] = true
		}
	}
	return stored
}

func countRecords(t *testing.T, service *local.Service) int {
	t.Helper()
	n := 0
	for after := ""; ; {
		records, err := service.StreamRecords(crashTable, after, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(records) == 0 {
			return n
		}
		n += len(records)
		after = records[len(records)-1].SequenceNumber
	}
}
