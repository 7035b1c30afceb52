package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// tenant owns what the development key reaches.
const tenant = "dev"

// start lets everything move, and returns when both doors accept.
func (st *stack) start(ctx context.Context) error {
	if live, ok := st.liveTable(); ok {
		if err := st.useKey(ctx, live); err != nil {
			return fmt.Errorf("the development key cannot be stored: %w", err)
		}
	}
	if err := st.machines.Start(ctx); err != nil {
		return fmt.Errorf("step functions: %w", err)
	}
	watched, err := alarms(st.template)
	if err != nil {
		return err
	}
	go st.watch(ctx, watched)
	st.streams.Start()
	st.bus.Start()
	st.aws.open(st.log)
	st.api.open(st.log)
	return writeEndpoints(st)
}

// useKey stores the development key and refuses the one before it: changing the
// key is how a leaked one is revoked.
func (st *stack) useKey(ctx context.Context, live string) error {
	path := filepath.Join(st.data, devKeyIDFile)
	id := st.program.product.KeyID(st.key)
	before, err := keep(path, func() string { return id })
	if err == nil && before != id {
		err = st.program.product.RevokeKey(ctx, st.config, live, before)
	}
	if err == nil {
		err = st.program.product.PutKey(ctx, st.config, live, st.key, tenant)
	}
	if err == nil && before != id {
		err = writeFile(path, []byte(id))
	}
	return err
}

// liveTable is where the product keeps its keys.
func (st *stack) liveTable() (string, bool) {
	for _, f := range st.template.Functions {
		if v, ok := f.Env["WINDLASS_LIVE_TABLE"]; ok {
			return v.Value, true
		}
	}
	return "", false
}

// drain is how long a stop waits for what is under way. What takes longer is
// resumed by the next start, like after a kill.
const drain = 2 * time.Second

// close stops in the order that loses no outcome: first the doors and the sockets
// behind them, then whoever would record an interruption as a failure, then the
// functions, then the disks.
func (st *stack) close() {
	ctx, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	var errs []error
	if st.db != nil { // the directory is ours
		errs = append(errs, removeEndpoints(st.data))
	}
	errs = append(errs, st.api.shut(ctx), st.aws.shut(ctx))
	st.sockets.close(ctx)
	if st.bus != nil {
		st.bus.Close()
	}
	if st.streams != nil {
		errs = append(errs, st.streams.Close())
	}
	if st.machines != nil {
		st.machines.Close()
	}
	if st.functions != nil {
		errs = append(errs, st.functions.Close(ctx))
	}
	if st.processes != nil { // what is still running has no one left to record its end
		st.processes.Close()
	}
	if st.files != nil {
		errs = append(errs, st.files.Close())
	}
	if st.db != nil {
		errs = append(errs, st.db.Close())
	}
	errs = append(errs, st.calls.close())
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			st.log.Warn("while stopping", "error", err)
		}
	}
}
