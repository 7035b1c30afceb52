// Package config is what an agent's definition says of MCP servers. It stands apart from
// package mcp because a function that only checks it is linked without the protocol's SDK.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"time"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

// Config is what an agent's definition says of these tools.
type Config struct {
	Servers []Server `json:"servers"`
}

// Server is one server, and what may be called there.
type Server struct {
	// Name stands before the names of the server's tools.
	Name string `json:"name"`
	URL  string `json:"url"`
	// Internal: the server is the deployment's own, may have a private address and may
	// be spoken to over http.
	Internal bool            `json:"internal"`
	Headers  outside.Headers `json:"headers"`
	// Tools are the names, or globs of names, that may be called.
	Tools []string `json:"tools"`
	// Effects are the classes of tools by name; once for what is not named.
	Effects map[string]tool.Effect `json:"effects"`
	// TrustAnnotations: what the server says of a tool's effect counts where Effects
	// says nothing.
	TrustAnnotations bool             `json:"trustAnnotations"`
	Timeout          outside.Duration `json:"timeout"`
	// KeepList is how long a list of tools is kept.
	KeepList outside.Duration `json:"keepList"`
}

// Limits of a configuration.
const (
	maxServers = 16
	maxAllowed = 128
	// DefaultKeepList is how long a list is kept if nothing is said.
	DefaultKeepList = 5 * time.Minute
)

var prefix = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,23}$`)

// reserved are the first parts of other tools' names.
var reserved = map[string]bool{"http": true, "mcp": true, "workspace": true}

// Read reads a configuration. Its error says what is wrong with it.
func Read(with json.RawMessage) (Config, error) {
	c, err := read(with)
	if err != nil {
		return c, fmt.Errorf("tool mcp: %w", err)
	}
	return c, nil
}

func read(with json.RawMessage) (Config, error) {
	var c Config
	if err := outside.Read(with, &c); err != nil {
		return c, err
	}
	if len(c.Servers) == 0 || len(c.Servers) > maxServers {
		return c, fmt.Errorf("there are %d servers; there may be from 1 to %d", len(c.Servers), maxServers)
	}
	seen := map[string]bool{}
	for i := range c.Servers {
		s := &c.Servers[i]
		err := s.check()
		if err == nil && seen[s.Name] {
			err = errors.New("the name is there twice")
		}
		if err != nil {
			return c, fmt.Errorf("server %q: %w", s.Name, err)
		}
		seen[s.Name] = true
	}
	return c, nil
}

func (s *Server) check() error {
	u, err := outside.ParseURL(s.URL)
	var f tool.Failure
	switch {
	case errors.As(err, &f):
		return fmt.Errorf("url: %s", f.Message)
	case !s.Internal && u.Scheme != "https":
		return errors.New("url: only a server that is internal may be spoken to over http")
	case reserved[s.Name]:
		return errors.New("the name is that of other tools")
	case !prefix.MatchString(s.Name):
		return errors.New("the name has 1 to 24 letters, digits and -, and begins with a letter")
	case len(s.Tools) == 0 || len(s.Tools) > maxAllowed:
		return fmt.Errorf(`tools names from 1 to %d tools, or ["*"] for all`, maxAllowed)
	}
	for _, t := range s.Tools {
		if _, err := path.Match(t, ""); err != nil {
			return fmt.Errorf("tools: %q is no name and no glob", t)
		}
	}
	for name, e := range s.Effects {
		if err := outside.CheckEffect(e); err != nil {
			return fmt.Errorf("tool %s: %w", name, err)
		}
	}
	if s.KeepList == 0 {
		s.KeepList = outside.Duration(DefaultKeepList)
	}
	if k := time.Duration(s.KeepList); k < time.Second || k > 24*time.Hour {
		return fmt.Errorf("keepList is %s; it is from 1s to 24h", k)
	}
	_, err = s.Timeout.Timeout()
	return err
}

// Allowed says whether a tool may be called.
func (s *Server) Allowed(name string) bool {
	for _, glob := range s.Tools {
		if ok, _ := path.Match(glob, name); ok || glob == "*" {
			return true
		}
	}
	return false
}
