package sigv4

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const algorithm = "AWS4-HMAC-SHA256"

// maxExpiry is the longest life of a presigned URL: seven days.
const maxExpiry = 7 * 24 * time.Hour

// scope is the credential of a signature: key/date/region/service/aws4_request.
type scope struct {
	accessKey, date, region, service string
	text                             string // without the key
}

// signed is what a request says about its own signature.
type signed struct {
	scope     scope
	headers   []string // lower case, as listed
	list      string   // the list itself
	signature string
	date      time.Time
	dateText  string
	presigned bool
	expires   time.Duration
	query     url.Values
}

func parse(r *http.Request) (signed, *failure) {
	auth := r.Header.Get("Authorization")
	hasQuery := strings.Contains(r.URL.RawQuery, "X-Amz-Algorithm=") || strings.Contains(r.URL.RawQuery, "X-Amz-Signature=")
	switch {
	case auth != "" && hasQuery:
		return signed{}, invalid("Only one auth mechanism allowed: the Authorization header or the X-Amz-* query parameters")
	case auth != "":
		return parseHeader(r, auth)
	case hasQuery:
		return parseQuery(r)
	}
	return signed{}, missing
}

func parseHeader(r *http.Request, auth string) (signed, *failure) {
	var in signed
	rest, ok := strings.CutPrefix(auth, algorithm+" ")
	if !ok {
		return in, incomplete("Authorization header requires the algorithm " + algorithm)
	}
	var credential string
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "Credential":
			credential = value
		case "SignedHeaders":
			in.list = value
		case "Signature":
			in.signature = value
		default:
			return in, incomplete("Authorization header has an unknown part: " + name)
		}
	}
	in.dateText = r.Header.Get("X-Amz-Date")
	fail := in.fill(credential)
	if fail == nil && in.query == nil {
		in.query, fail = parseRawQuery(r)
	}
	return in, fail
}

func parseQuery(r *http.Request) (signed, *failure) {
	in := signed{presigned: true}
	query, fail := parseRawQuery(r)
	if fail != nil {
		return in, fail
	}
	for name, values := range query {
		if strings.HasPrefix(name, "X-Amz-") && len(values) > 1 {
			return in, incomplete("query parameter " + name + " is given twice")
		}
	}
	if query.Get("X-Amz-Algorithm") != algorithm {
		return in, incomplete("X-Amz-Algorithm must be " + algorithm)
	}
	seconds, err := strconv.Atoi(query.Get("X-Amz-Expires"))
	in.expires = time.Duration(seconds) * time.Second
	if err != nil || seconds < 1 || in.expires > maxExpiry {
		return in, incomplete("X-Amz-Expires must be between 1 and 604800 seconds")
	}
	in.list, in.signature = query.Get("X-Amz-SignedHeaders"), query.Get("X-Amz-Signature")
	in.dateText = query.Get("X-Amz-Date")
	delete(query, "X-Amz-Signature")
	in.query = query
	return in, in.fill(query.Get("X-Amz-Credential"))
}

func parseRawQuery(r *http.Request) (url.Values, *failure) {
	if r.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, incomplete("the query string is malformed")
	}
	return query, nil
}

// fill parses what both forms have in common.
func (in *signed) fill(credential string) *failure {
	if credential == "" || in.list == "" || in.signature == "" {
		return incomplete("Authorization requires Credential, SignedHeaders and Signature")
	}
	key, text, _ := strings.Cut(credential, "/")
	parts := strings.Split(text, "/")
	if key == "" || len(parts) != 4 || parts[3] != "aws4_request" {
		return incomplete("Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/aws4_request")
	}
	in.scope = scope{accessKey: key, date: parts[0], region: parts[1], service: parts[2], text: text}
	in.headers = strings.Split(in.list, ";")
	date, err := time.Parse(dateFormat, in.dateText)
	if err != nil {
		return incomplete("Authorization requires a date in X-Amz-Date, of the form " + dateFormat)
	}
	in.date = date
	return nil
}

// AccessKey is the key that a request is signed with, or "". It verifies nothing.
func AccessKey(r *http.Request) string {
	in, _ := parse(r)
	return in.scope.accessKey
}

// Service names the service a request is signed for ("dynamodb", "s3", ...), or
// "" if it is not signed. It verifies nothing: it is for routing behind [Verify].
func Service(r *http.Request) string {
	in, _ := parse(r)
	return in.scope.service
}
