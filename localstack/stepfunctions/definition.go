package stepfunctions

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"go.etcd.io/bbolt"
	"windlass/localstack/awsjson"
	"windlass/localstack/disk"
	"windlass/localstack/stepfunctions/asl"
)

// maxParsed bounds the parsed definitions kept in memory.
const maxParsed = 64

// definitionCache keeps parsed definitions by their key. Definitions never
// change: an update of a machine stores another one.
type definitionCache struct {
	mu     sync.Mutex
	parsed map[string]*asl.Machine
}

func (c *definitionCache) get(db *disk.DB, id string) (*asl.Machine, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.parsed[id]; m != nil {
		return m, nil
	}
	var m *asl.Machine
	err := db.View(func(tx *bbolt.Tx) (err error) {
		m, err = asl.Parse(tx.Bucket(definitionsBucket).Get([]byte(id)))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("definition %s: %w", id, err)
	}
	if len(c.parsed) >= maxParsed || c.parsed == nil {
		c.parsed = map[string]*asl.Machine{}
	}
	c.parsed[id] = m
	return m, nil
}

// checkDefinition validates a definition and returns its key.
func checkDefinition(definition string) (*asl.Machine, string, error) {
	m, err := asl.Parse([]byte(definition))
	if err != nil {
		return nil, "", awsjson.Errorf("InvalidDefinition", "%v", err)
	}
	sum := sha256.Sum256([]byte(definition))
	return m, hex.EncodeToString(sum[:]), nil
}
