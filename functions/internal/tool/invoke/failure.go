package invoke

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

// failure is what a call comes to that Lambda did not answer with a function's
// outcome.
func (c call) failure(sent *outside.Sent, err error) error {
	var api smithy.APIError
	code := ""
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	switch status := status(err); {
	case throttled[code] || status == http.StatusTooManyRequests:
		return outside.Failf("throttled", "the function was not run, because too many are running; try again later")
	case notRun[code] || status >= 400 && status < 500:
		return outside.Failf("not_run", "the function was not run (%s); a person has to look at the function and its permissions", label(code))
	case status < 500:
		return outside.Lost(c.effect, sent, err)
	case c.effect == tool.Once:
		return fmt.Errorf("%w (HTTP status %d)", tool.ErrUnknown, status)
	}
	return outside.Failf("unavailable", "Lambda did not run the function to its end (%s); try again later", label(code))
}

func status(err error) int {
	var r *awshttp.ResponseError
	if errors.As(err, &r) {
		return r.HTTPStatusCode()
	}
	return 0
}

// throttled: the function was not begun, and may be later.
var throttled = map[string]bool{"TooManyRequestsException": true, "EC2ThrottledException": true, "ThrottlingException": true}

// notRun are Lambda's own errors with a status of over 500 that come before the
// function: its environment could not be made.
var notRun = map[string]bool{
	"EC2AccessDeniedException": true, "EC2UnexpectedException": true, "ENILimitReachedException": true, "InvalidRuntimeException": true,
	"InvalidSecurityGroupIDException": true, "InvalidSubnetIDException": true, "InvalidZipFileException": true,
	"KMSAccessDeniedException": true, "KMSDisabledException": true, "KMSInvalidStateException": true, "KMSNotFoundException": true,
	"SubnetIPAddressLimitReachedException": true,
}

const maxMessage = 1 << 10

// thrown is what a function threw. Its type and its message are the function's own
// words; where in its code it happened is left out.
func thrown(payload []byte) error {
	var e struct {
		Type    string `json:"errorType"`
		Message string `json:"errorMessage"`
	}
	_ = json.Unmarshal(payload, &e) // a function may throw anything
	said := strings.ToValidUTF8(e.Message[:min(len(e.Message), maxMessage)], "")
	return outside.Failf("function_failed", "the function failed (%s); what it did until then is not undone. It said: %s", label(e.Type), said)
}

var labelLike = regexp.MustCompile(`^[A-Za-z0-9_.:$-]{1,128}$`)

// label is s if it looks like the name of an error.
func label(s string) string {
	if labelLike.MatchString(s) {
		return s
	}
	return "an error without a name"
}
