package awsjson

import (
	"context"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

type nested struct{ Name string }

type input struct {
	Name    string
	Count   *int `json:"count,omitempty"`
	Nested  nested
	List    []nested
	ByName  map[string]*nested
	Free    json.RawMessage
	Strings []string
	Tags    Unsupported
}

func TestDecodeRefusesWhatHasNoPlace(t *testing.T) {
	for _, c := range []struct{ body, code, names string }{
		{`{"Nmae":"x"}`, "ValidationException", "unknown field Nmae"},
		{`{"name":"x"}`, "ValidationException", "unknown field name"},
		{`{"Count":1}`, "ValidationException", "unknown field Count"},
		{`{"Tags":[]}`, "ValidationException", "field Tags is not supported"},
		{`{"Nested":{"name":"x"}}`, "ValidationException", "unknown field Nested.name"},
		{`{"List":[{"Name":"x"},{"X":1}]}`, "ValidationException", "unknown field List.[].X"},
		{`{"ByName":{"a":{"X":1}}}`, "ValidationException", "unknown field ByName.a.X"},
		{`{"Name":1}`, "SerializationException", "Name"},
		{`{"Name":"x"} {}`, "SerializationException", ""},
		{`{"Name":`, "SerializationException", ""},
		{`null`, "SerializationException", "not a JSON object"},
		{``, "SerializationException", ""},
		{`[]`, "SerializationException", ""},
	} {
		err := Decode([]byte(c.body), &input{})
		var coded *Error
		if !errors.As(err, &coded) || coded.Code != c.code || !strings.Contains(coded.Message, c.names) {
			t.Errorf("%s: %v, want %s ...%s", c.body, err, c.code, c.names)
		}
	}
}

func TestDecodeAcceptsWhatIsKnown(t *testing.T) {
	var in input
	err := Decode([]byte(` {"Name":"x","count":2,"Nested":{"Name":"y"},"List":[{"Name":"z"}],"ByName":{"a":{"Name":"w"}},"Free":{"any":[1]},"Strings":["s"],"Tags":null}`), &in)
	if err != nil || in.Name != "x" || *in.Count != 2 || in.Nested.Name != "y" || in.List[0].Name != "z" || in.ByName["a"].Name != "w" || string(in.Free) != `{"any":[1]}` {
		t.Errorf("%+v, %v", in, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"Name":"x","List":[{"Name":"z"}],"ByName":{"a":null},"Free":0}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var coded *Error
		if err := Decode(body, &input{}); err != nil && !errors.As(err, &coded) {
			t.Errorf("%q: an error without a code: %v", body, err)
		}
	})
}

var things = Handler("Things_20260101", "application/x-amz-json-1.1", map[string]Operation{
	"Echo": func(_ context.Context, body []byte) (any, error) { return json.RawMessage(body), nil },
	"Void": func(context.Context, []byte) (any, error) { return nil, nil },
	"Fail": func(context.Context, []byte) (any, error) {
		err := Errorf("ThingException", "no %s", "thing")
		err.Fields = map[string]any{"Reasons": []string{"a"}}
		return nil, err
	},
	"Break": func(context.Context, []byte) (any, error) { return nil, errors.New("broken") },
	"Abort": func(context.Context, []byte) (any, error) { panic(http.ErrAbortHandler) },
	"Wait":  func(ctx context.Context, _ []byte) (any, error) { <-ctx.Done(); return nil, ctx.Err() },
})

func request(t *testing.T, op string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://localhost/", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", "Things_20260101."+op)
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	return r
}

