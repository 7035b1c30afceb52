package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

// rule is one thing that is allowed.
type rule struct {
	// Host is a host's name, or *. and the end of many.
	Host string `json:"host"`
	// HTTP allows http beside https.
	HTTP bool `json:"http"`
	// Private: the host is the deployment's own. It may have a private address, this
	// machine's too, but never one that hands out a machine's credentials. It is said of
	// one host, and not of a pattern.
	Private bool `json:"private"`
	// Ports are the scheme's own if there are none.
	Ports []int `json:"ports"`
	// Paths are globs: * stands for a part of one segment, ** for any segments. All
	// paths if there are none.
	Paths []string `json:"paths"`
	// Methods and their classes; GET and HEAD, which read, if there are none.
	Methods map[string]tool.Effect `json:"methods"`
	// Headers are added to what the model sends.
	Headers outside.Headers `json:"headers"`
	// Callback tells the server where to report what it only began.
	Callback *callback `json:"callback"`
}

// callback is of requests that change something. A server that takes one answers 202, and
// posts {"output": …} or {"error": {…}} to the URL when it is done.
type callback struct {
	// Header has the URL; X-Callback-Url if it is empty.
	Header string `json:"header"`
	// For is how long the report is waited for; a day if it is 0.
	For outside.Duration `json:"for"`
}

// rules are looked through in order; the first that fits counts.
type rules []rule

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

func (all rules) check() error {
	if len(all) == 0 || len(all) > maxRules {
		return fmt.Errorf("allow has %d rules; it has from 1 to %d", len(all), maxRules)
	}
	for i := range all {
		if err := all[i].check(); err != nil {
			return fmt.Errorf("rule %d of allow: %w", i+1, err)
		}
	}
	return nil
}

// check puts a rule into its one spelling.
func (r *rule) check() (err error) {
	if r.Host, err = hostPattern(r.Host); err != nil {
		return err
	}
	if r.Private && strings.HasPrefix(r.Host, "*") {
		return fmt.Errorf("host %q: a private host is named in full, without a star", r.Host)
	}
	if r.Methods == nil {
		r.Methods = map[string]tool.Effect{"GET": tool.Read, "HEAD": tool.Read}
	}
	for m, e := range r.Methods {
		if !slices.Contains(methods, m) {
			return fmt.Errorf("the method %q is none of %s", m, strings.Join(methods, ", "))
		}
		if err := outside.CheckEffect(e); err != nil {
			return fmt.Errorf("method %s: %w", m, err)
		}
	}
	for _, p := range r.Ports {
		if p < 1 || p > 65535 {
			return fmt.Errorf("the port %d is not from 1 to 65535", p)
		}
	}
	for _, p := range r.Paths {
		if err := checkGlob(p); err != nil {
			return err
		}
	}
	return r.checkCallback()
}

const defaultCallback = 24 * time.Hour

func (r *rule) checkCallback() error {
	c := r.Callback
	if c == nil {
		return nil
	}
	if c.Header == "" {
		c.Header = "X-Callback-Url"
	}
	if c.For == 0 {
		c.For = outside.Duration(defaultCallback)
	}
	c.Header = http.CanonicalHeaderKey(c.Header)
	_, set := r.Headers[c.Header]
	switch {
	case !headerName.MatchString(c.Header) || set || taken[c.Header]:
		return fmt.Errorf("callback: the header %q is no name, or has another use", c.Header)
	case c.For < 0 || time.Duration(c.For) > tool.MaxLater:
		return fmt.Errorf("callback: for is %s; it is at most %s", time.Duration(c.For), tool.MaxLater)
	}
	return nil
}

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// hostPattern is a host's one spelling, with *. before it if it had that. A star
// before a top-level domain would be half the internet.
func hostPattern(s string) (string, error) {
	rest, many := strings.CutPrefix(s, "*.")
	h, err := outside.Host(strings.Trim(rest, "[]"))
	var f tool.Failure
	if errors.As(err, &f) {
		return "", fmt.Errorf("host %q: %s", s, f.Message)
	}
	if !many {
		return h, nil
	}
	if _, err := netip.ParseAddr(h); err == nil || !strings.Contains(h, ".") {
		return "", fmt.Errorf("host %q: a star stands before a name of at least two parts, such as *.example.com", s)
	}
	return "*." + h, nil
}

func (r *rule) host(h string) bool {
	if end, many := strings.CutPrefix(r.Host, "*"); many {
		return strings.HasSuffix(h, end) && len(h) > len(end)
	}
	return h == r.Host
}

// at says whether the rule is for the URL's host, scheme and port.
func (r *rule) at(u *url.URL) bool {
	if !r.host(u.Hostname()) || u.Scheme == "http" && !r.HTTP {
		return false
	}
	if len(r.Ports) == 0 {
		return u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80"
	}
	return slices.ContainsFunc(r.Ports, func(p int) bool { return strconv.Itoa(p) == u.Port() })
}

func (r *rule) path(p string) bool {
	return len(r.Paths) == 0 || slices.ContainsFunc(r.Paths, func(g string) bool { return matchGlob(g, p) })
}

// find returns the rule that lets a request of the class through, or says what keeps
// it out.
func (all rules) find(u *url.URL, method string, effect tool.Effect) (*rule, error) {
	path, err := cleanPath(u)
	if err != nil {
		return nil, err
	}
	problem := outside.Failf(outside.DeniedHost, "requests to %s are not allowed; the tool's description lists what is", origin(u))
	for i := range all {
		r := &all[i]
		if !r.at(u) {
			continue
		}
		if !r.path(path) {
			problem = outside.Failf("denied_path", "this path of %s is not allowed; the tool's description lists what is", origin(u))
			continue
		}
		switch e, ok := r.Methods[method]; {
		case !ok:
			problem = outside.Failf("denied_method", "%.16q is not allowed there; allowed is %s", method, strings.Join(slices.Sorted(maps.Keys(r.Methods)), ", "))
		case e != effect:
			return nil, outside.Failf("denied_method", "%s there is a matter of the tool %s", method, name(e))
		default:
			return r, nil
		}
	}
	return nil, problem
}

// origin is where a request goes, as far as it may be shown.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// describe lists for the model what is allowed of a class.
func (all rules) describe(effect tool.Effect) string {
	var b strings.Builder
	for i := range all {
		if line := all[i].describe(effect); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (r *rule) describe(effect tool.Effect) string {
	var of []string
	for _, m := range slices.Sorted(maps.Keys(r.Methods)) {
		if r.Methods[m] == effect {
			of = append(of, m)
		}
	}
	if of == nil {
		return ""
	}
	line := "- " + strings.Join(of, ", ") + " https://" + r.Host
	if r.HTTP {
		line += " (http too)"
	}
	if len(r.Ports) > 0 {
		line += fmt.Sprintf(", ports %s", strings.Trim(fmt.Sprint(r.Ports), "[]"))
	}
	if len(r.Paths) > 0 {
		line += ", paths " + strings.Join(r.Paths, " ")
	}
	return line
}
