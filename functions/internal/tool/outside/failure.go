package outside

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"syscall"

	"windlass/functions/internal/tool"
)

// Codes of what keeps a request from being answered.
const (
	DeniedHost    = "denied_host"
	DeniedAddress = "denied_address"
	InvalidURL    = "invalid_url"
	SecretMissing = "secret_missing"
	DNS           = "dns"
	TLS           = "tls"
	Timeout       = "timeout"
	Cancelled     = "cancelled"
	Unreachable   = "unreachable"
	BrokeOff      = "broke_off"
	TooLarge      = "too_large"
)

// Failf is an error that the model reads. It says what to do next.
func Failf(code, format string, args ...any) tool.Failure {
	return tool.Failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Lost is what a call comes to that brought no answer: a [tool.Failure], or
// [tool.ErrUnknown] for a call of the class Once that the server may have received.
func Lost(effect tool.Effect, sent *Sent, err error) error {
	f := why(sent, err)
	if effect == tool.Once && sent.Begun() {
		return fmt.Errorf("%w (%s)", tool.ErrUnknown, f.Code)
	}
	return f
}

// why leaves the network's own texts out, because they may hold the URL.
func why(sent *Sent, err error) tool.Failure {
	var f tool.Failure
	var dns *net.DNSError
	var timed net.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.Canceled):
		return Failf(Cancelled, "the call was ended before there was an answer")
	case errors.As(err, &dns) && dns.IsNotFound:
		return Failf(DNS, "the host's name has no address; check how it is spelled")
	case errors.As(err, &dns):
		return Failf(DNS, "the host's name could not be looked up; try again later")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		return Failf(Timeout, "there was no answer in time; try again later, or ask for less")
	case isTLS(err):
		return Failf(TLS, "no secure connection could be made: the server's certificate or protocol was refused")
	case sent.Begun():
		return Failf(BrokeOff, "the connection broke off before there was a whole answer; the call may be tried again")
	}
	return Failf(Unreachable, "the server could not be reached%s; try again later", cause(err))
}

// cause is the system's name for an error, which holds no address.
func cause(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return " (" + errno.Error() + ")"
	}
	return ""
}

func isTLS(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	return errors.As(err, &certificate) || errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &authority) || errors.As(err, &name)
}