// lanes are the two ways to a handler; both must look the same.
func lanes(t *testing.T) map[string]http.RoundTripper {
	server := httptest.NewServer(things)
	t.Cleanup(server.Close)
	socket := roundTripper(func(r *http.Request) (*http.Response, error) {
		r.URL.Host = strings.TrimPrefix(server.URL, "http://")
		return server.Client().Transport.RoundTrip(r)
	})
	return map[string]http.RoundTripper{"socket": socket, "in process": Transport(things)}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAnswers(t *testing.T) {
	for lane, transport := range lanes(t) {
		for _, c := range []struct {
			op, body string
			status   int
			want     string
		}{
			{"Echo", `{"a":1}`, 200, `{"a":1}`},
			{"Void", `{}`, 200, `{}`},
			{"Fail", `{}`, 400, `{"Reasons":["a"],"__type":"com.amazonaws.things.v20260101#ThingException","message":"no thing"}`},
			{"Break", `{}`, 500, `{"__type":"com.amazonaws.things.v20260101#InternalServerError","message":"broken"}`},
			{"Nothing", `{}`, 400, `{"__type":"com.amazonaws.things.v20260101#UnknownOperationException","message":"operation \"Things_20260101.Nothing\" is not supported here"}`},
		} {
			response, err := transport.RoundTrip(request(t, c.op, strings.NewReader(c.body)))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			h := response.Header
			if response.StatusCode != c.status || string(body) != c.want {
				t.Errorf("%s, %s: %d %s", lane, c.op, response.StatusCode, body)
			}
			if h.Get("X-Amz-Crc32") != strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10) || h.Get("X-Amzn-RequestId") == "" || h.Get("Content-Type") != "application/x-amz-json-1.1" {
				t.Errorf("%s, %s: headers %v", lane, c.op, h)
			}
		}
	}
}

func TestOversizeBodiesAreRefused(t *testing.T) {
	for lane, transport := range lanes(t) {
		for _, known := range []bool{true, false} {
			var body io.Reader = strings.NewReader(strings.Repeat(" ", MaxBody+1))
			if !known {
				body = io.MultiReader(body) // hides the length
			}
			response, err := transport.RoundTrip(request(t, "Echo", body))
			if err != nil {
				if lane == "socket" {
					continue // the server may close before it has read everything
				}
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != 413 || response.Header.Get("X-Amzn-ErrorType") != "RequestEntityTooLargeException" {
				t.Errorf("%s, length known %t: %d %v", lane, known, response.StatusCode, response.Header)
			}
		}
	}
}

func TestMethodAndContentTypeAreChecked(t *testing.T) {
	for name, edit := range map[string]func(*http.Request){
		"GET":          func(r *http.Request) { r.Method = "GET" },
		"content type": func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
	} {
		r := request(t, "Void", strings.NewReader("{}"))
		edit(r)
		response, err := Transport(things).RoundTrip(r)
		if err != nil || response.StatusCode < 400 {
			t.Errorf("%s: %v %v", name, response, err)
		}
	}
}

func TestAnAbortedAnswerIsAnError(t *testing.T) {
	for lane, transport := range lanes(t) {
		if response, err := transport.RoundTrip(request(t, "Abort", strings.NewReader("{}"))); err == nil {
			t.Errorf("%s: %v", lane, response)
		}
	}
}

func TestACancelledCallReturnsItsContextsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	body := &closing{Reader: strings.NewReader("{}")}
	r := request(t, "Wait", body).WithContext(ctx)
	done := make(chan error)
	go func() {
		_, err := Transport(things).RoundTrip(r)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if !body.closed {
		t.Error("the request body was left open")
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestHeadKeepsTheDeclaredLength(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "1234") })
	r, _ := http.NewRequestWithContext(t.Context(), "HEAD", "http://localhost/bucket/key?x=1", nil)
	response, err := Transport(h).RoundTrip(r)
	if err != nil || response.ContentLength != 1234 {
		t.Errorf("%+v, %v", response, err)
	}
}

func TestTheHandlerSeesAServersRequest(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.RequestURI != "/a%20b?x=1" || r.Host != "example" || r.URL.Host != "" || r.URL.Path != "/a b" || r.Body == nil || r.RemoteAddr == "" {
			t.Errorf("uri %s, host %s, url %v", r.RequestURI, r.Host, r.URL)
		}
	})
	r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://example/a%20b?x=1", nil)
	if _, err := Transport(h).RoundTrip(r); err != nil {
		t.Error(err)
	}
	if r.URL.Host != "example" || r.RequestURI != "" {
		t.Error("the client's request was changed")
	}
}
