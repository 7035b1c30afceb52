package main

import (
	"archive/zip"
	"io"
	"os"
)

// most is what a function may weigh, zipped, in bytes.
const most = 6_000_000

// more is for those that cannot do with that. Drive has the model providers' SDKs: in those
// of OpenAI and Anthropic each type of their APIs is registered at the start, so that the
// linker leaves none out, whatever is used; they are 2 MB. For x86-64 all weighs a tenth more.
var more = map[string]int64{"drive": 9_500_000}

func bound(name string) int64 {
	if b, ok := more[name]; ok {
		return b
	}
	return most
}

// zipped is how many bytes a file takes in a zip of its own. sam, which has zlib for it,
// makes it 3 % smaller.
func zipped(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var size counter
	z := zip.NewWriter(&size)
	w, err := z.Create("bootstrap")
	if err == nil {
		_, err = io.Copy(w, f)
	}
	if err == nil {
		err = z.Close()
	}
	return int64(size), err
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
