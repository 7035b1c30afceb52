package session

import "golang.org/x/sync/errgroup"

// atOnce bounds what one request asks of others at the same time.
const atOnce = 16

// together does n things, some at once, and returns the first error.
func together(n int, do func(i int) error) error {
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range n {
		all.Go(func() error { return do(i) })
	}
	return all.Wait()
}
