package contract

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"windlass/localstack/awsjson"
	local "windlass/localstack/s3"
)

// childDir, when set, makes the test binary serve that folder until it is killed.
const childDir = "WINDLASS_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir)
	}
	os.Exit(m.Run())
}

const (
	crashBucket  = "crash"
	crashWriters = 8
)

// child serves the folder in process to eight writers. Each prints a line after
// every acknowledged write; a line that is out is a write that must survive.
func child(dir string) {
	service, err := local.Open(dir, local.Options{})
	die(err)
	die(service.EnsureBucket(local.BucketSpec{Name: crashBucket}))
	client := connect("http://localhost", awsjson.Transport(handler(service)))
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

// crashBody is a body that shows where it begins and ends, of 20 bytes to 200 KB.
func crashBody(key string, n int) string {
	return key + strings.Repeat(fmt.Sprintf("%019d.", n), 1+n*n*37%10000) + key
}

// crashWriter puts a new object each time, replaces one that all its runs share,
// and removes every fourth.
func crashWriter(client *s3.Client, writer int) {
	ctx, bucket := context.Background(), aws.String(crashBucket)
	put := func(key string, n int, none *string) {
		_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: &key, Body: strings.NewReader(crashBody(key, n)), IfNoneMatch: none,
			Metadata: map[string]string{"n": fmt.Sprint(n)}})
		die(err)
	}
	for n := 0; ; n++ {
		key := fmt.Sprintf("w%d/%d/../%d", writer, os.Getpid(), n)
		put(key, n, aws.String("*"))
		fmt.Printf("put %s\n", key)
		put(fmt.Sprint("shared", writer), n, nil)
		if n%4 == 3 {
			_, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: &key})
			die(err)
			fmt.Printf("gone %s\n", key)
		}
	}
}

// TestKillLosesNothing kills five processes in the middle of their writes and
// reads what each left behind.
func TestKillLosesNothing(t *testing.T) {
	dir := t.TempDir()
	put, gone := map[string]bool{}, map[string]bool{}
	for round := range 5 {
		killAfter(t, dir, 150+round*70, put, gone)
		checkFolder(t, dir, put, gone)
	}
	if len(put) < 800 || len(gone) < 100 {
		t.Errorf("only %d puts and %d deletes were acknowledged", len(put), len(gone))
	}
}

// killAfter lets a child acknowledge so many writes, kills it, and collects
// every whole line that it had written.
func killAfter(t *testing.T, dir string, writes int, put, gone map[string]bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	seen, lines := 0, bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // and a line that the kill has cut
		}
		verb, key, _ := strings.Cut(strings.TrimSpace(line), " ")
		map[string]map[string]bool{"put": put, "gone": gone}[verb][key] = true
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

// checkFolder opens the folder as the next process would: every acknowledged
// object is there, every visible one is whole, no file is left over.
func checkFolder(t *testing.T, dir string, put, gone map[string]bool) {
	t.Helper()
	service, err := local.Open(dir, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	client := connect("http://localhost", awsjson.Transport(handler(service)))
	visible := map[string]bool{}
	for p := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: aws.String(crashBucket)}); p.HasMorePages(); {
		page, err := p.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Contents {
			visible[aws.ToString(o.Key)] = true
			checkWhole(t, client, aws.ToString(o.Key), aws.ToString(o.ETag))
		}
	}
	for key := range put {
		var writer, pid, n int
		_, _ = fmt.Sscanf(key, "w%d/%d/../%d", &writer, &pid, &n)
		if !visible[key] && n%4 != 3 { // of those, the delete may have been done and not said
			t.Errorf("acknowledged object %s is lost", key)
		}
		if visible[key] && gone[key] {
			t.Errorf("deleted object %s is back", key)
		}
	}
	files := 0
	_ = filepath.WalkDir(filepath.Join(dir, "bodies"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return err
	})
	if files != len(visible) {
		t.Errorf("%d files for %d objects", files, len(visible))
	}
}

func checkWhole(t *testing.T, client *s3.Client, key, etag string) {
	t.Helper()
	out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(crashBucket), Key: &key})
	if err != nil {
		t.Errorf("%s: %v", key, err)
		return
	}
	body, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	_, _ = fmt.Sscan(out.Metadata["n"], &n)
	sum := md5.Sum(body)
	if !bytes.Equal(body, []byte(crashBody(key, n))) || `"`+hex.EncodeToString(sum[:])+`"` != etag || aws.ToString(out.ETag) != etag {
		t.Errorf("object %s is torn", key)
	}
}
