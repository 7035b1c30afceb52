package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	awslambda "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"
)

func TestAFunctionIsGivenWhatADeploymentAdds(t *testing.T) {
	here, err := filepath.Abs("agents")
	if err != nil {
		t.Fatal(err)
	}
	got, err := deployment([]string{
		"WINDLASS_AGENTS=./agents", "WINDLASS_SECRET_A=a=b", "WINDLASS_SECRET_=no", "WINDLASS_SECRET_EMPTY=", "AWS_ENDPOINT_URL_LAMBDA=http://127.0.0.1:3001",
		"AWS_ENDPOINT_URL=http://elsewhere", "OPENAI_API_KEY=k", "OPENAI_ADMIN_KEY=k", "ANTHROPIC_API_KEY=", "HOME=/", "MY_WINDLASS_SECRET_A=x",
	})
	want := map[string]string{"WINDLASS_AGENTS": here, "WINDLASS_SECRET_A": "a=b", "OPENAI_API_KEY": "k", "AWS_ENDPOINT_URL_LAMBDA": "http://127.0.0.1:3001"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if s := strangers([]string{"WINDLASS_AGENTS=a", "WINDLASS_SECRET_A=a", "WINDLASS_SECRETS=a"}, isGiven); strings.Join(s, " ") != "WINDLASS_SECRETS" {
		t.Errorf("%v have no effect", s)
	}
}

// What a function reads is what was there at the start, whatever is written later; and
// the first reading, whose error a person sees, is of the folder itself.
func TestAgentsAreThoseOfTheStart(t *testing.T) {
	folder, data := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, "a.yaml")
	for name, text := range map[string]string{file: "first", filepath.Join(folder, "notes.txt"): "x"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	read := map[string]string{}
	p := newFake().product()
	build := p.Function
	p.Function = func(name string, env func(string) string, cfg aws.Config) (awslambda.Handler, error) {
		at := env("WINDLASS_AGENTS")
		b, err := os.ReadFile(filepath.Join(at, "a.yaml"))
		if err != nil {
			return nil, err
		}
		mu.Lock()
		read[at] = string(b)
		mu.Unlock()
		return build(name, env, cfg)
	}
	r := launch(t, p, data, map[string]string{"WINDLASS_AGENTS": folder})
	if err := os.WriteFile(file, []byte("half wri"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.post("/commit", "1")
	kept := filepath.Join(data, "agents")
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(map[string]string{folder: "first", kept: "first"}, read); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(kept, "notes.txt")); err == nil {
		t.Error("more was copied than agents")
	}
}
