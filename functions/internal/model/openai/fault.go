package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"windlass/functions/internal/model"
)

var (
	errEnough     = errors.New("whoever reads the answer has read enough")
	errBrokeOff   = &model.Fault{Code: "unavailable", Message: "the model's answer broke off"}
	errUnreadable = &model.Fault{Code: "unavailable", Message: "the model provider sent what cannot be read"}
	errTooLarge   = &model.Fault{Code: "model_error", Permanent: true,
		Message: fmt.Sprintf("the model's answer is too large; at most %d bytes, and %d calls, are kept", maxAnswer, maxCalls)}
)

// errNoValue: a part of the transcript could not be fetched.
type errNoValue struct{ error }

func (e errNoValue) Unwrap() error { return e.error }

// failure is the fault of whatever went wrong. Texts of the network's errors are
// left out, because they hold the URL.
func failure(ctx context.Context, err error) *model.Fault {
	var f *model.Fault
	var n net.Error
	var v errNoValue
	switch {
	case ctx.Err() != nil:
		return &model.Fault{Code: "timeout", Message: "the model gave no whole answer in time"}
	case errors.As(err, &f):
		return f
	case errors.As(err, &v):
		return &model.Fault{Code: "unavailable", Message: "a part of the transcript could not be fetched"}
	case errors.As(err, &n) && n.Timeout():
		return &model.Fault{Code: "timeout", Message: "the model provider did not answer in time"}
	}
	message := "the model provider could not be reached"
	var cause syscall.Errno // names no address and no key
	if errors.As(err, &cause) {
		message += ": " + cause.Error()
	}
	return &model.Fault{Code: "unavailable", Message: message}
}

// complaint is what a provider says is wrong. Servers put it under "error", which
// may be a text, or give "detail" or "message" alone.
type complaint struct {
	Code    text `json:"code"`
	Type    text `json:"type"`
	Param   text `json:"param"`
	Message text `json:"message"`
	Detail  text `json:"detail"`
}

func readComplaint(body []byte) complaint {
	var outer struct {
		complaint
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return complaint{}
	}
	var inner complaint
	switch {
	case !given(outer.Error):
		return outer.complaint
	case json.Unmarshal(outer.Error, &inner) == nil:
		return inner
	}
	var message text
	_ = json.Unmarshal(outer.Error, &message)
	return complaint{Message: message}
}

// quota: paid for no more; waiting does not help.
var quota = []text{"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_credits"}

// overflow: the request is longer than the model reads.
var overflow = []text{"context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "request_too_large"}

// overflowWords are what servers say that have no code for it.
var overflowWords = regexp.MustCompile(`(?i)context (window|length|size)|maximum context|(prompt|input) is too long|input tokens exceeded|too many input tokens`)

// names give a status to what has none because it came inside an answer.
var names = map[text]int{
	"rate_limit_exceeded": 429, "rate_limit_error": 429, "too_many_requests": 429, "ThrottlingException": 429,
	"overloaded": 503, "overloaded_error": 503, "server_is_overloaded": 503, "slow_down": 503, "service_unavailable": 503,
	"timeout": 504, "request_timeout": 504,
	"invalid_request_error": 400, "invalid_prompt": 400, "invalid_api_key": 401, "authentication_error": 401, "permission_error": 403,
	"not_found_error": 404, "model_not_found": 404, "content_policy_violation": 400, "cyber_policy_violation": 400, "bio_policy_violation": 400,
}

// status of a complaint inside an answer; 0 if it cannot be told.
func (c complaint) status() int {
	var n int
	if _, err := fmt.Sscanf(string(c.Code), "%3d", &n); err == nil && n >= 400 && n < 600 {
		return n
	}
	if s := names[c.Code]; s != 0 {
		return s
	}
	return names[c.Type]
}

// fault says whether asking again may help.
func (c complaint) fault(status int, said string) *model.Fault {
	f := &model.Fault{Code: "unavailable", Message: said}
	long := overflowWords.MatchString(string(c.Message + " " + c.Detail))
	switch {
	case slices.Contains(quota, c.Code) || slices.Contains(quota, c.Type):
		f.Code, f.Permanent = "model_error", true
	case slices.Contains(overflow, c.Code) || slices.Contains(overflow, c.Type) || status == http.StatusRequestEntityTooLarge,
		long && status != http.StatusTooManyRequests && status < 500,
		// More than a minute's tokens at once: it will be so in the next minute too.
		status == http.StatusTooManyRequests && strings.HasPrefix(string(c.Message), "Request too large"):
		f.Code, f.Permanent = "context_overflow", true
		f.Message = "the transcript is too long for the model: " + said
	case status == http.StatusTooManyRequests:
		f.Code = "rate_limited"
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		f.Code = "timeout"
	case status == http.StatusServiceUnavailable || status == 529:
		f.Code = "overloaded"
	case status == 0 || status == http.StatusConflict || status == http.StatusTooEarly || status >= 500:
	default:
		f.Code, f.Permanent = "model_error", true
	}
	return f
}

// said is the public sentence: the status and the provider's codes, where they
// look like codes.
func (c complaint) said(status int, key string) string {
	s := "the model provider broke its answer off with an error"
	if status != 0 {
		s = fmt.Sprintf("the model provider answered with HTTP status %d", status)
	}
	var codes []string
	for _, t := range []text{c.Code, c.Type} {
		if l := label(t, key); l != "" && l != "error" && !slices.Contains(codes, l) {
			codes = append(codes, l)
		}
	}
	if l := label(c.Param, key); l != "" {
		codes = append(codes, "parameter "+l)
	}
	if codes == nil {
		return s
	}
	return s + " (" + strings.Join(codes, ", ") + ")"
}

var codeLike = regexp.MustCompile(`^[A-Za-z0-9_.:/\[\]-]{1,64}$`)

// label is t if it looks like a code and holds nothing of the key.
func label(t text, key string) string {
	s := string(t)
	if !codeLike.MatchString(s) || key != "" && (strings.Contains(s, key) || len(s) >= 8 && strings.Contains(key, s)) {
		return ""
	}
	return s
}
