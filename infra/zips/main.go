// Zips says what each function weighs as it is uploaded, and fails if one is heavier than
// its bound: a zip is fetched before a cold start begins, and what is in it is initialised.
//
//	go run ./infra/zips .build/aws
//
// The folder holds NAME/bootstrap for each function, as make package builds them.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "zips: want the folder that make package builds into, .build/aws")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "zips:", err)
		os.Exit(1)
	}
}

// run weighs every function that is in the folder, and says which are too heavy.
func run(folder string, out io.Writer) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*", "bootstrap"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s holds no NAME/bootstrap; run make package", folder)
	}
	slices.Sort(paths)
	var heavy []string
	for _, path := range paths {
		name := filepath.Base(filepath.Dir(path))
		size, err := zipped(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-8s  %.2f MB, of at most %.1f\n", name, mb(size), mb(bound(name)))
		if size > bound(name) {
			heavy = append(heavy, name)
			if err := explain(out, path); err != nil {
				return err
			}
		}
	}
	if heavy != nil {
		return fmt.Errorf("too heavy: %v; leave out what they do not need, or raise the bound in infra/zips and say why", heavy)
	}
	return nil
}

// mb is in units of a million bytes.
func mb(bytes int64) float64 { return float64(bytes) / 1e6 }
