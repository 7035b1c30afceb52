package contract

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func sortedByLength(numbers []string) []string {
	sorted := slices.Clone(numbers)
	slices.SortFunc(sorted, func(a, b string) int { return len(a)*1000 - len(b)*1000 + int(a[0]) - int(b[0]) })
	return sorted
}

func (s *subject) putAction(it item, condition *string) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: &s.name, Item: it, ConditionExpression: condition,
		ReturnValuesOnConditionCheckFailure: map[bool]types.ReturnValuesOnConditionCheckFailure{true: "ALL_OLD"}[condition != nil]}}
}

func (s *subject) transact(actions ...types.TransactWriteItem) error {
	_, err := s.client.TransactWriteItems(s.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: append([]types.TransactWriteItem{}, actions...)})
	return err
}

func (s *subject) count() int {
	s.Helper()
	n := 0
	for pages := dynamodb.NewScanPaginator(s.client, &dynamodb.ScanInput{TableName: &s.name, Select: types.SelectCount, ConsistentRead: aws.Bool(true)}); pages.HasMorePages(); {
		out, err := pages.NextPage(s.ctx)
		s.ok(err)
		n += int(out.Count)
	}
	return n
}

func transactionLimits(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	var actions []types.TransactWriteItem
	for i := range 101 {
		actions = append(actions, s.putAction(key("p", fmt.Sprint(i)), nil))
	}
	s.refused(s.transact(actions...), "ValidationException")
	if n := s.count(); n != 0 {
		s.Errorf("101 actions stored %d items", n)
	}
	s.ok(s.transact(actions[:100]...))
	if n := s.count(); n != 100 {
		s.Errorf("100 actions stored %d items", n)
	}
	s.refused(s.transact(), "ValidationException")
}

func transactionAtomic(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	s.put(with(key("p", "taken"), "v", str("old")))
	s.put(with(key("p", "gone"), "v", str("old")))
	check := types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: &s.name, Key: key("p", "taken"), ConditionExpression: aws.String("v = :old"),
		ExpressionAttributeValues: item{":old": str("old")}}}
	remove := types.TransactWriteItem{Delete: &types.Delete{TableName: &s.name, Key: key("p", "gone")}}
	update := types.TransactWriteItem{Update: &types.Update{TableName: &s.name, Key: key("p", "made"), UpdateExpression: aws.String("SET v = :old"),
		ExpressionAttributeValues: item{":old": str("old")}}}
	err := s.transact(update, remove, s.putAction(key("p", "new"), nil), s.putAction(key("p", "taken"), notExists))
	s.refused(err, "TransactionCanceledException")
	s.same("item that was to go", s.get(key("p", "gone")), with(key("p", "gone"), "v", str("old")))
	if s.count() != 2 {
		s.Errorf("a cancelled transaction left %d items", s.count())
	}
	s.ok(s.transact(update, remove, s.putAction(key("p", "new"), notExists), check))
	s.same("updated", s.get(key("p", "made")), with(key("p", "made"), "v", str("old")))
	if s.count() != 3 {
		s.Errorf("the transaction left %d items", s.count())
	}
}

func transactionReasons(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	old := with(key("p", "2"), "v", str("old"))
	s.put(old)
	err := s.transact(s.putAction(key("p", "1"), notExists), s.putAction(key("p", "2"), notExists), s.putAction(key("p", "3"), notExists))
	var failed *types.TransactionCanceledException
	if !errors.As(err, &failed) {
		s.Fatalf("got %v", err)
	}
	var codes []string
	for _, r := range failed.CancellationReasons {
		codes = append(codes, aws.ToString(r.Code))
	}
	if want := []string{"None", "ConditionalCheckFailed", "None"}; !slices.Equal(codes, want) {
		s.Fatalf("reasons %v, want %v", codes, want)
	}
	s.same("old item", failed.CancellationReasons[1].Item, old)
	if got := aws.ToString(failed.CancellationReasons[1].Message); got != "The conditional request failed" {
		s.Errorf("message %q", got)
	}
	if failed.CancellationReasons[0].Item != nil {
		s.Error("an action that did not fail has an item")
	}
	// A value that only the stored item shows to be wrong is a reason, too.
	err = s.transact(types.TransactWriteItem{Update: &types.Update{TableName: &s.name, Key: key("p", "2"), UpdateExpression: aws.String("SET v = v + :one"),
		ExpressionAttributeValues: item{":one": num("1")}}})
	if failed = nil; !errors.As(err, &failed) || aws.ToString(failed.CancellationReasons[0].Code) != "ValidationError" {
		s.Errorf("an impossible update: %v", err)
	}
}

func transactionOneItemTwice(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	k := key("p", "1")
	check := types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: &s.name, Key: k, ConditionExpression: notExists}}
	s.refused(s.transact(s.putAction(k, nil), check), "ValidationException")
	if s.count() != 0 {
		s.Error("something was stored")
	}
}

func transactionReads(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	one := with(with(key("p", "1"), "v", str("x")), "w", str("y"))
	s.put(one)
	get := func(k item, projection *string) types.TransactGetItem {
		return types.TransactGetItem{Get: &types.Get{TableName: &s.name, Key: k, ProjectionExpression: projection}}
	}
	out, err := s.client.TransactGetItems(s.ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		get(key("p", "none"), nil), get(key("p", "1"), nil)}})
	s.ok(err)
	if len(out.Responses) != 2 || out.Responses[0].Item != nil {
		s.Fatalf("responses %v", out.Responses)
	}
	s.same("item", out.Responses[1].Item, one)
	out, err = s.client.TransactGetItems(s.ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{get(key("p", "1"), aws.String("v"))}})
	s.ok(err)
	s.same("projected", out.Responses[0].Item, item{"v": str("x")})
}

func tokenRepeated(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("token-" + s.name[len(s.name)-20:]), TransactItems: []types.TransactWriteItem{
		{Update: &types.Update{TableName: &s.name, Key: key("p", "1"), UpdateExpression: aws.String("ADD #n :one, m :one"),
			ExpressionAttributeNames: map[string]string{"#n": "count"}, ExpressionAttributeValues: item{":one": num("1")}}},
		s.putAction(key("p", "2"), notExists),
	}}
	for range 3 {
		_, err := s.client.TransactWriteItems(s.ctx, in)
		s.ok(err)
	}
	s.same("counter", s.get(key("p", "1")), item{"pk": str("p"), "sk": str("1"), "count": num("1"), "m": num("1")})
}

func tokenMismatch(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("token-" + s.name[len(s.name)-20:]),
		TransactItems: []types.TransactWriteItem{s.putAction(with(key("p", "1"), "v", num("1")), notExists)}}
	_, err := s.client.TransactWriteItems(s.ctx, in)
	s.ok(err)
	in.TransactItems = []types.TransactWriteItem{s.putAction(with(key("p", "1"), "v", num("2")), notExists)}
	_, err = s.client.TransactWriteItems(s.ctx, in)
	s.refused(err, "IdempotentParameterMismatchException")
	s.same("stored item", s.get(key("p", "1")), with(key("p", "1"), "v", num("1")))
}
