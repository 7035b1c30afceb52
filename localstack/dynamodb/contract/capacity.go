package contract

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// weighing is an item of so many bytes by the size rule.
func weighing(sk string, bytes int) item {
	it := with(key("p", sk), "v", str(""))
	return with(it, "v", str(strings.Repeat("x", bytes-len("pk"+"p"+"sk"+"v")-len(sk))))
}

// consumedCapacity: what is asked for is what the developer guide's rules come to.
func consumedCapacity(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	const total = types.ReturnConsumedCapacityTotal
	check := func(what string, want float64, got *types.ConsumedCapacity, err error) {
		s.Helper()
		switch {
		case err != nil:
			s.Errorf("%s: %v", what, err)
		case got == nil || got.CapacityUnits == nil || aws.ToString(got.TableName) != s.name:
			s.Errorf("%s: %+v", what, got)
		case *got.CapacityUnits != want:
			s.Errorf("%s: %v units, want %v", what, *got.CapacityUnits, want)
		}
	}
	put := func(it item) (*types.ConsumedCapacity, error) {
		out, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: it, ReturnConsumedCapacity: total})
		if err != nil {
			return nil, err
		}
		return out.ConsumedCapacity, nil
	}
	get := func(sk string, consistent bool) (*types.ConsumedCapacity, error) {
		out, err := s.client.GetItem(s.ctx, &dynamodb.GetItemInput{TableName: &s.name, Key: key("p", sk), ConsistentRead: &consistent, ReturnConsumedCapacity: total})
		if err != nil {
			return nil, err
		}
		return out.ConsumedCapacity, nil
	}
	got, err := put(weighing("1", 1024))
	check("a put of 1 KB", 1, got, err)
	got, err = put(weighing("2", 1025))
	check("a put of a byte more", 2, got, err)
	got, err = put(weighing("2", 100))
	check("a put over a larger item", 2, got, err)
	got, err = put(weighing("4", 4096))
	check("a put of 4 KB", 4, got, err)
	got, err = put(weighing("5", 4097))
	check("a put of a byte more than 4 KB", 5, got, err)
	got, err = get("4", true)
	check("4 KB, read consistently", 1, got, err)
	got, err = get("4", false)
	check("4 KB, read eventually", 0.5, got, err)
	got, err = get("5", true)
	check("a byte more, read consistently", 2, got, err)
	got, err = get("none", true)
	check("nothing, read consistently", 1, got, err)

	page, err := s.client.Query(s.ctx, &dynamodb.QueryInput{TableName: &s.name, KeyConditionExpression: aws.String("pk = :p"),
		ExpressionAttributeValues: item{":p": str("p")}, ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: total})
	s.ok(err)
	check("a query of 9,317 bytes", 3, page.ConsumedCapacity, err)

	batch, err := s.client.BatchGetItem(s.ctx, &dynamodb.BatchGetItemInput{ReturnConsumedCapacity: total,
		RequestItems: map[string]types.KeysAndAttributes{s.name: {Keys: []item{key("p", "1"), key("p", "5")}, ConsistentRead: aws.Bool(true)}}})
	s.ok(err)
	if len(batch.ConsumedCapacity) != 1 {
		s.Fatalf("a batch: %+v", batch.ConsumedCapacity)
	}
	check("a batch, each item by itself", 3, &batch.ConsumedCapacity[0], err)

	both, err := s.client.TransactWriteItems(s.ctx, &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: total,
		TransactItems: []types.TransactWriteItem{s.putAction(weighing("6", 1025), nil), s.putAction(weighing("7", 10), nil)}})
	s.ok(err)
	if len(both.ConsumedCapacity) != 1 {
		s.Fatalf("a transaction: %+v", both.ConsumedCapacity)
	}
	check("a transaction of 2 KB and 1 KB", 6, &both.ConsumedCapacity[0], err)

	seen, err := s.client.TransactGetItems(s.ctx, &dynamodb.TransactGetItemsInput{ReturnConsumedCapacity: total,
		TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: &s.name, Key: key("p", "5")}}}})
	s.ok(err)
	if len(seen.ConsumedCapacity) != 1 {
		s.Fatalf("a transaction that reads: %+v", seen.ConsumedCapacity)
	}
	check("a transaction that reads 5 KB", 4, &seen.ConsumedCapacity[0], err)

	gone, err := s.client.DeleteItem(s.ctx, &dynamodb.DeleteItemInput{TableName: &s.name, Key: key("p", "4"), ReturnConsumedCapacity: total})
	s.ok(err)
	check("a deletion of 4 KB", 4, gone.ConsumedCapacity, err)
}
