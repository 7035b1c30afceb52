package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/trace"
)

// MaxBody bounds a request's body, in bytes.
const MaxBody = 1 << 20

func (a *API) submit(ctx context.Context, w http.ResponseWriter, r *http.Request, who auth.Caller) error {
	sub, err := submission(r)
	if err != nil {
		return err
	}
	sub.Trace = caller(r)
	receipt, err := a.Turns.Submit(ctx, stream(r, who), sub)
	if err != nil {
		return triedAs{err, receipt.OperationID}
	}
	writeReceipt(w, receipt)
	return nil
}

// caller is the place in a trace that a request comes from. A header that is not valid, or
// is there twice, is none, as W3C Trace Context wants it: nothing fails because of a trace.
func caller(r *http.Request) trace.Context {
	if all := r.Header.Values("Traceparent"); len(all) == 1 {
		c, _ := trace.Parse(all[0])
		return c
	}
	return trace.Context{}
}

func writeReceipt(w http.ResponseWriter, r session.Receipt) {
	status := http.StatusAccepted
	if !r.Accepted {
		status = http.StatusOK
	}
	w.Header().Set("Location", "/v1/sessions/"+r.SessionID+"/operations/"+r.OperationID)
	writeJSON(w, status, r)
}

// submission reads the body, and the Idempotency-Key header as another name for
// operationId.
func submission(r *http.Request) (session.Submission, error) {
	var prompt, upload, operationID, agent, ifBusy *string
	var input []json.RawMessage
	if err := readJSON(r, map[string]any{"prompt": &prompt, "promptUpload": &upload, "input": &input, "operationId": &operationID, "agent": &agent, "ifBusy": &ifBusy}); err != nil {
		return session.Submission{}, err
	}
	var s session.Submission
	switch {
	case prompt == nil && upload == nil:
		return s, fault.New(fault.EmptyPrompt, `the body has no "prompt"; say what the agent should do`)
	case prompt != nil && upload != nil:
		return s, fault.New(fault.InvalidRequest, "send either a prompt or a promptUpload")
	case prompt != nil:
		s.Prompt = *prompt
	case *upload == "":
		return s, fault.New(fault.InvalidRequest, "promptUpload is empty")
	default:
		s.PromptUpload = *upload
	}
	if operationID != nil {
		if s.OperationID = *operationID; s.OperationID == "" {
			return s, fault.New(fault.InvalidRequest, "operationId is empty; leave it out and one is made")
		}
	}
	if agent != nil {
		if s.Agent = *agent; s.Agent == "" {
			return s, fault.New(fault.InvalidRequest, "agent is empty; leave it out for the session's own")
		}
	}
	if ifBusy != nil {
		if s.IfBusy = *ifBusy; s.IfBusy == "" {
			return s, fault.New(fault.InvalidRequest, "ifBusy is empty; leave it out for the agent's own")
		}
	}
	var err error
	if s.Input, err = inputParts(input); err != nil {
		return s, err
	}
	s.OperationID, err = idempotencyKey(r, "operationId", s.OperationID)
	return s, err
}

// idempotencyKey reads the header that is another name for an id.
func idempotencyKey(r *http.Request, name, id string) (string, error) {
	key, ok := r.Header["Idempotency-Key"]
	switch {
	case !ok:
		return id, nil
	case len(key) != 1 || key[0] == "":
		return "", fault.New(fault.InvalidRequest, "send one Idempotency-Key, and not an empty one")
	case id != "" && id != key[0]:
		return "", fault.New(fault.InvalidRequest, "%s and Idempotency-Key differ; they are two names for the same thing, send one", name)
	}
	return key[0], nil
}

// readJSON reads one JSON object, strictly.
func readJSON(r *http.Request, members map[string]any) error {
	b, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	switch {
	case err != nil:
		return fault.New(fault.InvalidRequest, "the body could not be read to its end")
	case len(b) > MaxBody:
		return fault.New(fault.TooLarge, "the body has more than %d bytes; POST to the session's uploads and submit the promptUpload", MaxBody)
	case !utf8.Valid(b):
		return fault.New(fault.InvalidRequest, "the body is not valid UTF-8")
	case halfSurrogate(b):
		return fault.New(fault.InvalidRequest, "the body has half of a surrogate pair, which stands for no character")
	case !bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")):
		return fault.New(fault.InvalidRequest, `the body is not a JSON object; /openapi.json says what this route takes`)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if err := readMembers(d, members); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.InvalidRequest, "something follows the JSON object in the body")
	}
	return nil
}

// readMembers reads each member where it belongs, at most once. Decoding into a
// struct would take a name in any case, and the last of two.
func readMembers(d *json.Decoder, members map[string]any) error {
	_, err := d.Token() // {
	for err == nil && d.More() {
		token, _ := d.Token()
		name, isName := token.(string)
		into, ok := members[name]
		switch {
		case !isName:
			return fault.New(fault.InvalidRequest, "the body is not JSON: a member has no name")
		case !ok:
			return fault.New(fault.InvalidRequest, "the body has a member %.60q that is not known", name)
		case into == nil:
			return fault.New(fault.InvalidRequest, "the body has %q twice", name)
		}
		members[name], err = nil, d.Decode(into)
	}
	if err == nil {
		_, err = d.Token() // }
	}
	if err != nil {
		return fault.New(fault.InvalidRequest, "the body does not fit: %v", err)
	}
	return nil
}
