package main

import (
	"net"
	"net/http"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"windlass/localstack/template"
)

// failing runs the program until it refuses to start.
func failing(t *testing.T, env map[string]string) string {
	t.Helper()
	p, _, _ := prepare(newFake().product(), env)
	err := p.run(t.Context())
	if err == nil {
		t.Fatal("it started")
	}
	return err.Error()
}

func TestWhatKeepsItFromStartingSaysWhatToDo(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, c := range map[string]struct {
		env  map[string]string
		says string
	}{
		"port in use":      {map[string]string{"WINDLASS_ADDR": taken.Addr().String()}, "WINDLASS_ADDR=127.0.0.1:0"},
		"AWS port in use":  {map[string]string{"WINDLASS_AWS_ADDR": taken.Addr().String()}, "WINDLASS_AWS_ADDR=127.0.0.1:0"},
		"no template":      {map[string]string{"WINDLASS_TEMPLATE": "nowhere.yaml"}, "WINDLASS_TEMPLATE"},
		"all interfaces":   {map[string]string{"WINDLASS_ADDR": ":8787"}, "127.0.0.1:8787"},
		"not an address":   {map[string]string{"WINDLASS_AWS_ADDR": "localhost"}, "WINDLASS_AWS_ADDR"},
		"weak key":         {map[string]string{"WINDLASS_DEV_KEY": "short"}, "WINDLASS_DEV_KEY"},
		"key with a quote": {map[string]string{"WINDLASS_DEV_KEY": "0123456789abcdef'"}, "WINDLASS_DEV_KEY"},
		"log level":        {map[string]string{"WINDLASS_LOG": "loud"}, "debug, info"},
		"sync":             {map[string]string{"WINDLASS_SYNC": "yes"}, "WINDLASS_SYNC"},
		"isolated":         {map[string]string{"WINDLASS_ISOLATED": "yes"}, "WINDLASS_ISOLATED"},
		"minute":           {map[string]string{"WINDLASS_LOCAL_MINUTE": "0"}, "1s"},
		"socket's idle":    {map[string]string{"WINDLASS_LOCAL_SOCKET_IDLE": "soon"}, "WINDLASS_LOCAL_SOCKET_IDLE"},
		"socket's life":    {map[string]string{"WINDLASS_LOCAL_SOCKET_LIFE": "-1s"}, "WINDLASS_LOCAL_SOCKET_LIFE"},
		"stream mode":      {map[string]string{"WINDLASS_LOCAL_STREAM": "shuffle,twice"}, "redeliver"},
		"usage":            {map[string]string{"WINDLASS_LOCAL_USAGE": "yes"}, "WINDLASS_LOCAL_USAGE"},
		"data is no place": {map[string]string{"WINDLASS_DATA": "main.go/x"}, "WINDLASS_DATA"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := failing(t, environmentFor(t.TempDir(), c.env)); !strings.Contains(got, c.says) {
				t.Errorf("says %q, want %q in it", got, c.says)
			}
		})
	}
}

func TestADataDirectoryInUseIsLeftAlone(t *testing.T) {
	data := t.TempDir()
	launch(t, newFake().product(), data, nil)
	if got := failing(t, environmentFor(data, nil)); !strings.Contains(got, "WINDLASS_DATA") {
		t.Errorf("says %q", got)
	}
	if _, err := os.Stat(filepath.Join(data, endpointsFile)); err != nil {
		t.Errorf("the second start removed the first one's endpoints: %v", err)
	}
}

