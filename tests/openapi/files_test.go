package openapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"windlass/tests/client"
)

var large = strings.Repeat("a large file\n", 100_000) // 1.3 MB

func (c *contract) uploads(t *testing.T) {
	hash := client.Hash([]byte(large))
	post := func(name, body string, status int, forbidden bool) try {
		return try{name: name, method: "POST", path: s + "/uploads", body: body, status: status, forbidden: forbidden}
	}
	announce := fmt.Sprintf(`{"name":"large.txt","bytes":%d,"sha256":%q}`, len(large), hash)
	u := read[client.Upload](t, c.do(t, post("", announce, 201, false)))
	c.do(t, try{name: "not stored yet", method: "PUT", path: s + "/files/large.txt?upload=" + u.UploadID, status: 422})
	c.do(t, try{name: "not stored yet", method: "POST", path: s + "/operations", body: `{"promptUpload":"` + u.UploadID + `"}`, status: 422})
	if a, err := client.Store(c.ctx, u, []byte(large)); err != nil || a.Status != http.StatusOK {
		t.Fatalf("%d %s, %v", a.Status, a.Body, err)
	}
	if again := read[client.Upload](t, c.do(t, post("again", announce, 201, false))); !again.Present || again.UploadID != u.UploadID {
		t.Errorf("%+v", again)
	}
	c.all(t,
		try{method: "POST", path: s + "/operations", body: `{"operationId":"uploaded","promptUpload":"` + u.UploadID + `"}`, status: 202},
		try{method: "PUT", path: s + "/files/large.txt?upload=" + u.UploadID, status: 201},
		post("another length", `{"bytes":1,"sha256":"`+hash+`"}`, 422, false),
		post("with a type", `{"bytes":1,"sha256":"`+noHash+`","contentType":"text/csv; charset=utf-8"}`, 201, false),
		post("too large", `{"bytes":104857601,"sha256":"`+noHash+`"}`, 413, true),
		post("negative", `{"bytes":-1,"sha256":"`+noHash+`"}`, 400, true),
		post("no length", `{"sha256":"`+noHash+`"}`, 400, true),
		post("no hash", `{"bytes":1}`, 400, true),
		post("upper case", `{"bytes":1,"sha256":"`+strings.Repeat("A", 64)+`"}`, 400, true),
		post("unknown member", `{"bytes":1,"sha256":"`+noHash+`","url":"x"}`, 400, true),
		post("a fraction", `{"bytes":1.5,"sha256":"`+noHash+`"}`, 400, true),
		post("no type", `{"bytes":1,"sha256":"`+noHash+`","contentType":"text"}`, 400, true),
		post("long type", `{"bytes":1,"sha256":"`+noHash+`","contentType":"text/`+strings.Repeat("x", 128)+`"}`, 400, true),
		try{method: "POST", path: "/v1/sessions/a%20b/uploads", body: announce, status: 400, forbidden: true},
	)
}

func with(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func (c *contract) writing(t *testing.T) {
	put := func(path, body string, status int, header ...string) try {
		return try{method: "PUT", path: s + "/files/" + path, body: body, header: with(append(header, "Content-Type", "text/plain; charset=utf-8")...), status: status}
	}
	a := c.do(t, put("notes/a.txt", "hello", 201))
	tag := a.Header.Get("ETag")
	c.all(t,
		put("notes/a.txt", "hello", 200),
		put("notes/a.txt", "hello, world", 200, "If-Match", tag),
		put("notes/a.txt", "hello", 412, "If-Match", tag),
		put("notes/a.txt", "hello", 412, "If-None-Match", "*"),
		put("notes/none.txt", "hello", 412, "If-Match", "*"),
		put("new.txt", "", 201, "If-None-Match", "*"),
		put("notes%2Fslash.txt", "as generated clients send it", 201),
		put("%E2%82%AC.bin", "\xff\xfe", 201),
		put("over.txt", strings.Repeat("x", 1<<20+1), 413),
		put("a.txt?upload="+noUpload, "", 422),
		put("a%5Cb", "x", 422), // characters that a path must not have are words in the document
		try{name: "found out", method: "PUT", path: s + "/files/page.html", body: "<p>hi", header: with("Content-Type", "text/html"), status: 201},
		try{name: "no type", method: "PUT", path: s + "/files/x", body: "x", header: with("Content-Type", "text"), status: 400},
		try{name: "no upload id", method: "PUT", path: s + "/files/x?upload=x", status: 400, forbidden: true},
		try{method: "PUT", path: "/v1/sessions/a%20b/files/x", body: "x", header: with("Content-Type", "text/plain"), status: 400, forbidden: true},
		try{name: "opens a session", method: "PUT", path: "/v1/sessions/files-first/files/x", body: "x", header: with("Content-Type", "text/plain"), status: 201},
	)
}

func (c *contract) reading(t *testing.T) {
	get := func(path string, status int, header ...string) try {
		return try{method: "GET", path: s + "/files/" + path, header: with(header...), status: status}
	}
	tag := c.do(t, get("notes/a.txt", 200)).Header.Get("ETag")
	tries := []try{
		get("notes/a.txt", 304, "If-None-Match", tag),
		get("notes/a.txt", 412, "If-Match", `"`+noHash+`"`),
		get("codex/result.txt", 200), get("page.html", 200), get("new.txt", 200), get("%E2%82%AC.bin", 200), get("notes%2Fslash.txt", 200),
		get("large.txt", 307), get("nothing", 404),
	}
	for _, x := range tries {
		c.do(t, x)
		x.method = "HEAD"
		c.do(t, x)
	}
	c.all(t,
		get("notes/a.txt", 206, "Range", "bytes=0-4"),
		get("notes/a.txt", 206, "Range", "bytes=-5", "If-Range", tag),
		get("notes/a.txt", 200, "Range", "bytes=-5", "If-Range", `"`+noHash+`"`),
		get("notes/a.txt", 200, "Range", "bytes=99-"),
		try{method: "GET", path: noSession + "/files/a", status: 404},
	)
}

func (c *contract) deleting(t *testing.T) {
	del := func(path string, status int, header ...string) try {
		return try{method: "DELETE", path: path, header: with(header...), status: status}
	}
	c.all(t,
		del(s+"/files/notes/a.txt", 412, "If-Match", `"`+noHash+`"`),
		del(s+"/files/notes/a.txt", 204),
		del(s+"/files/notes/a.txt", 404),
		del(noSession+"/files/a", 404),
	)
}

func (c *contract) blobs(t *testing.T) {
	a := c.do(t, try{method: "GET", path: s + "/blobs/" + client.Hash([]byte(large)), status: 307})
	if f, err := client.Fetch(c.ctx, http.MethodGet, a.Header.Get("Location")); err != nil || string(f.Body) != large {
		t.Errorf("%d, %d bytes, %v", f.Status, len(f.Body), err)
	}
	c.all(t,
		try{method: "GET", path: s + "/blobs/" + noHash, status: 404},
		try{method: "GET", path: noSession + "/blobs/" + noHash, status: 404},
		try{method: "GET", path: s + "/blobs/x", status: 400, forbidden: true},
	)
}

// gateway is what API Gateway answers before we are asked.
func (c *contract) gateway(t *testing.T) {
	huge := strings.Repeat("x", 10<<20+1)
	c.all(t,
		try{name: "over 10 MiB", method: "POST", path: s + "/operations", body: `{"prompt":"` + huge + `"}`, status: 413},
		try{name: "over 10 MiB", method: "PUT", path: s + "/files/x", body: huge, header: with("Content-Type", "text/plain"), status: 413},
	)
}
