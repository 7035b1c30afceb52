package s3

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"windlass/localstack/sigv4"
)

// Error is an answer with one of S3's error codes.
type Error struct {
	Code, Message string
	Status        int
	details       [][2]string // further elements of the XML
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// with returns the error with one more element in its XML.
func (e *Error) with(name, value string) *Error {
	e.details = append(e.details, [2]string{name, value})
	return e
}

// answers holds status and wording of every code we use.
var answers = map[string]struct {
	status  int
	message string
}{
	"AccessDenied":              {403, "Access Denied"},
	"AccessForbidden":           {403, "CORSResponse: This CORS request is not allowed. This is usually because the evaluation of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec."},
	"BadDigest":                 {400, "The Content-MD5 or checksum value that you specified did not match what the server received."},
	"BadRequest":                {400, "Bad Request"},
	"BucketNotEmpty":            {409, "The bucket you tried to delete is not empty"},
	"BucketAlreadyOwnedByYou":   {409, "Your previous request to create the named bucket succeeded and you already own it."},
	"EntityTooLarge":            {400, "Your proposed upload exceeds the maximum allowed size"},
	"IncompleteBody":            {400, "The request body terminated unexpectedly"},
	"InternalError":             {500, "We encountered an internal error. Please try again."},
	"InvalidArgument":           {400, "Invalid Argument"},
	"InvalidBucketName":         {400, "The specified bucket is not valid."},
	"InvalidDigest":             {400, "The Content-MD5 you specified is not valid."},
	"InvalidLocationConstraint": {400, "The specified location-constraint is not valid"},
	"InvalidRange":              {416, "The requested range is not satisfiable"},
	"InvalidRequest":            {400, "Invalid Request"},
	"InvalidToken":              {400, "The provided token is malformed or otherwise invalid."},
	"InvalidURI":                {400, "Couldn't parse the specified URI."},
	"KeyTooLongError":           {400, "Your key is too long"},
	"MalformedXML":              {400, "The XML you provided was not well-formed or did not validate against our published schema"},
	"MetadataTooLarge":          {400, "Your metadata headers exceed the maximum allowed metadata size"},
	"MethodNotAllowed":          {405, "The specified method is not allowed against this resource."},
	"MissingContentLength":      {411, "You must provide the Content-Length HTTP header."},
	"NoSuchBucket":              {404, "The specified bucket does not exist"},
	"NoSuchKey":                 {404, "The specified key does not exist."},
	"NotImplemented":            {501, "A header or query you provided implies functionality that is not implemented"},
	"PreconditionFailed":        {412, "At least one of the pre-conditions you specified did not hold"},
	"RequestTimeout":            {400, "Your socket connection to the server was not read from or written to within the timeout period."},
	"SlowDown":                  {503, "Please reduce your request rate."},
	"TooManyBuckets":            {400, "You have attempted to create more buckets than allowed"},
	"XAmzContentSHA256Mismatch": {400, "The provided 'x-amz-content-sha256' header does not match what was computed."},
}

// fault makes the error of a code, with the code's own wording.
func fault(code string) *Error {
	a := answers[code]
	return &Error{Code: code, Message: a.message, Status: a.status}
}

// faultf makes the error of a code, with other words.
func faultf(code, message string) *Error {
	e := fault(code)
	e.Message = message
	return e
}

func noBucket(name string) *Error { return fault("NoSuchBucket").with("BucketName", name) }
func noKey(key string) *Error     { return fault("NoSuchKey").with("Key", key) }

func invalid(argument, value, message string) *Error {
	return faultf("InvalidArgument", message).with("ArgumentName", argument).with("ArgumentValue", value)
}

func unmodelled(what string) *Error {
	return faultf("NotImplemented", answers["NotImplemented"].message+": "+what)
}

// refuse answers with the error, in XML unless the method forbids a body.
func (c *call) refuse(err error) {
	var e *Error
	switch {
	case errors.As(err, &e):
	case errors.Is(err, sigv4.ErrPayload):
		e = fault("XAmzContentSHA256Mismatch")
	default:
		e = faultf("InternalError", err.Error())
	}
	h := c.w.Header()
	if c.r.Method == http.MethodHead {
		c.w.WriteHeader(e.Status)
		return
	}
	var doc document
	doc.begin("Error", "")
	doc.text("Code", e.Code)
	doc.text("Message", strings.ToValidUTF8(e.Message, "\uFFFD"))
	for _, d := range e.details {
		doc.text(d[0], strings.ToValidUTF8(d[1], "\uFFFD"))
	}
	doc.text("Resource", c.r.URL.EscapedPath())
	doc.text("RequestId", c.id)
	doc.end("Error")
	h.Set("Content-Type", "application/xml")
	h.Set("Content-Length", strconv.Itoa(doc.Len()))
	c.w.WriteHeader(e.Status)
	_, _ = c.w.Write(doc.Bytes()) // a client that is gone needs no answer
}
