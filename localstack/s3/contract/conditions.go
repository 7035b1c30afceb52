package contract

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

func oneWinner(s *subject) {
	bucket := s.bucket()
	for round := range 10 {
		key := "race/" + strconv.Itoa(round)
		var mu sync.Mutex
		var winners []string
		s.together(32, func(writer int) error {
			body := strings.Repeat("writer "+strconv.Itoa(writer)+" ", 1000)
			_, err := s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: &key, Body: strings.NewReader(body), IfNoneMatch: aws.String("*")})
			mu.Lock()
			defer mu.Unlock()
			switch code(err) {
			case "PreconditionFailed", "ConditionalRequestConflict":
				return nil
			}
			winners = append(winners, body)
			return err
		})
		if len(winners) != 1 {
			s.Fatalf("round %d: %d winners", round, len(winners))
		}
		s.holds(key, winners[0])
	}
}

// together runs fn n times at once.
func (s *subject) together(n int, fn func(i int) error) {
	s.Helper()
	errs := make(chan error, n)
	start := make(chan struct{})
	for i := range n {
		go func() {
			<-start
			errs <- fn(i)
		}()
	}
	close(start)
	for range n {
		if err := <-errs; err != nil {
			s.Error(err)
		}
	}
	if s.Failed() {
		s.FailNow()
	}
}

func putIfMatch(s *subject) {
	bucket, key := s.bucket(), aws.String("k")
	put := func(body string, match *string) error {
		_, err := s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader(body), IfMatch: match})
		return err
	}
	s.refused(put("first", aws.String(helloTag)), 404, "NoSuchKey")
	s.lacks("k")
	s.put("k", "hello")
	s.refused(put("second", aws.String(`"00000000000000000000000000000000"`)), 412, "PreconditionFailed")
	s.holds("k", "hello")
	s.ok(put("second", aws.String(helloTag)))
	s.holds("k", "second")
	large := strings.Repeat("x", 3<<20)
	s.refused(put(large, aws.String(helloTag)), 412, "PreconditionFailed")
	_, err := s.client.PutObject(s.ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: strings.NewReader(large), IfNoneMatch: aws.String("*")})
	s.refused(err, 412, "PreconditionFailed")
	s.holds("k", "second")
}

func conditionalReads(s *subject) {
	bucket, key := s.bucket(), aws.String("k")
	s.put("k", "hello")
	other, tag := aws.String(`"00000000000000000000000000000000"`), aws.String(helloTag)
	past, future := aws.Time(time.Now().Add(-time.Hour)), aws.Time(time.Now().Add(time.Hour))
	for _, c := range []struct {
		name                           string
		match, none                    *string
		unmodifiedSince, modifiedSince *time.Time
		status                         int
	}{
		{"match", tag, nil, nil, nil, 200},
		{"no match", other, nil, nil, nil, 412},
		{"none match", nil, tag, nil, nil, 304},
		{"none match with another", nil, other, nil, nil, 200},
		{"unmodified since the past", nil, nil, past, nil, 412},
		{"unmodified since the future", nil, nil, future, nil, 200},
		{"modified since the past", nil, nil, nil, past, 200},
		{"match outranks the date", tag, nil, past, nil, 200},
		{"none match outranks the date", nil, tag, nil, past, 304},
	} {
		out, err := s.client.GetObject(s.ctx, &s3.GetObjectInput{Bucket: bucket, Key: key, IfMatch: c.match, IfNoneMatch: c.none, IfUnmodifiedSince: c.unmodifiedSince, IfModifiedSince: c.modifiedSince})
		if err == nil {
			out.Body.Close()
		}
		_, headErr := s.client.HeadObject(s.ctx, &s3.HeadObjectInput{Bucket: bucket, Key: key, IfMatch: c.match, IfNoneMatch: c.none, IfUnmodifiedSince: c.unmodifiedSince, IfModifiedSince: c.modifiedSince})
		switch c.status {
		case 200:
			if err != nil || headErr != nil {
				s.Errorf("%s: get %v, head %v", c.name, err, headErr)
			}
		case 304:
			s.refused(err, 304, "NotModified")
			s.refused(headErr, 304, "NotModified")
		case 412:
			s.refused(err, 412, "PreconditionFailed")
			s.refused(headErr, 412, "PreconditionFailed")
		}
	}
}
