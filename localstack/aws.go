package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"windlass/localstack/awsjson"
	"windlass/localstack/sigv4"
)

const (
	region  = "us-east-1"
	account = "000000000000"
)

// A target is one JSON API of the AWS subset: the prefix of X-Amz-Target, the service
// that requests are signed for, and who answers.
type target struct {
	prefix, service string
	handler         http.Handler
}

// apis are all that the subset answers. Files have no X-Amz-Target.
type apis struct {
	files   http.Handler
	targets []target
}

// awsHandler verifies a request's signature and hands it to its API: to files if
// it is signed for S3, and else to its target.
func awsHandler(c credentials, m metered, heard *calls, a apis) http.Handler {
	return sigv4.Verify(c.lookup, time.Now, m.requests(heard.handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		service := sigv4.Service(r)
		if service == "s3" {
			a.files.ServeHTTP(w, r)
			return
		}
		t, ok := a.target(r)
		switch {
		case !ok:
			refuseUnknown(w)
		case service != t.service:
			refuse(w, http.StatusForbidden, "InvalidSignatureException", "Credential should be scoped to correct service: '"+t.service+"'.")
		default:
			t.handler.ServeHTTP(w, r)
		}
	}))))
}

// ServeHTTP is for requests of this process itself, which [unsigned] leaves so.
func (a apis) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, ok := a.target(r)
	switch {
	case ok:
		t.handler.ServeHTTP(w, r)
	case meant(r) == s3.ServiceID:
		a.files.ServeHTTP(w, r)
	default:
		refuseUnknown(w)
	}
}

func (a apis) target(r *http.Request) (target, bool) {
	prefix, _, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	for _, t := range a.targets {
		if t.prefix == prefix {
			return t, true
		}
	}
	return target{}, false
}

func refuseUnknown(w http.ResponseWriter) {
	refuse(w, http.StatusBadRequest, "UnknownOperationException", "The embedded stack has no such API.")
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	body, _ := json.Marshal(map[string]string{"__type": code, "message": message})
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone needs no answer
}

// awsConfig reaches h, which answers at the endpoint, without a socket.
func awsConfig(h http.Handler, c credentials, endpoint string) aws.Config {
	return aws.Config{
		Region:       region,
		BaseEndpoint: &endpoint,
		HTTPClient:   reach{map[string]http.RoundTripper{strings.TrimPrefix(endpoint, "http://"): awsjson.Transport(h)}, elsewhere()},
		Credentials:  c.provider(),
	}
}

func (c credentials) provider() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: c.accessKey, SecretAccessKey: c.secret, Source: "windlass"}, nil
	})
}

// reach is the SDK's client: what is for a host of this process goes straight to who
// answers there, the rest over the network. Neither has redirects or cookies.
type reach struct {
	within  map[string]http.RoundTripper
	network http.RoundTripper
}

func (c reach) Do(r *http.Request) (*http.Response, error) {
	if here := c.within[r.URL.Host]; here != nil {
		return here.RoundTrip(r)
	}
	return c.network.RoundTrip(r)
}

// parallelPosts is how many connections to one host are kept: publish posts to many
// sockets at once, and all of them are behind one host.
const parallelPosts = 256

// elsewhere takes no proxy of the environment: what a function sends is for this
// machine. It gives up a connection before the other side does, which is after
// two minutes.
func elsewhere() http.RoundTripper {
	return awsjson.PlainBodies(&http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConns:        parallelPosts,
		MaxIdleConnsPerHost: parallelPosts,
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true,
	})
}
