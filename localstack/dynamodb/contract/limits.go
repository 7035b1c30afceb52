package contract

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const kilobyte = 1 << 10

// sized is an item of exactly n bytes by AWS's rule: names and values.
func sized(k item, n int) item {
	n -= len("pk") + len("sk") + len("body")
	for _, v := range k {
		n -= len(v.(*types.AttributeValueMemberS).Value)
	}
	return with(k, "body", str(strings.Repeat("x", n)))
}

func pageOfOneMegabyte(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	for i := range 12 {
		s.put(sized(key("p", fmt.Sprintf("%02d", i)), 100*kilobyte))
	}
	in := query("pk = :p", item{})
	in.TableName = &s.name
	out, err := s.client.Query(s.ctx, &in)
	s.ok(err)
	if out.LastEvaluatedKey == nil || out.Count < 10 || out.Count > 11 { // AWS may count the item that crosses the limit
		s.Errorf("1.2 MB came as a page of %d items, last key %v", out.Count, out.LastEvaluatedKey)
	}
	if got, pages := s.sorts(query("pk = :p", item{})); len(got) != 12 || pages != 2 {
		s.Errorf("%d items in %d pages", len(got), pages)
	}
}

func itemOf400K(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	s.put(sized(key("p", "1"), 400*kilobyte))
	_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: sized(key("p", "2"), 400*kilobyte+1)})
	s.refused(err, "ValidationException")
	_, err = s.client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{TableName: &s.name, Key: key("p", "1"), UpdateExpression: aws.String("SET v = :v"),
		ExpressionAttributeValues: item{":v": str("x")}})
	s.refused(err, "ValidationException")
	s.same("item", s.get(key("p", "1")), sized(key("p", "1"), 400*kilobyte))
	if s.count() != 1 {
		s.Errorf("%d items", s.count())
	}
}

func transactionOf4M(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	actions := func(n, size int) (list []types.TransactWriteItem) {
		for i := range n {
			list = append(list, s.putAction(sized(key("p", fmt.Sprintf("%02d", i)), size), nil))
		}
		return list
	}
	s.refused(s.transact(actions(11, 390*kilobyte)...), "ValidationException")
	if s.count() != 0 {
		s.Error("something was stored")
	}
	s.ok(s.transact(actions(10, 390*kilobyte)...))
	if s.count() != 10 {
		s.Errorf("%d items", s.count())
	}
}

func keyRules(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	long := func(n int) string { return strings.Repeat("k", n) }
	s.put(key(long(2048), long(1024)))
	s.same("item with the longest key", s.get(key(long(2048), long(1024))), key(long(2048), long(1024)))
	for name, it := range map[string]item{
		"hash key of 2,049 bytes": key(long(2049), "1"), "sort key of 1,025 bytes": key("p", long(1025)), "empty hash key": key("", "1"), "empty sort key": key("p", ""),
		"no sort key": {"pk": str("p")}, "sort key of another type": {"pk": str("p"), "sk": num("1")},
	} {
		_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: it})
		if err == nil {
			s.Errorf("%s was accepted", name)
			continue
		}
		s.refused(err, "ValidationException")
	}
	for name, k := range map[string]item{"no sort key": {"pk": str("p")}, "one too many": with(key("p", "1"), "x", str("1")), "another type": {"pk": str("p"), "sk": num("1")}} {
		_, err := s.client.GetItem(s.ctx, &dynamodb.GetItemInput{TableName: &s.name, Key: k})
		if err == nil {
			s.Errorf("get with %s was accepted", name)
			continue
		}
		s.refused(err, "ValidationException")
	}
}
