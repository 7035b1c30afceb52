package connection

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
)

// ticketBytes are random: nobody guesses one in its short life, or ever.
const ticketBytes = 32

// IssueTicket makes a ticket that opens one connection before expiresAt. The table
// holds its SHA-256 only, so that reading the table opens nothing. A ticket whose
// answer was lost is never used.
func (t *Table) IssueTicket(ctx context.Context, g Grant) (ticket string, expiresAt time.Time, err error) {
	if g.Session != "" && !eventstore.ValidID(g.Session) {
		return "", time.Time{}, fault.New(fault.InvalidRequest, "the session must be 1 to %d of A-Z a-z 0-9 . _ : -, or left out", eventstore.MaxID)
	}
	secret := make([]byte, ticketBytes)
	_, _ = rand.Read(secret) // it never fails
	expiresAt = event.At(g.Ends(t.Now().Add(TicketLife))).Time
	_, err = t.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &t.Name, Item: row(ticketKey(secret), "ticket", expiresAt,
		"tenant", g.Tenant, "key", g.Key, "session", g.Session, "expiresAt", moment(expiresAt), "until", optionalMoment(g.Until))})
	if err != nil {
		return "", time.Time{}, unavailable(err)
	}
	return base64.RawURLEncoding.EncodeToString(secret), expiresAt, nil
}

// RedeemTicket uses a ticket up: of two that redeem it at the same time one wins.
// The error is unauthorized, the same for every way a ticket can be wrong, or
// unavailable. If an answer was lost the ticket is used up: take another.
func (t *Table) RedeemTicket(ctx context.Context, ticket string) (Grant, error) {
	secret, err := base64.RawURLEncoding.Strict().DecodeString(ticket)
	if err != nil || len(secret) != ticketBytes || len(ticket) != base64.RawURLEncoding.EncodedLen(ticketBytes) {
		return Grant{}, refused()
	}
	out, err := t.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &t.Name, Key: ticketKey(secret), ReturnValues: types.ReturnValueAllOld,
		// Of a row that is not there no attribute is greater. All times are written
		// with the same digits, so that text sorts as time does.
		ConditionExpression:       aws.String("expiresAt > :now"),
		ExpressionAttributeValues: item{":now": text(moment(t.Now()))},
	})
	var lost *types.ConditionalCheckFailedException
	if errors.As(err, &lost) {
		return Grant{}, refused()
	}
	if err != nil {
		return Grant{}, unavailable(err)
	}
	f := fields{item: out.Attributes}
	if g := f.grant(); f.err() == nil && eventstore.ValidID(g.Tenant) {
		return g, nil
	}
	return Grant{}, refused()
}

func ticketKey(secret []byte) item {
	sum := sha256.Sum256(secret)
	return keyOf("ticket#"+hex.EncodeToString(sum[:]), "ticket")
}

func refused() error {
	return fault.New(fault.Unauthorized, "take a new ticket: this one is not known, was used, or is too old")
}
