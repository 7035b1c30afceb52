package console

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// policy is the page's Content-Security-Policy. Pictures may come from blob: URLs,
// which only the page's own scripts can make.
func policy(connect []string) string {
	for _, origin := range connect {
		if err := checkOrigin(origin); err != nil {
			panic(err)
		}
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"style-src 'self'",
		"img-src 'self' blob:",
		"connect-src " + strings.Join(append([]string{"'self'"}, connect...), " "),
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
	}, "; ")
}

// checkOrigin refuses what would end a directive or widen it.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	switch {
	case err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host || strings.ContainsAny(origin, " ;,*'\""):
		return fmt.Errorf("console: %q is not an origin; write it as https://host or wss://host:port", origin)
	case !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme):
		return fmt.Errorf("console: the origin %q is of none of http, https, ws and wss", origin)
	}
	return nil
}
