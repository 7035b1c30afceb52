package chat

import (
	"regexp"
	"strings"

	"windlass/functions/internal/projection"
)

// server is what a host wants that others do not, or refuse.
type server struct {
	// newLimit: the bound of an answer is max_completion_tokens. OpenAI's newer models
	// refuse max_tokens, which is the only name that most other servers know.
	newLimit bool
	// plainStream: usage comes unasked, and stream_options are no field of the API.
	plainStream bool
	// cacheKey: prompt_cache_key is known.
	cacheKey bool
	// pdf: a file part may hold a PDF. Others refuse it, and with it each later request of
	// the session.
	pdf bool
	// thoughts: a message with calls and without reasoning_content is refused, though the
	// model thought nothing, or another one made the calls.
	thoughts bool
	// bridge: a user may not speak right behind a tool.
	bridge bool
}

// servers are known by their host, or the end of it.
var servers = map[string]server{
	"api.openai.com":   {newLimit: true, cacheKey: true, pdf: true},
	"openai.azure.com": {newLimit: true},
	"openrouter.ai":    {pdf: true},
	"api.mistral.ai":   {plainStream: true, bridge: true},
	"api.deepseek.com": {thoughts: true},
}

func serverAt(host string) server {
	host = strings.ToLower(host)
	for known, s := range servers {
		if host == known || strings.HasSuffix(host, "."+known) {
			return s
		}
	}
	return server{}
}

// bridged models keep their maker's rule about roles wherever they are served.
var bridged = regexp.MustCompile(`(?i)(mis|mix|minis|devs|codes|magis)tral|pixtral`)

// callID is what servers take as a call's id: OpenAI allows 64 bytes.
var callID = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// Rules implements [model.Provider].
func (p *Provider) Rules() projection.Rules {
	return projection.Rules{CallID: callID, File: func(kind string) bool {
		return images[kind] || kind == "application/pdf" && p.server.pdf
	}}
}

// images are the types that all servers take whose model can see.
var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}
