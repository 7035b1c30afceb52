package s3

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"windlass/localstack/disk"
)

// Options of a service. The zero value is for production on a laptop.
type Options struct {
	Region  string           // default us-east-1
	Account string           // default 000000000000; owns every bucket
	Now     func() time.Time // default time.Now
	Sync    bool             // force bodies and index to the disk before answering
	Fault   func(op, bucket, key string) *Fault
}

// Service answers the S3 API. All methods are safe for concurrent use.
type Service struct {
	options Options
	index   index
	bodies  bodies
	buckets buckets
}

// Open opens or creates the store in dir and locks it for this process. Bodies
// that no object refers to, left by a crash, are removed.
func Open(dir string, opts Options) (*Service, error) {
	if opts.Region == "" {
		opts.Region = "us-east-1"
	}
	if opts.Account == "" {
		opts.Account = "000000000000"
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Service{options: opts, bodies: bodies{dir: filepath.Join(dir, "bodies"), sync: opts.Sync}}
	if err := os.MkdirAll(s.bodies.dir, 0o700); err != nil {
		return nil, fmt.Errorf("open s3: %w", err)
	}
	db, err := disk.Open(filepath.Join(dir, "index.db"), opts.Sync)
	if err != nil {
		return nil, fmt.Errorf("open s3: %w", err)
	}
	s.index.db = db
	if err := s.load(); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open s3: %w", err)
	}
	return s, nil
}

func (s *Service) load() error {
	all, err := s.index.loadBuckets()
	if err != nil {
		return err
	}
	s.buckets.byName = all
	live, err := s.index.bodies()
	if err != nil {
		return err
	}
	return s.bodies.sweep(live)
}

// Close waits for commits under way and releases the lock. Later calls fail.
func (s *Service) Close() error { return s.index.db.Close() }

// Handler serves the API to requests whose signature has been verified.
func (s *Service) Handler() http.Handler { return http.HandlerFunc(s.serve) }
