package sigv4

import (
	"encoding/json"
	"encoding/xml"
	"hash/crc32"
	"net/http"
	"strconv"
	"strings"
)

// failure is a refusal, with the code each family of services has for it.
type failure struct {
	json, s3 string // error codes
	status   int    // for S3; JSON services answer 400
	message  string
}

var (
	missing = &failure{"MissingAuthenticationTokenException", "AccessDenied", 403,
		"Missing Authentication Token"}
	unknownKey = &failure{"UnrecognizedClientException", "InvalidAccessKeyId", 403,
		"The security token included in the request is invalid."}
	wrongSignature = &failure{"InvalidSignatureException", "SignatureDoesNotMatch", 403,
		"The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details."}
	skewed = &failure{"InvalidSignatureException", "RequestTimeTooSkewed", 403,
		"Signature expired or not yet current: the difference between the request time and the current time is too large."}
	expired = &failure{"InvalidSignatureException", "AccessDenied", 403,
		"Request has expired"}
	mismatch = &failure{"InvalidSignatureException", "XAmzContentSHA256Mismatch", 400,
		"The provided 'x-amz-content-sha256' header does not match what was computed."}
	missingHash = &failure{"InvalidSignatureException", "InvalidRequest", 400,
		"Missing required header for this request: x-amz-content-sha256"}
	tooLarge = &failure{"RequestEntityTooLargeException", "EntityTooLarge", 413,
		"the request body is larger than 16 MiB"}
)

func incomplete(message string) *failure {
	return &failure{"IncompleteSignatureException", "AuthorizationHeaderMalformed", 400, message}
}

func invalid(message string) *failure {
	return &failure{"InvalidSignatureException", "AccessDenied", 403, message}
}

func unmodelled(message string) *failure {
	return &failure{"InvalidSignatureException", "NotImplemented", 501, message}
}

// write answers in the language of the service. A request without a scope is
// judged by its shape: the JSON protocols always send a target.
func (f *failure) write(w http.ResponseWriter, r *http.Request, service string) {
	target := r.Header.Get("X-Amz-Target")
	if service == "s3" || service == "" && target == "" {
		f.writeXML(w)
		return
	}
	status := http.StatusBadRequest
	if target == "" || f.status == http.StatusRequestEntityTooLarge {
		status = f.status // REST services (execute-api, lambda) use the real status
	}
	body, _ := json.Marshal(map[string]string{"__type": "com.amazon.coral.service#" + f.json, "message": f.message})
	contentType := "application/json"
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-amz-json-") {
		contentType = r.Header.Get("Content-Type")
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Amzn-ErrorType", f.json)
	h.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (f *failure) writeXML(w http.ResponseWriter) {
	type document struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}
	body, _ := xml.Marshal(document{Code: f.s3, Message: f.message})
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(f.status)
	_, _ = w.Write(append([]byte(xml.Header), body...))
}
