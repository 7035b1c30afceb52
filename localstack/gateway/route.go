package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
)

// AWS's own route keys. No message can select the first two.
const (
	connectRoute    = "$connect"
	disconnectRoute = "$disconnect"
	defaultRoute    = "$default"
)

// key selects a message's route: the member's value if that is a string and a
// route, else $default, else none (developer guide, routes for WebSocket APIs).
func (a *SocketAPI) key(text []byte) string {
	var body map[string]json.RawMessage
	var value string
	if json.Unmarshal(text, &body) == nil && json.Unmarshal(body[a.member], &value) == nil &&
		a.routes[value] && value[0] != '$' {
		return value
	}
	if a.routes[defaultRoute] {
		return defaultRoute
	}
	return ""
}

// route gives a message to its function. Only failures are answered, by the
// gateway's own frame: no route responses are modelled. Without a route the
// frame says Forbidden, as on AWS.
func (c *connection) route(text []byte) {
	key := c.api.key(text)
	event := c.messageEvent(key, text)
	if key == "" {
		c.complain("Forbidden", event)
		return
	}
	if _, err := c.api.run(key, event); err != nil {
		c.complain("Internal server error", event)
	}
}

// complain sends the gateway's own frame. A client that reads too little misses it.
func (c *connection) complain(message string, event *events.APIGatewayWebsocketProxyRequest) {
	if err := c.push(gatewayFrame(message, c.id, event.RequestContext.RequestID)); err != nil {
		c.api.Log.Debug("an error was not sent to its client", "connectionId", c.id, "error", err)
	}
}

func gatewayFrame(message, connection, request string) []byte {
	frame, _ := json.Marshal(struct { // three strings always encode
		Message    string `json:"message"`
		Connection string `json:"connectionId"`
		Request    string `json:"requestId"`
	}{message, connection, request})
	return frame
}

// run invokes a route's function and returns the status it answered, which AWS
// demands of every one. It logs what failed, unless Close cut it off.
func (a *SocketAPI) run(key string, event *events.APIGatewayWebsocketProxyRequest) (int, error) {
	status, err := a.invoke(key, event)
	if err != nil && a.ctx.Err() == nil {
		a.Log.Error("a socket's function failed", "route", key,
			"connectionId", event.RequestContext.ConnectionID, "requestId", event.RequestContext.RequestID, "error", err)
	}
	return status, err
}

func (a *SocketAPI) invoke(key string, event *events.APIGatewayWebsocketProxyRequest) (int, error) {
	payload, err := encode(event)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(a.ctx, SocketTimeout)
	defer cancel()
	answer, err := a.Invoke(ctx, key, payload)
	if err != nil {
		return 0, err
	}
	var out struct {
		Status *int `json:"statusCode"`
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return 0, fmt.Errorf("the answer is malformed: %w", err)
	}
	if out.Status == nil {
		return 0, errors.New("the answer has no statusCode: return one")
	}
	return *out.Status, nil
}
