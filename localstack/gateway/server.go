package gateway

import (
	"log/slog"
	"net/http"
	"time"
)

// Server wraps a handler with the limits of a listener that anybody on this
// machine can reach. There is no WriteTimeout: a handler bounds itself, and a
// socket will outlive every one.
func Server(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}