func TestSecretsAreTheOwnersAloneAndTheSubsetsIsNeverPrinted(t *testing.T) {
	data := t.TempDir()
	r := launch(t, newFake().product(), data, nil)
	for _, name := range []string{credentialsFile, devKeyFile, endpointsFile, "windlass.db", "s3/index.db"} {
		info, err := os.Stat(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	c, err := loadCredentials(data)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(data, endpointsFile))
	if err != nil {
		t.Fatal(err)
	}
	for place, text := range map[string]string{"stdout": r.out.String(), "stderr": r.errs.String(), endpointsFile: string(file)} {
		if strings.Contains(text, c.secret) || strings.Contains(text, c.accessKey) {
			t.Errorf("%s holds the credentials", place)
		}
	}
	key, err := loadDevKey(data)
	if err != nil || strings.Contains(string(file), key) || !strings.Contains(r.out.String(), key) {
		t.Errorf("the key must be printed, and not stand in %s: %v", endpointsFile, err)
	}
}

func TestTheDoorsAreShutToStrangers(t *testing.T) {
	r := launch(t, newFake().product(), t.TempDir(), nil)
	for _, c := range []struct {
		url, host, origin, target string
		want                      int
	}{
		{r.at.AWS, "", "", "DynamoDB_20120810.ListTables", 400},
		{r.at.AWS, "", "http://evil.example", "DynamoDB_20120810.ListTables", 403},
		{r.at.AWS, "evil.example", "", "DynamoDB_20120810.ListTables", 403},
		{r.at.API, "evil.example", "", "", 403},
		{r.at.API, "", "http://evil.example", "", 403},
		{r.at.API, "", r.at.API, "", 202},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", c.url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			req.Host = c.host
		}
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		req.Header.Set("X-Amz-Target", c.target)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%+v: %d", c, res.StatusCode)
		}
	}
}

func TestAVariableThatHasNoEffectIsNamed(t *testing.T) {
	parsed, err := template.Load(filepath.Join("..", "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	st := &stack{template: parsed}
	got := strangers([]string{"WINDLASS_ADR=x", "WINDLASS_ADDR=x", "HOME=/", "WINDLASS_LOG_TABLE=x", "ROUNDS_PER_TASK=1"}, st.declared)
	if strings.Join(got, " ") != "WINDLASS_ADR WINDLASS_LOG_TABLE" {
		t.Errorf("got %v", got)
	}
}

// The two commands of the banner, run by a shell against the real product.
func TestTheCommandsThatArePrintedWork(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl here")
	}
	r := launch(t, theProduct, t.TempDir(), nil)
	wants := []string{`"operationId":"readme"`, `"prompt":"write a short README`}
	for line := range strings.Lines(r.out.String()) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "curl ") {
			continue
		}
		answer, err := exec.CommandContext(t.Context(), sh, "-c", line).CombinedOutput()
		if err != nil || !strings.Contains(string(answer), wants[0]) {
			t.Fatalf("%s: %v: %s", line, err, answer)
		}
		wants = wants[1:]
	}
	if len(wants) != 0 {
		t.Errorf("%d commands are missing", len(wants))
	}
}

// The console takes the key from its URL, however the key is spelled.
func TestTheConsoleIsTheFirstThingThatIsPrinted(t *testing.T) {
	const key = "a+key/with=every~sort.of-letter_"
	r := launch(t, newFake().product(), t.TempDir(), map[string]string{"WINDLASS_DEV_KEY": key})
	_, table, _ := strings.Cut(r.out.String(), "ready.\n\n")
	line, _, _ := strings.Cut(table, "\n")
	name, address, _ := strings.Cut(strings.TrimSpace(line), " ")
	page, err := neturl.Parse(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	given, err := neturl.ParseQuery(page.EscapedFragment()) // as a page reads it
	if err != nil {
		t.Fatal(err)
	}
	if name != "console" || page.Path != "/" || "http://"+page.Host != r.at.API || given.Get("key") != key {
		t.Errorf("%q", line)
	}
}

// Changing the key is how a leaked one is revoked.
func TestAnotherDevelopmentKeyRevokesTheOneBefore(t *testing.T) {
	data := t.TempDir()
	keys := []string{"the-first-key-0123", "the-second-key-0123", "the-first-key-0123"}
	for n, key := range keys {
		r := launch(t, theProduct, data, map[string]string{"WINDLASS_DEV_KEY": key})
		for _, k := range keys[:2] {
			want := http.StatusUnauthorized
			if k == key {
				want = http.StatusNotFound
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.at.API+"/v1/sessions/none/events", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+k)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("start %d, key %q: %d, want %d", n+1, k, res.StatusCode, want)
			}
		}
		r.stop()
	}
}

// A function that cannot start is found before anybody gets a receipt.
func TestFunctionThatCannotBeBuiltKeepsItFromStarting(t *testing.T) {
	env := environmentFor(t.TempDir(), map[string]string{"ROUNDS_PER_TASK": "abc"})
	p, _, _ := prepare(theProduct, env)
	err := p.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), `ROUNDS_PER_TASK is "abc"`) {
		t.Errorf("%v, want what is wrong with ROUNDS_PER_TASK", err)
	}
}
