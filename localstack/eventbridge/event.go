package eventbridge

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"
)

// An Event is what a service puts on the bus; Detail is a JSON object.
type Event struct {
	Source     string
	DetailType string
	Resources  []string
	Detail     json.RawMessage
}

// envelope is the event as AWS delivers it, fields in AWS's order.
type envelope struct {
	Version    string          `json:"version"`
	ID         string          `json:"id"`
	DetailType string          `json:"detail-type"`
	Source     string          `json:"source"`
	Account    string          `json:"account"`
	Time       string          `json:"time"`
	Region     string          `json:"region"`
	Resources  []string        `json:"resources"`
	Detail     json.RawMessage `json:"detail"`
}

func (s *Service) encode(e Event) ([]byte, error) {
	if e.Resources == nil {
		e.Resources = []string{}
	}
	return json.Marshal(envelope{
		Version:    "0",
		ID:         newID(),
		DetailType: e.DetailType,
		Source:     e.Source,
		Account:    s.opts.Account,
		Time:       s.opts.Now().UTC().Format(time.RFC3339),
		Region:     s.opts.Region,
		Resources:  e.Resources,
		Detail:     e.Detail,
	})
}

func (s *Service) scheduled(name string) Event {
	arn := fmt.Sprintf("arn:aws:events:%s:%s:rule/%s", s.opts.Region, s.opts.Account, name)
	return Event{Source: "aws.events", DetailType: "Scheduled Event", Resources: []string{arn}, Detail: json.RawMessage(`{}`)}
}

// newID is a version 4 UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // it never fails: see crypto/rand
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
