package openapi

import (
	"fmt"
	"strings"
	"testing"

	"windlass/tests/client"
)

// input submits files: of the workspace, and uploads.
func (c *contract) input(t *testing.T) {
	post := func(name, session, input string, status int, forbidden bool) try {
		return try{name: name, method: "POST", path: "/v1/sessions/" + session + "/operations", body: `{"operationId":"` + name + `","prompt":"what is it?","input":` + input + `}`, status: status, forbidden: forbidden}
	}
	a := c.do(t, try{method: "POST", path: s + "/uploads", body: fmt.Sprintf(`{"bytes":%d,"sha256":%q}`, len(large), client.Hash([]byte(large))), status: 201})
	id := read[client.Upload](t, a).UploadID
	const file = `{"type":"file","path":"/notes/a.txt"}`
	c.all(t,
		post("files", "demo", `[`+file+`,`+file+`,{"type":"file","path":"/large.txt"},{"type":"file","upload":"`+id+`","name":"b.txt"},{"type":"file","upload":"`+id+`"}]`, 202, false),
		post("files", "demo", `[`+file+`,`+file+`,{"type":"file","path":"/large.txt"},{"type":"file","upload":"`+id+`","name":"b.txt"},{"type":"file","upload":"`+id+`"}]`, 200, false),
		post("files", "demo", `[`+file+`]`, 422, false),
		post("no-files", "demo", `[]`, 202, false),
		post("another-tenants", "nobody", `[`+file+`]`, 404, false),
		post("missing", "demo", `[{"type":"file","path":"/nothing"}]`, 404, false),
		post("not-stored", "demo", `[{"type":"file","upload":"`+noUpload+`"}]`, 422, false),
		post("many", "demo", `[`+strings.Repeat(file+",", 16)+file+`]`, 413, true),
		post("bad-path", "demo", `[{"type":"file","path":"/a/../b"}]`, 422, false), // segments that a path must not have are words in the document
		post("control", "demo", `[{"type":"file","path":"/a\\b"}]`, 422, true),
		post("no-list", "demo", file, 400, true),
		post("no-object", "demo", `["/notes/a.txt"]`, 400, true),
		post("no-type", "demo", `[{"path":"/notes/a.txt"}]`, 400, true),
		post("another-type", "demo", `[{"type":"text","text":"x"}]`, 400, true),
		post("neither", "demo", `[{"type":"file"}]`, 400, true),
		post("both", "demo", `[{"type":"file","path":"/notes/a.txt","upload":"`+id+`"}]`, 400, true),
		post("a-name", "demo", `[{"type":"file","path":"/notes/a.txt","name":"x"}]`, 400, true),
		post("long-name", "demo", `[{"type":"file","upload":"`+id+`","name":"`+strings.Repeat("n", 256)+`"}]`, 400, true),
		post("unknown-member", "demo", `[{"type":"file","path":"/notes/a.txt","mime":"x"}]`, 400, true),
	)
	o := read[struct {
		Status string
		Input  []struct {
			Name, Path, Type string
			Bytes            int
			Ref              *client.Ref
		}
	}](t, c.do(t, try{method: "GET", path: s + "/operations/files?wait=20", status: 200}))
	if o.Status != "completed" || len(o.Input) != 5 || o.Input[0].Name != "a.txt" || o.Input[2].Ref == nil || o.Input[3].Name != "b.txt" {
		t.Errorf("%+v", o)
	}
}
