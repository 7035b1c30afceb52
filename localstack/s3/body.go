package s3

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// bodies is the folder of objects' bodies. A body is written once, under a name
// of its own that has nothing to do with its key, and is never changed: the
// index alone decides which of them are visible, and when.
type bodies struct {
	dir  string
	sync bool
}

// partial marks a body that is still being written.
const partial = ".part"

// path spreads bodies over 32 folders by their first character.
func (b bodies) path(id string) string { return filepath.Join(b.dir, id[:1], id) }

// draft is a body that is being written. It ends in keep or drop.
type draft struct {
	*os.File
	id string
	in bodies
}

func (b bodies) create() (*draft, error) {
	id := rand.Text()
	name := b.path(id) + partial
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := b.shelf(filepath.Dir(name)); err != nil {
			return nil, err
		}
		file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return nil, err
	}
	return &draft{File: file, id: id, in: b}, nil
}

// shelf makes one of the 32 folders. Two callers may do so at once.
func (b bodies) shelf(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if b.sync {
		return syncDir(b.dir)
	}
	return nil
}

// keep gives the body its name. It may be referred to as soon as keep returns.
func (d *draft) keep() error {
	if d.in.sync {
		if err := d.Sync(); err != nil {
			return err
		}
	}
	if err := d.Close(); err != nil {
		return err
	}
	path := d.in.path(d.id)
	if err := os.Rename(path+partial, path); err != nil {
		return err
	}
	if d.in.sync {
		return syncDir(filepath.Dir(path))
	}
	return nil
}

// drop removes the body, kept or not. What cannot be removed goes at the next
// sweep.
func (d *draft) drop() {
	_ = d.Close() // closed already, if it was kept
	path := d.in.path(d.id)
	_ = os.Remove(path + partial)
	_ = os.Remove(path)
}

func (b bodies) open(id string) (*os.File, error) { return os.Open(b.path(id)) }

// remove is for bodies that the index has just let go of. Readers that have the
// file open read on.
func (b bodies) remove(ids ...string) {
	for _, id := range ids {
		if id != "" {
			_ = os.Remove(b.path(id)) // else at the next sweep
		}
	}
}

// sweep removes every file that is not a live body.
func (b bodies) sweep(live map[string]bool) error {
	shelves, err := os.ReadDir(b.dir)
	if err != nil {
		return err
	}
	for _, shelf := range shelves {
		files, err := os.ReadDir(filepath.Join(b.dir, shelf.Name()))
		if err != nil {
			return err
		}
		for _, file := range files {
			if live[file.Name()] {
				continue
			}
			if err := os.Remove(filepath.Join(b.dir, shelf.Name(), file.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
