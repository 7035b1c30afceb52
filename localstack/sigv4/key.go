package sigv4

import (
	"strings"
	"sync"
)

// maxKeys bounds the cache. A key lives a day; a laptop uses a handful.
const maxKeys = 64

// keyCache holds signing keys, whose derivation costs four HMACs.
type keyCache struct {
	mu   sync.RWMutex
	keys map[keyID][]byte
}

// keyID names everything a key derives from; the secret may be changed while
// its access key stays.
type keyID struct{ secret, date, region, service string }

func (c *keyCache) get(secret string, s scope) []byte {
	id := keyID{secret, s.date, s.region, s.service}
	c.mu.RLock()
	key := c.keys[id]
	c.mu.RUnlock()
	if key != nil {
		return key
	}
	key = mac([]byte("AWS4"+secret), []byte(s.date))
	key = mac(key, []byte(s.region))
	key = mac(key, []byte(s.service))
	key = mac(key, []byte("aws4_request"))
	// The parts are slices of a request's header, which must not live on here.
	id.date, id.region, id.service = strings.Clone(id.date), strings.Clone(id.region), strings.Clone(id.service)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys == nil || len(c.keys) >= maxKeys {
		c.keys = make(map[keyID][]byte)
	}
	c.keys[id] = key
	return key
}
