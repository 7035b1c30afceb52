package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"windlass/functions/internal/model"
)

// Complaint is what a provider says is wrong. Servers put it under "error", which
// may be a text, or give "detail" or "message" alone.
type Complaint struct {
	Code    Text `json:"code"`
	Type    Text `json:"type"`
	Param   Text `json:"param"`
	Message Text `json:"message"`
	Detail  Text `json:"detail"`
}

// ReadComplaint reads the body of an error; what cannot be read is no complaint. Of
// a list of them the first counts.
func ReadComplaint(body []byte) Complaint {
	var all []json.RawMessage
	if json.Unmarshal(body, &all) == nil && len(all) > 0 {
		body = all[0]
	}
	var outer struct {
		Complaint
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return Complaint{}
	}
	var inner Complaint
	switch {
	case !Given(outer.Error):
		return outer.Complaint
	case json.Unmarshal(outer.Error, &inner) == nil:
		return inner
	}
	var message Text
	_ = json.Unmarshal(outer.Error, &message)
	return Complaint{Message: message}
}

// denied: this model cannot be asked with these credentials. Waiting does not help;
// another model may.
var denied = []Text{"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_credits", "billing_error", "model_not_found", "invalid_api_key",
	"AccessDeniedException", "UnrecognizedClientException", "ExpiredTokenException", "InvalidSignatureException", "ResourceNotFoundException"}

// policy: the provider does not want to read, or to say, this.
var policy = []Text{"content_policy_violation", "content_filter", "cyber_policy_violation", "bio_policy_violation", "moderation_blocked"}

// deniedWords and policyWords are what servers say that have no code for it.
var (
	deniedWords = regexp.MustCompile(`(?i)credit balance is too low`)
	policyWords = regexp.MustCompile(`(?i)content (filtering|management) policy`)
)

// overflow: the request is longer than the model reads.
var overflow = []Text{"context_length_exceeded", "exceed_context_size_error", "string_above_max_length", "request_too_large"}

// overflowWords are what servers say that have no code for it.
var overflowWords = regexp.MustCompile(`(?i)context (window|length|size|limit)|maximum context|(prompt|input) is too long|input tokens exceeded|too many input tokens|input token count[^.]{0,40}exceeds`)

// unlucky: the model wrote a call that its server could not read. Asked again it
// writes another.
var unlucky = []Text{"tool_use_failed"}

// refusedNative: the provider cannot read opaque material that is said to be its own,
// because another account, region or version of it made that. To ask a model for
// what it does not have (parameter include) is another thing.
var refusedNative = []Text{"invalid_encrypted_content", "encrypted_content_invalid"}

var refusedNativeWords = regexp.MustCompile(`(?i)encrypted.?content|thought.?signature|signature[^.]{0,80}(invalid|verif|expired)|invalid[^.]{0,20}signature|(thinking|reasoning)[^.]{0,40}block[^.]{0,80}(invalid|verif|modified|match)`)

// names give a status to what has none because it came inside an answer.
var names = map[Text]int{
	"rate_limit_exceeded": 429, "rate_limit_error": 429, "too_many_requests": 429, "ThrottlingException": 429, "throttlingException": 429,
	"overloaded": 503, "overloaded_error": 503, "server_is_overloaded": 503, "slow_down": 503, "service_unavailable": 503,
	"ServiceUnavailableException": 503, "serviceUnavailableException": 503, "ModelNotReadyException": 503,
	"timeout": 504, "request_timeout": 504, "timeout_error": 504, "ModelTimeoutException": 504, "modelTimeoutException": 504,
	"api_error": 500, "InternalServerException": 500, "internalServerException": 500, "ModelErrorException": 500, "ModelStreamErrorException": 500, "modelStreamErrorException": 500,
	"invalid_request_error": 400, "invalid_prompt": 400, "ValidationException": 400, "validationException": 400, "content_policy_violation": 400, "cyber_policy_violation": 400, "bio_policy_violation": 400,
	"invalid_api_key": 401, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "AccessDeniedException": 403, "not_found_error": 404, "model_not_found": 404,
}

// Status is an HTTP status for a complaint inside an answer; 0 if it cannot be told.
func (c Complaint) Status() int {
	var n int
	if _, err := fmt.Sscanf(string(c.Code), "%3d", &n); err == nil && n >= 400 && n < 600 {
		return n
	}
	if s := names[c.Code]; s != 0 {
		return s
	}
	return names[c.Type]
}

func (c Complaint) among(codes []Text) bool {
	return slices.Contains(codes, c.Code) || slices.Contains(codes, c.Type)
}

