package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/localstack/template"
)

// checkout is a folder with the template and what belongs to it, and nothing built.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"template.yaml", "infra"} {
		from, err := filepath.Abs(filepath.Join("..", name))
		if err == nil {
			err = os.Symlink(from, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWithoutExecutablesItSaysToBuildThem(t *testing.T) {
	dir := checkout(t)
	env := environmentFor(t.TempDir(), map[string]string{"WINDLASS_ISOLATED": "1", "WINDLASS_TEMPLATE": filepath.Join(dir, "template.yaml")})
	if got := failing(t, env); !strings.Contains(got, filepath.Join(dir, ".build", "api", "bootstrap")+": run make build") {
		t.Errorf("says %q", got)
	}
}

func TestAProcessGetsTheTemplatesVariablesAndLambdasOwn(t *testing.T) {
	at := filepath.Join("..", "template.yaml")
	parsed, err := template.Load(at, template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	drive, _ := parsed.Function("drive")
	drive.Env["AWS_ENDPOINT_URL"] = template.Variable{Value: "https://elsewhere.example"}
	aws, err := listen("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	defer aws.listener.Close()
	st := &stack{aws: aws, credentials: credentials{"id", "secret"}, settings: settings{template: at}}
	st.lookup = func(name string) (string, bool) {
		v, ok := map[string]string{"ROUNDS_PER_TASK": "7", "HOME": "/home", "AWS_PROFILE": "mine"}[name]
		return v, ok
	}
	got := st.processEnvironment(drive, "/task")
	for name, want := range map[string]string{
		"ROUNDS_PER_TASK": "7", "AWS_ENDPOINT_URL": url(aws), "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
		"LAMBDA_TASK_ROOT": "/task", "AWS_LAMBDA_FUNCTION_NAME": "windlass-drive", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
	} {
		if got[name] != want {
			t.Errorf("%s=%q, want %q", name, got[name], want)
		}
	}
	names := slices.Sorted(maps.Keys(got))
	want := slices.AppendSeq([]string{
		"AWS_ACCESS_KEY_ID", "AWS_CONFIG_FILE", "AWS_DEFAULT_REGION", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_NAME",
		"AWS_LAMBDA_FUNCTION_VERSION", "AWS_LAMBDA_INITIALIZATION_TYPE", "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_REGION", "AWS_SECRET_ACCESS_KEY",
		"AWS_SHARED_CREDENTIALS_FILE", "LAMBDA_TASK_ROOT", "LANG", "PATH", "TZ", "_HANDLER",
	}, maps.Keys(drive.Env))
	slices.Sort(want)
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}
