package outside

import "strings"

// maxWeight bounds the parts of a schema, each reference counted as what it leads to.
const maxWeight = 5_000

const tooHeavy = maxWeight + 1

// weigher counts what a validator would have to go through.
type weigher struct {
	root  map[string]any
	open  map[string]bool
	known map[string]int
}

// bounded says whether a schema may be followed: without an end in references, and
// without doubling at each of them.
func bounded(root map[string]any) bool {
	w := weigher{root, map[string]bool{}, map[string]int{}}
	return w.weigh(root) <= maxWeight
}

func (w *weigher) weigh(v any) int {
	sum := 1
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			if sum += w.child(key, child); sum > maxWeight {
				return tooHeavy
			}
		}
	case []any:
		for _, child := range v {
			if sum += w.weigh(child); sum > maxWeight {
				return tooHeavy
			}
		}
	}
	return sum
}

func (w *weigher) child(key string, v any) int {
	text, isText := v.(string)
	switch {
	case isText && key == "$ref":
		return w.reference(text)
	case isText && (key == "$id" || key == "$dynamicRef" || key == "$recursiveRef"):
		return tooHeavy // means more than can be seen here
	}
	return w.weigh(v)
}

func (w *weigher) reference(to string) int {
	if n, ok := w.known[to]; ok {
		return n
	}
	target, ok := w.find(to)
	if !ok || w.open[to] {
		return tooHeavy
	}
	w.open[to] = true
	n := w.weigh(target)
	delete(w.open, to)
	w.known[to] = n
	return n
}

// find follows a plain pointer such as #/$defs/item. Everything else, such as an
// escape, is not followed.
func (w *weigher) find(to string) (any, bool) {
	path, ok := strings.CutPrefix(to, "#/")
	if !ok || strings.ContainsAny(path, "%~") {
		return nil, false
	}
	var at any = w.root
	for step := range strings.SplitSeq(path, "/") {
		fields, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = fields[step]; !ok {
			return nil, false
		}
	}
	return at, true
}
