package fold

import (
	"context"

	"windlass/eventstore"
)

// saving is a checkpoint that is being stored, beside whoever works on the session. It
// goes with the session: who takes it over meanwhile learns of it.
type saving struct {
	done   chan struct{}
	stored Stored
	err    error
}

// Save begins to store a checkpoint, if one is due and none is being stored.
func (s *Session) Save(ctx context.Context, j *eventstore.Journal) {
	if s.saving != nil || !s.CheckpointDue() {
		return
	}
	store, its := s.Checkpoint(j), &saving{done: make(chan struct{})}
	s.saving = its
	go func() {
		defer close(its.done)
		its.stored, its.err = store(ctx)
	}()
}

// Saving is closed when the checkpoint that is being stored has been; nil if none is. It
// may be waited for when the session is somebody else's already.
func (s *Session) Saving() <-chan struct{} {
	if s.saving == nil {
		return nil
	}
	return s.saving.done
}

// Saved takes note of a checkpoint that was stored meanwhile, for the next commit's
// summary. It never waits: a checkpoint is a cache. An error is of one that could not be
// stored; the next one will be.
func (s *Session) Saved() error {
	if s.saving == nil {
		return nil
	}
	select {
	case <-s.saving.done:
	default:
		return nil
	}
	its := s.saving
	s.saving = nil
	if its.err == nil {
		s.Checkpointed(its.stored)
	}
	return its.err
}
