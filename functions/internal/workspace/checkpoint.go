package workspace

import "maps"

// Files returns the tree's files, by path.
func (t *Tree) Files() map[string]File {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return maps.Clone(t.files)
}

// Fill makes an empty tree hold the files.
func (t *Tree) Fill(files map[string]File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files, t.paths = files, nil
}

// MovedApart takes note of files whose contents stand apart now, unless they have
// changed meanwhile.
func (t *Tree) MovedApart(files map[string]File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for path, f := range files {
		if now, ok := t.files[path]; ok && now.SHA256 == f.SHA256 && now.ContentType == f.ContentType {
			t.files[path] = f
		}
	}
}
