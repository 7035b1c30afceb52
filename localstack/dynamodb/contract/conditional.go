package contract

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const conditionFailed = "ConditionalCheckFailedException"

var notExists = aws.String("attribute_not_exists(pk)")

// diff compares items by value.
func (s *subject) same(what string, got, want item) {
	s.Helper()
	options := cmpopts.IgnoreUnexported(types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{}, types.AttributeValueMemberBOOL{},
		types.AttributeValueMemberNULL{}, types.AttributeValueMemberL{}, types.AttributeValueMemberM{}, types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{})
	if d := cmp.Diff(want, got, options, cmpopts.EquateEmpty()); d != "" {
		s.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func conditionalPut(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	first := with(key("p", "1"), "v", str("first"))
	in := &dynamodb.PutItemInput{TableName: &s.name, Item: first, ConditionExpression: notExists}
	_, err := s.client.PutItem(s.ctx, in)
	s.ok(err)
	in.Item = with(first, "v", str("second"))
	_, err = s.client.PutItem(s.ctx, in)
	s.refused(err, conditionFailed)
	s.same("stored item", s.get(key("p", "1")), first)
	if got := s.get(key("p", "2")); got != nil {
		s.Errorf("an item that was never put: %v", got)
	}
}

func conditionFailureReturnsOld(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	old := with(key("p", "1"), "v", str("old"))
	s.put(old)
	var failed *types.ConditionalCheckFailedException
	_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: key("p", "1"), ConditionExpression: notExists,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
	if !errors.As(err, &failed) {
		s.Fatalf("got %v", err)
	}
	s.same("old item of the put", failed.Item, old)
	_, err = s.client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{TableName: &s.name, Key: key("p", "1"), ConditionExpression: notExists,
		UpdateExpression: aws.String("REMOVE v"), ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld})
	if failed = nil; !errors.As(err, &failed) {
		s.Fatalf("got %v", err)
	}
	s.same("old item of the update", failed.Item, old)
	_, err = s.client.DeleteItem(s.ctx, &dynamodb.DeleteItemInput{TableName: &s.name, Key: key("p", "1"), ConditionExpression: notExists})
	if failed = nil; !errors.As(err, &failed) || failed.Item != nil {
		s.Errorf("delete without ALL_OLD: %v, item %v", err, failed)
	}
	s.same("stored item", s.get(key("p", "1")), old)
}

func returnValues(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	k := key("p", "1")
	s.put(with(with(k, "a", num("1")), "b", str("x")))
	update := func(values types.ReturnValue) item {
		out, err := s.client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{TableName: &s.name, Key: k, UpdateExpression: aws.String("SET a = a + :one"),
			ExpressionAttributeValues: item{":one": num("1")}, ReturnValues: values})
		s.ok(err)
		return out.Attributes
	}
	s.same("NONE", update(types.ReturnValueNone), nil)
	s.same("UPDATED_OLD", update(types.ReturnValueUpdatedOld), item{"a": num("2")})
	s.same("UPDATED_NEW", update(types.ReturnValueUpdatedNew), item{"a": num("4")})
	s.same("ALL_OLD", update(types.ReturnValueAllOld), with(with(k, "a", num("4")), "b", str("x")))
	s.same("ALL_NEW", update(types.ReturnValueAllNew), with(with(k, "a", num("6")), "b", str("x")))
	put, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: k, ReturnValues: types.ReturnValueAllOld})
	s.ok(err)
	s.same("old item of a put", put.Attributes, with(with(k, "a", num("6")), "b", str("x")))
	gone, err := s.client.DeleteItem(s.ctx, &dynamodb.DeleteItemInput{TableName: &s.name, Key: k, ReturnValues: types.ReturnValueAllOld})
	s.ok(err)
	s.same("old item of a delete", gone.Attributes, k)
	_, err = s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: k, ReturnValues: types.ReturnValueAllNew})
	s.refused(err, "ValidationException")
}

func typesRoundTrip(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	want := item{
		"pk": str("é\u2028\U0001F600\" \\ \n"), "sk": str("\x00\x01"), "empty": str(""), "n": num("-0.00000000000000000000012345678901234567890123456789012345678"),
		"b": &types.AttributeValueMemberB{Value: []byte{0, 255, 1}}, "t": &types.AttributeValueMemberBOOL{Value: true}, "f": &types.AttributeValueMemberBOOL{Value: false},
		"null": &types.AttributeValueMemberNULL{Value: true}, "ss": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"ns": &types.AttributeValueMemberNS{Value: []string{"1", "2", "10"}}, "bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{str("x"), &types.AttributeValueMemberL{}, &types.AttributeValueMemberM{Value: item{"k": num("1")}}}},
		"m": &types.AttributeValueMemberM{Value: item{"deep": &types.AttributeValueMemberM{Value: item{"": str("empty name")}}}},
	}
	want["m"] = &types.AttributeValueMemberM{Value: item{"deep": &types.AttributeValueMemberM{Value: item{"a.b #c": str("odd name")}}}}
	s.put(want)
	got := s.get(item{"pk": want["pk"], "sk": want["sk"]})
	if n, ok := got["ns"].(*types.AttributeValueMemberNS); ok { // a set has no order
		got["ns"] = &types.AttributeValueMemberNS{Value: sortedByLength(n.Value)}
	}
	s.same("item", got, want)
	s.put(with(key("n", "1"), "n", num("0012.3400e2")))
	s.same("number", s.get(key("n", "1")), with(key("n", "1"), "n", num("1234")))
}

func oneWinner(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	for round := range 50 {
		k := key("race", strconv.Itoa(round))
		var wins, lost int
		var mu sync.Mutex
		s.together(32, func(writer int) error {
			_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: with(k, "by", num(strconv.Itoa(writer))), ConditionExpression: notExists})
			mu.Lock()
			defer mu.Unlock()
			var failed *types.ConditionalCheckFailedException
			switch {
			case err == nil:
				wins++
			case errors.As(err, &failed):
				lost++
			default:
				return err
			}
			return nil
		})
		if wins != 1 || lost != 31 {
			s.Fatalf("round %d: %d winners, %d losers", round, wins, lost)
		}
	}
}

func counters(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	const writers, each = 32, 10
	s.together(writers, func(int) error {
		for range each {
			_, err := s.client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{TableName: &s.name, Key: key("counter", "1"),
				UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: item{":one": num("1")}})
			if err != nil {
				return err
			}
		}
		return nil
	})
	s.same("counter", s.get(key("counter", "1")), with(key("counter", "1"), "n", num(fmt.Sprint(writers*each))))
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
