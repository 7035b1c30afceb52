package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"path"
)

//go:embed assets
var files embed.FS

type asset struct {
	body        []byte
	contentType string
	etag        string
}

// contentTypes are those of the files that there are; another kind is refused at
// the start rather than guessed.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// elsewhere are the files that do not stand below /console/.
var elsewhere = map[string]string{"index.html": "/", "windlass.js": "/windlass.js"}

var assets = load()

// load reads the assets by the path at which each is served.
func load() map[string]asset {
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // they are part of the binary
	}
	all := map[string]asset{}
	for _, e := range entries {
		body, err := files.ReadFile("assets/" + e.Name())
		contentType := contentTypes[path.Ext(e.Name())]
		if err != nil || contentType == "" {
			panic("console: " + e.Name() + " has no content type; add it to contentTypes")
		}
		at := elsewhere[e.Name()]
		if at == "" {
			at = "/console/" + e.Name()
		}
		sum := sha256.Sum256(body)
		all[at] = asset{body, contentType, `"` + hex.EncodeToString(sum[:]) + `"`}
	}
	return all
}
