package gateway

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// event is what all events of a connection have. Shapes are those of recorded
// events: requestId and extendedRequestId are the same, no account is named.
func (c *connection) event(kind, route string) *events.APIGatewayWebsocketProxyRequest {
	now, id := c.api.Now().UTC(), socketID()
	return &events.APIGatewayWebsocketProxyRequest{
		RequestContext: events.APIGatewayWebsocketProxyRequestContext{
			RouteKey:          route,
			EventType:         kind,
			ConnectionID:      c.id,
			ConnectedAt:       c.connectedAt.UnixMilli(),
			RequestTime:       now.Format("02/Jan/2006:15:04:05 -0700"),
			RequestTimeEpoch:  now.UnixMilli(),
			RequestID:         id,
			ExtendedRequestID: id,
			APIID:             c.api.APIID,
			Stage:             c.api.Stage,
			DomainName:        c.host,
			MessageDirection:  "IN",
			Identity:          events.APIGatewayRequestIdentity{SourceIP: c.source, UserAgent: c.agent},
		},
	}
}

// connectEvent is the handshake's, or reports false for what an event cannot
// carry.
func (c *connection) connectEvent(r *http.Request) (*events.APIGatewayWebsocketProxyRequest, bool) {
	e := c.event("CONNECT", connectRoute)
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || !validValues(query) || !validValues(r.Header) {
		return e, false
	}
	e.MultiValueHeaders = c.headers(r)
	e.Headers = lastValues(e.MultiValueHeaders)
	if len(query) > 0 {
		e.MultiValueQueryStringParameters = query
		e.QueryStringParameters = lastValues(query)
	}
	return e, true
}

// messageEvent has no headers and no query: AWS sends them with $connect alone.
func (c *connection) messageEvent(route string, text []byte) *events.APIGatewayWebsocketProxyRequest {
	e := c.event("MESSAGE", route)
	e.RequestContext.MessageID = socketID()
	e.Body = string(text)
	return e
}

// disconnectEvent has the four headers that recorded ones have.
func (c *connection) disconnectEvent() *events.APIGatewayWebsocketProxyRequest {
	e := c.event("DISCONNECT", disconnectRoute)
	e.MultiValueHeaders = map[string][]string{"Host": {c.host}, "X-Forwarded-For": {""}, "x-api-key": {""}, "x-restapi": {""}}
	e.Headers = lastValues(e.MultiValueHeaders)
	c.mu.Lock()
	defer c.mu.Unlock()
	e.RequestContext.DisconnectStatusCode = int64(c.why.code)
	told := c.why.told
	if told == "" {
		told = c.why.reason
	}
	e.RequestContext.DisconnectReason = &told
	return e
}

// headers are the handshake's, in the spelling of AWS where Go's differs.
func (c *connection) headers(r *http.Request) map[string][]string {
	headers := map[string][]string{"Host": {r.Host}}
	for name, values := range r.Header {
		if !hop[name] {
			headers[strings.Replace(name, "Sec-Websocket-", "Sec-WebSocket-", 1)] = values
		}
	}
	added := map[string]string{
		"x-forwarded-for": strings.Join(r.Header["X-Forwarded-For"], ", "),
		"x-amzn-trace-id": r.Header.Get("X-Amzn-Trace-Id"),
	}
	forwarded(added, r, c.source, c.api.Now().UTC())
	for name, value := range added {
		headers[http.CanonicalHeaderKey(name)] = []string{value}
	}
	return headers
}

// lastValues is how AWS makes one value of several, here as for REST APIs.
func lastValues(all map[string][]string) map[string]string {
	last := make(map[string]string, len(all))
	for name, values := range all {
		last[name] = values[len(values)-1]
	}
	return last
}

func validValues(all map[string][]string) bool {
	for name, values := range all {
		if !utf8.ValidString(name) || !utf8.ValidString(strings.Join(values, "")) {
			return false
		}
	}
	return true
}
