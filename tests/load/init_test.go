package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windlass/tests/embedded"
)

func TestMain(m *testing.M) {
	code := m.Run()
	embedded.Remove() // what BenchmarkInit built
	os.Exit(code)
}

// coldEnv is what every function needs to start. None asks AWS anything until it is invoked.
var coldEnv = []string{
	"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret",
	"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "AWS_EC2_METADATA_DISABLED=true",
	"WINDLASS_LOG_TABLE=log", "WINDLASS_LIVE_TABLE=live", "WINDLASS_BUCKET=bucket", "WINDLASS_SOCKET_URL=wss://sockets.example/live",
	"WINDLASS_STATE_MACHINE_ARN=arn:aws:states:eu-central-1:123456789012:stateMachine:turns",
	"OPENAI_API_KEY=key", "OPENAI_COMPATIBLE_BASE_URL=http://127.0.0.1:1/v1", "ANTHROPIC_API_KEY=key", "BEDROCK_REGION=eu-central-1",
}

// From exec of a function's executable to its first request for work, which is what Lambda
// counts as its init, without the sandbox's own start.
func BenchmarkInit(b *testing.B) {
	template, ok := strings.CutPrefix(embedded.Isolated(b)[1], "WINDLASS_TEMPLATE=")
	if !ok {
		b.Fatal("embedded.Isolated does not say where it built")
	}
	asked, at := runtimeAPI(b)
	for _, name := range []string{"api", "socket", "drive", "dispatch", "publish", "recover"} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for range max(b.N, 20) {
				p := exec.CommandContext(b.Context(), filepath.Join(filepath.Dir(template), ".build", name, "bootstrap"))
				p.Env = append([]string{"AWS_LAMBDA_RUNTIME_API=" + at}, coldEnv...)
				var said strings.Builder
				p.Stderr = &said
				ended := make(chan error, 1)
				began := time.Now()
				if err := p.Start(); err != nil {
					b.Fatal(err)
				}
				go func() { ended <- p.Wait() }()
				select {
				case then := <-asked:
					took = append(took, then.Sub(began))
				case err := <-ended:
					b.Fatalf("it ended, %v: %s", err, said.String())
				}
				_ = p.Process.Kill()
				<-ended
			}
			b.ReportMetric(ms(median(took)), "ms-median")
			b.ReportMetric(ms(percentile(took, 90)), "ms-p90")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// runtimeAPI says when a function asks for work, of which there is none.
func runtimeAPI(b *testing.B) (asked chan time.Time, at string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	asked = make(chan time.Time, 1)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/runtime/invocation/next") {
			b.Errorf("%s %s; want a request for work", r.Method, r.URL.Path)
		}
		asked <- time.Now()
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})}
	go func() { _ = s.Serve(l) }()
	b.Cleanup(func() { _ = s.Close() })
	return asked, l.Addr().String()
}
