package stepfunctions

import (
	"errors"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// live is a running execution in memory: a lock that makes its transitions
// follow each other, one timer, and a copy of what is stored. An execution that
// waits holds no goroutine.
type live struct {
	mu  sync.Mutex
	ex  *execution // nil until loaded
	cur *cursor    // nil until loaded, after a failed commit, and while it idles with much data

	timerMu sync.Mutex // Close stops timers without waiting for mu
	timer   *time.Timer
}

// keepData is the most data that an idle execution keeps in memory.
const keepData = 4 << 10

func (s *Service) live(seq uint64) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lives[seq]
	if l == nil {
		l = &live{}
		s.lives[seq] = l
	}
	return l
}

func (s *Service) forget(seq uint64, l *live) {
	l.stopTimer()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lives[seq] == l {
		delete(s.lives, seq)
	}
}

// Running is how many executions have not ended.
func (s *Service) Running() (n int, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		n = tx.Bucket(progressBucket).Stats().KeyN
		return nil
	})
	return n, err
}

// load reads what is stored, unless the copy is still good. Callers hold l.mu.
func (s *Service) load(seq uint64, l *live) error {
	if l.cur != nil {
		return nil
	}
	return s.db.View(func(tx *bbolt.Tx) error {
		text := tx.Bucket(progressBucket).Get(key(seq))
		if text == nil {
			return errNotRunning
		}
		ex, err := getJSON[execution](tx, executionsBucket, key(seq))
		if err != nil {
			return err
		}
		cur, err := readCursor(text)
		if err != nil {
			return err
		}
		l.ex, l.cur = ex, cur
		return nil
	})
}

// rest frees what an execution that waits for long need not hold.
func (l *live) rest() {
	if l.cur.Phase != invoking && l.cur.Phase != entering && len(l.cur.data) > keepData {
		l.cur = nil
	}
}

func (l *live) stopTimer() {
	l.timerMu.Lock()
	defer l.timerMu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
}

// watch makes the execution look at the clock at due; 0 is never. Callers hold
// the gate or are Start.
func (s *Service) watch(seq uint64, due millis) {
	l := s.live(seq)
	l.stopTimer()
	if due == 0 || !s.started {
		return
	}
	wait := max(due.time().Sub(s.opts.Now()), 0)
	l.timerMu.Lock()
	defer l.timerMu.Unlock()
	l.timer = time.AfterFunc(wait, func() { s.drive(seq, tick{}) })
}

// retryCommit is the pause after a transition that could not be stored.
const retryCommit = time.Second

// drive gives an execution a signal that must not be lost: if the transition
// cannot be stored it is tried again, with the outcome kept in memory.
func (s *Service) drive(seq uint64, sig signal) {
	err := s.transition(seq, sig)
	switch {
	case err == nil, errors.Is(err, errStale), errors.Is(err, errNotDue), errors.Is(err, errNotRunning), errors.Is(err, errClosed):
		return
	}
	s.opts.Log.Error("a transition could not be stored and will be tried again", "execution", seq, "error", err)
	time.AfterFunc(retryCommit, func() { s.drive(seq, sig) })
}
