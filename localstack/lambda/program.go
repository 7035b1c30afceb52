package lambda

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// A Program is a function's executable, and what it is started with.
type Program struct {
	// Function is its name in the log and in lists.
	Function string
	// Path is the executable's; its folder is the working directory.
	Path string
	// Env is all of its environment, but for what is another one's in each
	// process: AWS_LAMBDA_RUNTIME_API and AWS_LAMBDA_LOG_STREAM_NAME.
	Env []string
}

// Check says what to do about an executable that cannot be started.
func (p Program) Check() error {
	info, err := os.Stat(p.Path)
	switch {
	case os.IsNotExist(err):
		return fmt.Errorf("there is no %s: run make build", p.Path)
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%s cannot be executed: run make build", p.Path)
	}
	return nil
}

// whyNot adds what to do to an executable's refusal to start. make build builds
// for Lambda, whatever it runs on.
func (p Program) whyNot(err error) error {
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		return fmt.Errorf("%w: run make build", err)
	}
	return fmt.Errorf("%w: make build builds for Linux on x86_64; build %s for this machine, or run the functions in process", err, filepath.Base(filepath.Dir(p.Path)))
}
