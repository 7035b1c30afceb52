package s3_test

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/http"
	"runtime"
	"testing"

	"windlass/localstack/s3"
)

func crc(body string) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(body))))
}

// pattern yields n bytes without holding them.
type pattern struct{ n int64 }

func (p *pattern) Read(b []byte) (int, error) {
	if p.n == 0 {
		return 0, io.EOF
	}
	b = b[:min(int64(len(b)), p.n)]
	for i := range b {
		b[i] = byte(i)
	}
	p.n -= int64(len(b))
	return len(b), nil
}

// TestLargeBodiesStreamBothWays counts what is allocated for 100 MB up and down.
func TestLargeBodiesStreamBothWays(t *testing.T) {
	const size = 100 << 20
	s := open(t, t.TempDir(), s3.Options{})
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := allocated()
	r := s.request("PUT", "/files/large", "", nil)
	r.Body, r.ContentLength = io.NopCloser(&pattern{size}), size
	if response, _, f := s.do(r); response.StatusCode != 200 {
		t.Fatalf("%d %+v", response.StatusCode, f)
	}
	response, err := http.DefaultTransport.RoundTrip(s.request("GET", "/files/large", "", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	if err != nil || n != size {
		t.Fatalf("read %d bytes: %v", n, err)
	}
	got := allocated() - before
	t.Logf("%d KB allocated for 100 MB each way", got>>10)
	if got > 2<<20 {
		t.Errorf("%d KB allocated", got>>10)
	}
}
