package tool

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Source makes the tools that one entry of an agent's definition stands for, from what
// the entry's "with" says. Its error says what is wrong with that. It reaches for
// nothing yet.
type Source func(with json.RawMessage) (Lister, error)

// Lister lists tools. It may ask servers, and keep what they said; a server out of reach
// is no error. It is safe for concurrent use.
type Lister interface {
	List(context.Context) ([]*Tool, error)
}

// maxMade bounds the listers that are kept: agents are few, and each version of one that
// a running turn was accepted with may have its own.
const maxMade = 256

// Sources are those of a deployment. They keep what was made: lists and connections
// outlive a turn.
type Sources struct {
	byName map[string]Source
	mu     sync.Mutex
	made   map[[sha256.Size]byte]Lister
}

// NewSources takes sources by the name of their entries.
func NewSources(byName map[string]Source) *Sources {
	return &Sources{byName: byName, made: map[[sha256.Size]byte]Lister{}}
}

// Has: the name is a source's. Nil has none.
func (s *Sources) Has(name string) bool { return s != nil && s.byName[name] != nil }

// Check returns what is wrong with an entry: a name that is neither a tool's nor a
// source's, or its configuration.
func (s *Sources) Check(name string, with json.RawMessage) error {
	if s.Has(name) {
		_, err := s.lister(name, with)
		return err
	}
	if All[name] == nil {
		known := All.Names()
		for n := range s.byName {
			known = append(known, n)
		}
		slices.Sort(known)
		return fmt.Errorf("there is no tool %q; there are %s", name, strings.Join(known, ", "))
	}
	return nil
}

// List lists an entry's tools.
func (s *Sources) List(ctx context.Context, name string, with json.RawMessage) ([]*Tool, error) {
	l, err := s.lister(name, with)
	if err != nil {
		return nil, err
	}
	return l.List(ctx)
}

func (s *Sources) lister(name string, with json.RawMessage) (Lister, error) {
	key := sha256.Sum256([]byte(name + "\x00" + string(with)))
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.made[key]; l != nil {
		return l, nil
	}
	l, err := s.byName[name](with)
	if err != nil {
		return nil, err
	}
	if len(s.made) >= maxMade {
		clear(s.made)
	}
	s.made[key] = l
	return l, nil
}
