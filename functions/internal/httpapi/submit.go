package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// MaxBody bounds a request's body, in bytes.
const MaxBody = 1 << 20

type submitBody struct {
	Prompt      *string `json:"prompt"`
	OperationID *string `json:"operationId"`
	Agent       *string `json:"agent"`
}

func (a *API) submit(ctx context.Context, w http.ResponseWriter, r *http.Request, tenant string) error {
	sub, err := submission(r)
	if err != nil {
		return err
	}
	receipt, err := a.Sessions.Submit(ctx, stream(r, tenant), sub)
	if err != nil {
		return err
	}
	status := http.StatusAccepted
	if !receipt.Accepted {
		status = http.StatusOK
	}
	w.Header().Set("Location", "/v1/sessions/"+receipt.SessionID+"/operations/"+receipt.OperationID)
	writeJSON(w, status, receipt)
	return nil
}

// submission reads the body, and the Idempotency-Key header as another name for
// operationId.
func submission(r *http.Request) (session.Submission, error) {
	var body submitBody
	if err := readJSON(r, &body); err != nil {
		return session.Submission{}, err
	}
	var s session.Submission
	if body.Prompt == nil {
		return s, fault.New(fault.EmptyPrompt, `the body has no "prompt"; say what the agent should do`)
	}
	s.Prompt = *body.Prompt
	if body.OperationID != nil {
		if s.OperationID = *body.OperationID; s.OperationID == "" {
			return s, fault.New(fault.InvalidRequest, "operationId is empty; leave it out and one is made")
		}
	}
	if body.Agent != nil {
		if s.Agent = *body.Agent; s.Agent == "" {
			return s, fault.New(fault.InvalidRequest, "agent is empty; leave it out for the session's own")
		}
	}
	if key, ok := r.Header["Idempotency-Key"]; ok {
		switch {
		case len(key) != 1 || key[0] == "":
			return s, fault.New(fault.InvalidRequest, "send one Idempotency-Key, and not an empty one")
		case s.OperationID != "" && s.OperationID != key[0]:
			return s, fault.New(fault.InvalidRequest, "operationId and Idempotency-Key differ; they are two names for the same thing, send one")
		}
		s.OperationID = key[0]
	}
	return s, nil
}

// readJSON reads one JSON object, strictly.
func readJSON(r *http.Request, into any) error {
	b, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	switch {
	case err != nil:
		return fault.New(fault.InvalidRequest, "the body could not be read to its end")
	case len(b) > MaxBody:
		return fault.New(fault.TooLarge, "the body has more than %d bytes", MaxBody)
	case !utf8.Valid(b):
		return fault.New(fault.InvalidRequest, "the body is not valid UTF-8")
	case !bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")):
		return fault.New(fault.InvalidRequest, `the body is not a JSON object; send {"prompt": "…"}`)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fault.New(fault.InvalidRequest, "the body does not fit: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.InvalidRequest, "something follows the JSON object in the body")
	}
	return nil
}
