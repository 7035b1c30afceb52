package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

// call calls a tool. It is sent a second time, in a new session, only if an old
// session was lost and the server cannot have begun the call.
func (s *server) call(ctx context.Context, name string, effect tool.Effect, arguments json.RawMessage) (tool.Result, error) {
	for {
		connectCtx, connecting := listen(ctx)
		session, fresh, err := s.open(connectCtx)
		if err != nil {
			return tool.Result{}, problem(connecting, err) // nothing was called yet
		}
		callCtx, h := listen(ctx)
		r, err := session.CallTool(callCtx, &sdk.CallToolParams{Name: name, Arguments: arguments})
		if err == nil {
			return result(h, r)
		}
		if ctx.Err() == nil && !h.answered(err) {
			s.drop(session)
			if !fresh && h.lost(session) {
				continue
			}
		}
		return tool.Result{}, failed(effect, h, err)
	}
}

// answered: the session is as good as it was, whatever came of the call.
func (h *heard) answered(err error) bool {
	var e *jsonrpc.Error
	status := h.status.Load()
	return errors.As(err, &e) && (status == http.StatusOK || status == http.StatusBadRequest)
}

// lost: the session was gone, so that the server cannot have begun the call. The
// status is what the protocol has for that.
func (h *heard) lost(session *sdk.ClientSession) bool {
	return !h.begun() || h.status.Load() == http.StatusNotFound && session.ID() != ""
}

// failed is what a call comes to that brought no result.
func failed(effect tool.Effect, h *heard, err error) error {
	var e *jsonrpc.Error
	answer := errors.As(err, &e)
	switch status := int(h.status.Load()); {
	case status == http.StatusTooManyRequests: // the SDK has an error of its own for it
		return refused(status)
	case answer && (status >= 200 && status < 300 || status >= 400 && status < 500):
		return outside.Failf("server_error", "the server answered with error %d: %s", e.Code, h.hide(text(e.Message, maxMessage)))
	case status >= 300 && status < 500 && status != http.StatusRequestTimeout:
		return refused(status)
	case !h.begun():
		return problem(h, err)
	case effect == tool.Once:
		return fmt.Errorf("%w (HTTP status %d)", tool.ErrUnknown, status)
	case status >= 500:
		return refused(status)
	}
	return outside.Lost(effect, h.sent, err)
}