// Fault says whether asking again may help. Status is HTTP's, or [Complaint.Status].
func (c Complaint) Fault(status int, said string) *model.Fault {
	code, permanent := c.code(status)
	switch code {
	case model.Overflow:
		said = "the transcript is too long for the model: " + said
	case model.Denied:
		said += "; check the model's name, the provider's key and base URL, and what the account may use"
	case model.Policy:
		said = "the provider's content policy refuses this: " + said
	}
	words := c.words()
	if status >= 400 {
		for _, h := range hints {
			if h.words.MatchString(words) {
				said += "; " + h.means
				break
			}
		}
	}
	return &model.Fault{Code: code, Permanent: permanent, Message: said, Files: status >= 400 && filesWords.MatchString(words)}
}

// words is what is said in the provider's own words. They may quote the prompt or a key,
// and are shown to nobody.
func (c Complaint) words() string { return string(c.Message + " " + c.Detail) }

// hints say in ours what the words are about, where users have met it.
var hints = []struct {
	words *regexp.Regexp
	means string
}{
	{regexp.MustCompile(`(?i)\btools?\b[^.]{0,80}\bsupport|support[^.]{0,80}\btools?\b`), "it seems that this model takes no tools: choose one that does, or an agent without tools"},
	{regexp.MustCompile(`(?i)out of memory|insufficient memory|more system memory`), "it seems to have too little memory for this model"},
	{filesWords, "it may be about a file or picture that this model does not take"},
}

// filesWords are what servers say that were shown a file which their model cannot read;
// some call that their own fault.
var filesWords = regexp.MustCompile(`(?i)\b(image|picture|vision|multi-?modal|mmproj|pdf|document|file|media)s?\b|image_url`)

func (c Complaint) code(status int) (code string, permanent bool) {
	words := c.words()
	wrong := status >= 400 && status < 500 && status != http.StatusTooManyRequests || status == 0
	// AWS gives 424 for what failed on its side.
	if t := string(c.Type); strings.HasPrefix(strings.ToLower(t), "model") && strings.HasSuffix(t, "Exception") {
		status, wrong = names[c.Type], false
	}
	switch {
	case c.among(denied) || wrong && deniedWords.MatchString(words):
		return model.Denied, true
	case c.among(policy) || wrong && policyWords.MatchString(words):
		return model.Policy, true
	case c.among(unlucky):
		return model.Unavailable, false
	case c.among(overflow) || status == http.StatusRequestEntityTooLarge || wrong && overflowWords.MatchString(words),
		// More than a minute's tokens at once: it will be so in the next minute too.
		status == http.StatusTooManyRequests && strings.HasPrefix(string(c.Message), "Request too large"):
		return model.Overflow, true
	case c.among(refusedNative) || status == http.StatusBadRequest && c.Param != "include" && refusedNativeWords.MatchString(words):
		return model.NativeRefused, true
	}
	return byStatus(status)
}

func byStatus(status int) (code string, permanent bool) {
	switch status {
	case http.StatusTooManyRequests:
		return model.RateLimited, false
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return model.Timeout, false
	case http.StatusServiceUnavailable, 529:
		return model.Overloaded, false
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound:
		return model.Denied, true
	case 0, http.StatusConflict, http.StatusTooEarly:
		return model.Unavailable, false
	}
	if status >= 500 {
		return model.Unavailable, false
	}
	return model.Invalid, true
}

// awsType is what AWS calls an error, without what it appends to the name.
func awsType(header string) Text {
	name, _, _ := strings.Cut(header, ":")
	return Text(name)
}

// Said is the public sentence: the status and the provider's codes, where they
// look like codes.
func (c Complaint) Said(status int, secret string) string {
	s := "the model provider broke its answer off with an error"
	if status != 0 {
		s = fmt.Sprintf("the model provider answered with HTTP status %d", status)
	}
	var codes []string
	for _, t := range []Text{c.Code, c.Type} {
		if l := label(t, secret); l != "" && l != "error" && !slices.Contains(codes, l) {
			codes = append(codes, l)
		}
	}
	if l := label(c.Param, secret); l != "" {
		codes = append(codes, "parameter "+l)
	}
	if codes == nil {
		return s
	}
	return s + " (" + strings.Join(codes, ", ") + ")"
}

var codeLike = regexp.MustCompile(`^[A-Za-z0-9_.:/\[\]-]{1,64}$`)

// label is t if it looks like a code and holds nothing of the key.
func label(t Text, key string) string {
	s := string(t)
	if !codeLike.MatchString(s) || key != "" && (strings.Contains(s, key) || len(s) >= 8 && strings.Contains(key, s)) {
		return ""
	}
	return s
}
