package embedded

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Isolated is what to give to Start so that functions run as processes of their
// own. They are built as the Makefile builds them, but for this machine.
func Isolated(t testing.TB) []string {
	t.Helper()
	dir, err := checkout()
	if err != nil {
		t.Fatalf("build the functions: %v", err)
	}
	return []string{"WINDLASS_ISOLATED=1", "WINDLASS_TEMPLATE=" + filepath.Join(dir, "template.yaml")}
}

// Remove deletes the functions that were built, 100 MB of them. It is for the end
// of TestMain.
func Remove() {
	if built != "" {
		_ = os.RemoveAll(built)
	}
}

// built is where the functions are. It is written once, in checkout.
var built string

// checkout is a folder with the template, what belongs to it, and the functions
// beside it: what a checkout is after make build.
var checkout = sync.OnceValues(func() (string, error) {
	if err := looked(); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "windlass-isolated")
	if err != nil {
		return "", err
	}
	built = dir
	for _, name := range []string{"template.yaml", "infra"} {
		if err := os.Symlink(filepath.Join(root(), name), filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	return dir, buildFunctions(filepath.Join(dir, ".build"))
})

func buildFunctions(into string) error {
	makefile, err := os.ReadFile(filepath.Join(root(), "Makefile"))
	if err != nil {
		return err
	}
	functions, flags := variable(string(makefile), "FUNCTIONS"), variable(string(makefile), "FUNCTION_FLAGS")
	if functions == "" || flags == "" {
		return errors.New("the Makefile sets no FUNCTIONS, or no FUNCTION_FLAGS")
	}
	names := strings.Fields(functions)
	// One build of all is faster than one of each. The flags are quoted for a shell.
	command := exec.Command("sh", "-c", fmt.Sprintf(`go build %s -o "$0"/ "$@"`, flags), into)
	command.Dir, command.Stderr = root(), os.Stderr
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	for _, name := range names {
		command.Args = append(command.Args, "./functions/"+name)
	}
	if err := command.Run(); err != nil {
		return err
	}
	for _, name := range names {
		if err := place(filepath.Join(into, name)); err != nil {
			return err
		}
	}
	return nil
}

// place makes an executable the bootstrap of a folder with its name.
func place(path string) error {
	err := os.Rename(path, path+".bootstrap")
	if err == nil {
		err = os.Mkdir(path, 0o700)
	}
	if err == nil {
		err = os.Rename(path+".bootstrap", filepath.Join(path, "bootstrap"))
	}
	return err
}

// variable is what a Makefile sets one to.
func variable(makefile, name string) string {
	for line := range strings.Lines(makefile) {
		if value, ok := strings.CutPrefix(line, name+" := "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
