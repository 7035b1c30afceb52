package s3_test

import (
	"net/http"
	"testing"

	"windlass/localstack/s3"
)

// preflight asks as a browser does, unsigned.
func (s *stand) preflight(origin, method, headers string) (*http.Response, string, fault) {
	s.Helper()
	r, err := http.NewRequest("OPTIONS", s.url+"/files/dir/k", nil)
	if err != nil {
		s.Fatal(err)
	}
	for name, value := range map[string]string{"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	return s.do(r)
}

func TestPreflight(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	for _, c := range []struct {
		name, origin, method, headers string
		status                        int
		code                          string
	}{
		{"allowed", "http://127.0.0.1:8787", "PUT", "content-type, x-amz-checksum-sha256,if-none-match", 200, ""},
		{"wildcard", "https://app.example.com", "GET", "", 200, ""},
		{"another origin", "http://127.0.0.1:9999", "PUT", "", 403, "AccessForbidden"},
		{"another suffix", "https://app.example.com.evil.net", "GET", "", 403, "AccessForbidden"},
		{"another method", "http://127.0.0.1:8787", "DELETE", "", 403, "AccessForbidden"},
		{"another header", "http://127.0.0.1:8787", "PUT", "content-type,authorization", 403, "AccessForbidden"},
		{"no origin", "", "PUT", "", 400, "BadRequest"},
		{"no method", "http://127.0.0.1:8787", "", "", 400, "BadRequest"},
	} {
		response, _, f := s.preflight(c.origin, c.method, c.headers)
		if response.StatusCode != c.status || f.Code != c.code {
			t.Errorf("%s: %d %+v", c.name, response.StatusCode, f)
		}
		want := c.origin
		if c.status != 200 {
			want = ""
		}
		if got := response.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: allowed origin %q", c.name, got)
		}
	}
	response, _, _ := s.preflight("http://127.0.0.1:8787", "PUT", "Content-Type,X-Amz-Meta-A")
	for name, want := range map[string]string{"Access-Control-Allow-Methods": "GET, PUT", "Access-Control-Allow-Headers": "content-type, x-amz-meta-a",
		"Access-Control-Max-Age": "600", "Access-Control-Expose-Headers": "ETag"} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestAnswersCarryTheRulesOfTheBucket(t *testing.T) {
	s := open(t, t.TempDir(), s3.Options{})
	s.put("k", "hello")
	for _, c := range []struct {
		path, origin, want string
		signed             bool
		status             int
	}{
		{"/files/k", "http://127.0.0.1:8787", "http://127.0.0.1:8787", true, 200},
		{"/files/nobody", "http://127.0.0.1:8787", "http://127.0.0.1:8787", true, 404},
		{"/files/k", "http://127.0.0.1:8787", "http://127.0.0.1:8787", false, 403}, // the page may read why
		{"/files/k", "http://evil.example", "", true, 200},
		{"/files/k", "", "", true, 200},
	} {
		r := s.request("GET", c.path, "", nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if !c.signed {
			r.Header.Del("Authorization")
		}
		allowed := s.service.AllowsOrigin(r)
		response, _, _ := s.do(r)
		if got := response.Header.Get("Access-Control-Allow-Origin"); got != c.want || response.StatusCode != c.status || allowed != (c.want != "") {
			t.Errorf("%+v: %d, allowed origin %q, AllowsOrigin %t", c, response.StatusCode, got, allowed)
		}
	}
}
