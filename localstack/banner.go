package main

import (
	"bytes"
	"io"
	"path/filepath"
	"text/template"
)

// The key follows a #, which no browser sends anywhere: the page takes it from
// there. The two commands work as they stand in bash and zsh. The first may be repeated:
// one operationId is one operation.
var bannerText = template.Must(template.New("banner").Parse(`
  Windlass is ready.

  console      {{.API}}/#key={{.Key | urlquery}}
  HTTP API     {{.API}}
  AWS subset   {{.AWS}}   (signed requests only; see {{.Endpoints}})
  data         {{.Data}}
  API key      {{.Key}}
{{range .Exposed}}
  Warning: {{.}} can be reached from other machines.
{{end}}
  Submit a prompt:

  curl -sS {{.API}}/v1/sessions/demo/operations -H 'Authorization: Bearer {{.Key}}' -H 'Content-Type: application/json' -d '{"operationId": "readme", "prompt": "write a short README to /codex/result.txt and read it back"}'

  See what became of it:

  curl -sS '{{.API}}/v1/sessions/demo/operations/readme?wait=20' -H 'Authorization: Bearer {{.Key}}'

  Ctrl-C stops; a second one stops at once.

`))

func (st *stack) banner(w io.Writer) {
	data := st.data
	if abs, err := filepath.Abs(data); err == nil {
		data = abs
	}
	var open []string
	for _, d := range []door{st.api, st.aws} {
		if exposed(d) {
			open = append(open, addr(d))
		}
	}
	var text bytes.Buffer // one write: whoever waits for it sees all of it
	err := bannerText.Execute(&text, map[string]any{
		"API": url(st.api), "AWS": url(st.aws), "Data": data, "Key": st.key,
		"Endpoints": filepath.Join(data, endpointsFile), "Exposed": open,
	})
	if err == nil {
		_, err = w.Write(text.Bytes())
	}
	if err != nil { // nobody reads it: go on serving
		st.log.Warn("the start message cannot be printed", "error", err)
	}
}
