package tool

import (
	"context"

	"windlass/eventstore/event"
	"windlass/functions/internal/tool/patch"
	"windlass/functions/internal/workspace"
)

// maxLoaded bounds what one patch reads and writes, in bytes.
const maxLoaded = 64 << 20

// draft is the workspace as a patch would leave it.
type draft struct {
	env    Env
	files  map[string]*drafted
	order  []string // as the patch names them first
	loaded int64
}

// drafted is one path of it.
type drafted struct {
	was   workspace.File // before the patch; no path: nothing was there
	file  workspace.File // whose bytes it has, if text is nil; no path: nothing is there
	text  *string
	loose int
}

func (f *drafted) there() bool { return f.text != nil || f.file.Path != "" }

func (d *draft) change(ctx context.Context, c patch.Change) error {
	f, err := d.at(c.Path)
	if err != nil {
		return err
	}
	if c.Kind == patch.Add {
		return d.add(f, c)
	}
	if !f.there() {
		return failf("not_found", "there is no such file")
	}
	if err := d.patch(ctx, f, c); err != nil || c.Kind == patch.Update && c.To == "" {
		return err
	}
	if c.Kind == patch.Delete {
		return d.delete(f, c)
	}
	return d.move(f, c.To)
}

// at is a path of the draft.
func (d *draft) at(path string) (*drafted, error) {
	path, err := cleanPath(path)
	if err != nil {
		return nil, err
	}
	f := d.files[path]
	if f == nil {
		f = &drafted{}
		f.was, _ = d.env.Workspace.Read(path)
		f.file = f.was
		d.files[path], d.order = f, append(d.order, path)
	}
	if len(d.order) > MaxFiles {
		return nil, failf("too_large", "the patch names more than %d files", MaxFiles)
	}
	return f, nil
}

func (d *draft) add(f *drafted, c patch.Change) error {
	if f.there() {
		return failf("exists", "the file is to be added, and exists; update it, or delete it first")
	}
	f.text = &c.Content
	return d.weigh(len(c.Content))
}

// patch carries out the hunks.
func (d *draft) patch(ctx context.Context, f *drafted, c patch.Change) error {
	if len(c.Hunks) == 0 {
		return nil
	}
	if f.text == nil {
		if err := d.weigh(int(min(f.file.Bytes, MaxFile))); err != nil {
			return err
		}
		text, err := loadText(ctx, d.env, f.file)
		if err != nil {
			return err
		}
		f.text = &text
	}
	text, loose, err := c.Apply(*f.text)
	if err != nil {
		return err
	}
	if len(text) > MaxFile {
		return failf("too_large", "the file would have %d bytes, at most %d can be written", len(text), MaxFile)
	}
	f.text, f.loose = &text, f.loose+loose
	return d.weigh(len(text))
}

func (d *draft) weigh(bytes int) error {
	if d.loaded += int64(bytes); d.loaded > maxLoaded {
		return failf("too_large", "the patch changes more than %d bytes of files; do it in parts", maxLoaded)
	}
	return nil
}

func (d *draft) delete(f *drafted, c patch.Change) error {
	if len(c.Hunks) > 0 && *f.text != "" {
		return failf(patch.NoMatch, "the file holds more than what the patch takes out of it")
	}
	f.file, f.text = workspace.File{}, nil
	return nil
}

func (d *draft) move(f *drafted, to string) error {
	t, err := d.at(to)
	switch {
	case err != nil:
		return err
	case t == f:
		return nil
	case t.there():
		return failf("exists", "%.300q exists", to)
	}
	t.file, t.text, t.loose = f.file, f.text, f.loose
	f.file, f.text, f.loose = workspace.File{}, nil, 0
	return nil
}

// result keeps the contents and says what became of each file.
func (d *draft) result(ctx context.Context) (Result, error) {
	var did []event.Payload
	out := patchResult{Files: []patchedFile{}}
	for _, path := range d.order {
		f := d.files[path]
		if !f.there() {
			if f.was.Path != "" {
				did = append(did, event.WorkspaceDeleted{Path: path})
				out.Files = append(out.Files, patchedFile{Path: path, Change: "deleted"})
			}
			continue
		}
		now, err := d.file(ctx, path, f)
		if err != nil {
			return Result{}, err
		}
		change := "changed"
		if f.was.Path == "" {
			change = "added"
		}
		if f.was.SHA256 != now.SHA256 || f.was.ContentType != now.ContentType {
			did = append(did, now)
		}
		out.Files = append(out.Files, patchedFile{path, change, now.Bytes, now.SHA256, f.loose})
	}
	return Result{Output: object(out), Files: did}, nil
}

// file is what stands at a path now. What was only moved is not copied.
func (d *draft) file(ctx context.Context, path string, f *drafted) (workspace.File, error) {
	switch {
	case f.text != nil:
		return newFile(ctx, d.env, path, *f.text)
	case f.file.Path == path:
		return f.file, nil
	}
	return workspace.Moved(f.file, path), nil
}
