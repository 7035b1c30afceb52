package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"

	"windlass/functions/harness"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cfg, err := config.LoadDefaultConfig(ctx)
	if err == nil {
		err = run(ctx, cfg, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		os.Exit(max(failed.ExitCode(), 1))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "keys:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, cfg aws.Config, args []string, in io.Reader, out, errs io.Writer) error {
	if len(args) < 2 {
		return errors.New("want create TENANT, retain TENANT RETENTION, revoke ID or lend COMMAND…, and the stack's outputs on standard input")
	}
	o, err := readOutputs(in)
	if err != nil {
		return err
	}
	switch verb := args[0]; {
	case verb == "create" && len(args) == 2:
		key, err := create(ctx, cfg, o, args[1])
		if err != nil {
			return err
		}
		fmt.Fprintln(out, key)
		fmt.Fprintf(errs, "Keep it: it is not shown again. It is revoked by its id, %s\n", harness.KeyID(key))
		return nil
	case verb == "retain" && len(args) == 3:
		return retain(ctx, cfg, o, args[1], args[2])
	case verb == "revoke" && len(args) == 2:
		return revoke(ctx, cfg, o, args[1])
	case verb == "lend":
		return lend(ctx, cfg, o, args[1:], out, errs)
	}
	return fmt.Errorf("%q: want create TENANT, retain TENANT RETENTION, revoke ID or lend COMMAND…", args[0])
}

var (
	tenants = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	ids     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// create makes a key of 130 random bits for a tenant.
func create(ctx context.Context, cfg aws.Config, o outputs, tenant string) (string, error) {
	if err := named(tenant); err != nil {
		return "", err
	}
	key := "wl_" + rand.Text()
	if err := harness.PutKey(ctx, cfg, o.liveTable, key, tenant); err != nil {
		return "", fmt.Errorf("the key could not be stored: %w", err)
	}
	return key, nil
}

func named(tenant string) error {
	if !tenants.MatchString(tenant) || tenant == "." || tenant == ".." {
		return fmt.Errorf("%q is no tenant: want 1 to 128 of A-Z a-z 0-9 . _ : -", tenant)
	}
	return nil
}

// retain says how long a tenant's sessions are kept.
func retain(ctx context.Context, cfg aws.Config, o outputs, tenant, retention string) error {
	if err := named(tenant); err != nil {
		return err
	}
	return harness.PutRetention(ctx, cfg, o.liveTable, tenant, retention)
}

// revoke refuses a key from now on. An id that no key has is left as it is.
func revoke(ctx context.Context, cfg aws.Config, o outputs, id string) error {
	if !ids.MatchString(id) {
		return errors.New("an id is the SHA-256 of a key, 64 hex digits; create prints it")
	}
	return harness.RevokeKey(ctx, cfg, o.liveTable, id)
}
