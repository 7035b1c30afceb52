package sam

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"windlass/tests/embedded"
)

func root() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}

// program is sam's path: WINDLASS_TEST_SAM, or the first that is found.
func program(t *testing.T) string {
	t.Helper()
	missing := func(what string) {
		t.Helper()
		if slices.Contains(strings.Split(os.Getenv("WINDLASS_TEST_LANES"), ","), "sam") {
			t.Fatalf("lane sam must run, and %s", what)
		}
		t.Skipf("%s; make sam-test runs this lane", what)
	}
	name := os.Getenv("WINDLASS_TEST_SAM")
	if name == "" {
		name = "sam"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		missing("there is no sam")
	}
	if out, err := exec.Command("docker", "info").CombinedOutput(); err != nil {
		missing("there is no Docker engine: " + strings.TrimSpace(string(out)))
	}
	return path
}

// gateway is this machine's address as containers know it: that of Docker's bridge,
// which only they reach.
func gateway(t *testing.T) string {
	t.Helper()
	bridge, err := net.InterfaceByName("docker0")
	if err != nil {
		t.Fatalf("docker0: %v; this lane needs Docker's default bridge", err)
	}
	addresses, err := bridge.Addrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	t.Fatal("docker0 has no IPv4 address")
	return ""
}

// image sees to it that there is one to run functions in.
func image(t *testing.T) {
	t.Helper()
	out, err := exec.Command("./image/make").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Log(strings.TrimSpace(string(out)))
}

// functions invokes the functions of a folder that looks as a checkout does after
// make package.
type functions struct {
	t       *testing.T
	sam     string
	folder  string
	env     map[string]map[string]string // variables by function
	secrets []string                     // the credentials
}

// packaged builds the functions for this machine, as the Makefile does.
func packaged(t *testing.T, sam string, s *embedded.Stack, folder string) functions {
	t.Helper()
	arch := map[string]string{"amd64": "x86_64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	build := exec.Command("make", "package", "ARCHITECTURE="+arch)
	build.Dir = root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("make package: %v\n%s", err, out)
	}
	if err := os.Symlink(filepath.Join(root(), ".build"), filepath.Join(folder, ".build")); err != nil {
		t.Fatal(err)
	}
	ctx := embedded.Context(t)
	c, err := s.AWS(ctx).Credentials.Retrieve(ctx)
	if err != nil {
		t.Fatal(err)
	}
	f := functions{t: t, sam: sam, folder: folder, secrets: []string{"AWS_ACCESS_KEY_ID=" + c.AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + c.SecretAccessKey}}
	f.env = map[string]map[string]string{"Parameters": {
		"AWS_ENDPOINT_URL":           s.Endpoints.AWS,
		"WINDLASS_LOG_TABLE":         s.Endpoints.Tables["LogTable"],
		"WINDLASS_LIVE_TABLE":        s.Endpoints.Tables["LiveTable"],
		"WINDLASS_BUCKET":            "windlass-blob",
		"WINDLASS_STATE_MACHINE_ARN": s.Endpoints.StateMachines["TurnStateMachine"],
		"WINDLASS_SOCKET_URL":        strings.Replace(s.Endpoints.API, "http:", "ws:", 1) + "/live",
		"WINDLASS_API_URL":           s.Endpoints.API,
	}}
	return f
}

// invoke runs a function on an event file, its placeholders filled in, and reads its
// answer into the value.
func (f functions) invoke(function, event string, with map[string]string, into any) {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join("events", event+".json"))
	if err != nil {
		f.t.Fatal(err)
	}
	for name, value := range with {
		if quoted := `"${` + name + `}"`; json.Valid([]byte(value)) && bytes.Contains(text, []byte(quoted)) && strings.HasPrefix(value, "{") {
			text = bytes.ReplaceAll(text, []byte(quoted), []byte(value))
		}
		text = bytes.ReplaceAll(text, []byte("${"+name+"}"), []byte(value))
	}
	if bytes.Contains(text, []byte("${")) {
		f.t.Fatalf("%s.json has a placeholder that nothing fills: %s", event, text)
	}
	variables, err := json.Marshal(f.env)
	if err != nil {
		f.t.Fatal(err)
	}
	for name, content := range map[string][]byte{"event.json": text, "variables.json": variables} {
		if err := os.WriteFile(filepath.Join(f.folder, name), content, 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
	arch := "arm64"
	if runtime.GOARCH == "amd64" {
		arch = "x86_64"
	}
	c := exec.CommandContext(f.t.Context(), f.sam, "local", "invoke", function, "--template", "template.yaml", "--event", "event.json",
		"--env-vars", "variables.json", "--skip-pull-image", "--parameter-overrides", "Architecture="+arch)
	c.Dir = f.folder
	c.Env = append(append(os.Environ(), f.secrets...), "AWS_DEFAULT_REGION=us-east-1", "SAM_CLI_TELEMETRY=0", "AWS_ENDPOINT_URL=")
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		f.t.Fatalf("%s, %s: %v\n%s", function, event, err, errs.String())
	}
	answer := bytes.TrimSpace(out.Bytes())
	if bytes.Contains(answer, []byte(`"errorType"`)) {
		f.t.Fatalf("%s, %s: %s\n%s", function, event, answer, errs.String())
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(answer, into); err != nil {
		f.t.Fatalf("%s, %s: %v: %s\n%s", function, event, err, answer, errs.String())
	}
}
