package connection

import (
	"net/url"
	"strings"
	"testing"
)

func TestASocketURLNamesTheManagementURL(t *testing.T) {
	for socket, want := range map[string]string{
		"wss://abc.execute-api.eu-central-1.amazonaws.com/live": "https://abc.execute-api.eu-central-1.amazonaws.com/live",
		"wss://sockets.example.com":                             "https://sockets.example.com",
		"wss://sockets.example.com/":                            "https://sockets.example.com",
		"ws://127.0.0.1:8787/live":                              "http://127.0.0.1:8787/live",
		"ws://[::1]:8787/live/":                                 "http://[::1]:8787/live",
		"WSS://sockets.example.com/live":                        "https://sockets.example.com/live",
	} {
		if got, err := address(socket); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", socket, got, err, want)
		}
	}
	for _, wrong := range []string{"", "live", "/live", "https://sockets.example.com/live", "wss:", "wss:///live", "wss://:443/live", "wss:sockets.example.com",
		"wss://me:secret@sockets.example.com/live", "wss://sockets.example.com/live?ticket=secret", "wss://sockets.example.com/live#secret", "wss://sockets example.com", "wss://h/%zz"} {
		got, err := address(wrong)
		if err == nil || got != "" || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %q, %v; want an error that does not repeat it", wrong, got, err)
		}
	}
}

func FuzzAManagementURLHasTheSocketsHost(f *testing.F) {
	f.Add("wss://sockets.example.com/live")
	f.Add("ws://[::1]:8787/a%2Fb/")
	f.Add("wss://me@sockets.example.com")
	f.Fuzz(func(t *testing.T, socket string) {
		got, err := address(socket)
		if err != nil {
			return
		}
		from, _ := url.Parse(socket)
		to, err := url.Parse(got)
		if err != nil || to.Host != from.Host || to.User != nil || to.RawQuery != "" || !strings.HasPrefix(to.Scheme, "http") {
			t.Errorf("%q became %q, %v", socket, got, err)
		}
	})
}

// address is the whole way from a setting to where posts go.
func address(socket string) (string, error) {
	u, err := SocketURL(socket)
	if err != nil {
		return "", err
	}
	return managementURL(u), nil
}
