package loop

import "sync"

// maxRecent bounds the values that are kept, in bytes.
const maxRecent = 64 << 20

// recent keeps values by their hash, those used last. It is safe for concurrent use.
type recent struct {
	mu    sync.Mutex
	texts map[string]string
	order []string // the one used last is last
	bytes int
}

func (r *recent) get(sha256 string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, ok := r.texts[sha256]
	if ok {
		r.forget(sha256)
		r.order = append(r.order, sha256)
	}
	return text, ok
}

// put keeps a text, at the cost of those that were not used for longest.
func (r *recent) put(sha256, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.texts[sha256]; ok || len(text) > maxRecent {
		return
	}
	for r.bytes+len(text) > maxRecent {
		oldest := r.order[0]
		r.bytes -= len(r.texts[oldest])
		delete(r.texts, oldest)
		r.order = r.order[1:]
	}
	if r.texts == nil {
		r.texts = map[string]string{}
	}
	r.texts[sha256], r.order = text, append(r.order, sha256)
	r.bytes += len(text)
}

func (r *recent) forget(sha256 string) {
	for i, s := range r.order {
		if s == sha256 {
			r.order = append(r.order[:i], r.order[i+1:]...)
			return
		}
	}
}
