package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/harness"
)

// lend runs a command with two keys, of tenants that it has for itself. The keys are
// revoked whatever becomes of the command, an interrupt included; after a kill they
// stay, and are those of tenants without anything else.
func lend(ctx context.Context, cfg aws.Config, o outputs, command []string, out, errs io.Writer) (err error) {
	var keys []string
	defer func() {
		for _, key := range keys { // ctx may be over
			err = errors.Join(err, harness.RevokeKey(context.WithoutCancel(ctx), cfg, o.liveTable, harness.KeyID(key)))
		}
	}()
	for _, tenant := range []string{"test-one", "test-other"} {
		key, err := create(ctx, cfg, o, tenant)
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	fmt.Fprintln(errs, "against", o.httpURL)
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env = append(os.Environ(), "WINDLASS_TEST_URL="+o.httpURL, "WINDLASS_TEST_KEY="+keys[0], "WINDLASS_TEST_OTHER_KEY="+keys[1])
	c.Stdout, c.Stderr = out, errs
	return c.Run()
}
