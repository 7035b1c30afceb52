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
