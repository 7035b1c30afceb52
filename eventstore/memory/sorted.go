package memory

import (
	"cmp"
	"slices"
)

// sorted is one partition: values by key, in the order of keys.
type sorted[K, V any] struct {
	compare func(a, b K) int
	keys    []K
	values  []V
}

// table returns a partition, made at its first use.
func table[P comparable, K cmp.Ordered, V any](of map[P]*sorted[K, V], p P) *sorted[K, V] {
	if of[p] == nil {
		of[p] = &sorted[K, V]{compare: cmp.Compare[K]}
	}
	return of[p]
}

// search is the index of the first key that is not before k.
func (s *sorted[K, V]) search(k K) int {
	i, _ := slices.BinarySearchFunc(s.keys, k, s.compare)
	return i
}

func (s *sorted[K, V]) get(k K) (v V, ok bool) {
	i, ok := slices.BinarySearchFunc(s.keys, k, s.compare)
	if ok {
		v = s.values[i]
	}
	return v, ok
}

func (s *sorted[K, V]) put(k K, v V) {
	i, found := slices.BinarySearchFunc(s.keys, k, s.compare)
	if found {
		s.values[i] = v
		return
	}
	s.keys, s.values = slices.Insert(s.keys, i, k), slices.Insert(s.values, i, v)
}

func (s *sorted[K, V]) remove(k K) {
	if i, found := slices.BinarySearchFunc(s.keys, k, s.compare); found {
		s.keys, s.values = slices.Delete(s.keys, i, i+1), slices.Delete(s.values, i, i+1)
	}
}
