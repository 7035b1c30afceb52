package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// sorts returns the sort keys of all pages of a query, and how many pages.
func (s *subject) sorts(in dynamodb.QueryInput) (keys []string, pages int) {
	s.Helper()
	in.TableName, in.ConsistentRead = &s.name, aws.Bool(true)
	for p := dynamodb.NewQueryPaginator(s.client, &in); p.HasMorePages(); pages++ {
		out, err := p.NextPage(s.ctx)
		s.ok(err)
		for _, it := range out.Items {
			switch v := it["sk"].(type) {
			case *types.AttributeValueMemberS:
				keys = append(keys, v.Value)
			case *types.AttributeValueMemberN:
				keys = append(keys, v.Value)
			}
		}
	}
	return keys, pages
}

func (s *subject) expect(what string, got []string, want ...string) {
	s.Helper()
	if !slices.Equal(got, want) {
		s.Errorf("%s: %v, want %v", what, got, want)
	}
}

func query(condition string, values item) dynamodb.QueryInput {
	return dynamodb.QueryInput{KeyConditionExpression: &condition, ExpressionAttributeValues: with(values, ":p", str("p"))}
}

func queryRanges(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	for _, sk := range []string{"a", "b", "b1", "b2", "c", "\u00ff"} {
		s.put(key("p", sk))
	}
	s.put(key("o", "b"))
	s.put(key("pp", "b"))
	for condition, want := range map[string][]string{
		"pk = :p": {"a", "b", "b1", "b2", "c", "\u00ff"}, "pk = :p AND sk = :b": {"b"}, "pk = :p AND sk < :b": {"a"}, "pk = :p AND sk <= :b": {"a", "b"},
		"pk = :p AND sk > :b": {"b1", "b2", "c", "\u00ff"}, "pk = :p AND sk >= :b": {"b", "b1", "b2", "c", "\u00ff"}, "pk = :p AND begins_with(sk, :b)": {"b", "b1", "b2"},
	} {
		in := query(condition, item{":b": str("b")})
		if !strings.Contains(condition, ":b") {
			delete(in.ExpressionAttributeValues, ":b")
		}
		got, _ := s.sorts(in)
		s.expect(condition, got, want...)
		in.ScanIndexForward = aws.Bool(false)
		got, _ = s.sorts(in)
		slices.Reverse(got)
		s.expect(condition+" backwards", got, want...)
	}
	got, _ := s.sorts(query("pk = :p AND sk BETWEEN :b AND :c", item{":b": str("b"), ":c": str("b2")}))
	s.expect("BETWEEN", got, "b", "b1", "b2")
	got, _ = s.sorts(dynamodb.QueryInput{KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: item{":p": str("nobody")}})
	s.expect("empty partition", got)
	_, err := s.client.Query(s.ctx, &dynamodb.QueryInput{TableName: &s.name, KeyConditionExpression: aws.String("pk = :p AND sk > :n"),
		ExpressionAttributeValues: item{":p": str("p"), ":n": num("1")}})
	s.refused(err, "ValidationException")
}

func queryPages(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	var all []string
	for i := range 10 {
		sk := fmt.Sprintf("%02d", i)
		all = append(all, sk)
		s.put(key("p", sk))
	}
	for _, limit := range []int32{1, 3, 7, 10, 11} {
		in := query("pk = :p", item{})
		in.Limit = aws.Int32(limit)
		got, pages := s.sorts(in)
		s.expect(fmt.Sprintf("pages of %d", limit), got, all...)
		if want := 10/int(limit) + 1; pages != want { // AWS answers a last key whenever the limit was reached
			s.Errorf("limit %d: %d pages, want %d", limit, pages, want)
		}
		in.ScanIndexForward = aws.Bool(false)
		got, _ = s.sorts(in)
		slices.Reverse(got)
		s.expect(fmt.Sprintf("pages of %d backwards", limit), got, all...)
	}
	in := query("pk = :p AND sk > :from", item{":from": str("03")})
	in.Limit = aws.Int32(2)
	got, _ := s.sorts(in)
	s.expect("range in pages", got, all[4:]...)
	in.Limit = aws.Int32(0)
	in.TableName = &s.name
	_, err := s.client.Query(s.ctx, &in)
	s.refused(err, "ValidationException")
}

func queryNumericOrder(s *subject) {
	s.table(types.ScalarAttributeTypeN)
	want := []string{"-1000", "-20.5", "-20", "-3", "-0.12", "-0.1", "0", "0.001", "2", "9", "10", "100", "9007199254740992", "9007199254740993"}
	for i := range want {
		s.put(item{"pk": str("p"), "sk": num(want[(i*5)%len(want)])})
	}
	got, _ := s.sorts(query("pk = :p", item{}))
	s.expect("order", got, want...)
	in := query("pk = :p AND sk BETWEEN :a AND :b", item{":a": num("-3.0"), ":b": num("1e1")})
	in.Limit = aws.Int32(2)
	got, _ = s.sorts(in)
	s.expect("range", got, want[3:11]...)
	s.same("same number, other spelling", s.get(item{"pk": str("p"), "sk": num("1.0e2")}), item{"pk": str("p"), "sk": num("100")})
}

func queryShapes(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	for i := range 6 {
		s.put(item{"pk": str("p"), "sk": str(fmt.Sprint(i)), "even": &types.AttributeValueMemberBOOL{Value: i%2 == 0}, "name": str(fmt.Sprint("n", i))})
	}
	in := query("pk = :p", item{":even": &types.AttributeValueMemberBOOL{Value: true}})
	in.TableName, in.FilterExpression, in.Limit = &s.name, aws.String("even = :even"), aws.Int32(3)
	in.ProjectionExpression, in.ExpressionAttributeNames = aws.String("sk, #n"), map[string]string{"#n": "name"}
	out, err := s.client.Query(s.ctx, &in)
	s.ok(err)
	if out.Count != 2 || out.ScannedCount != 3 || len(out.Items) != 2 {
		s.Fatalf("count %d, scanned %d, items %d", out.Count, out.ScannedCount, len(out.Items))
	}
	s.same("projected", out.Items[1], item{"sk": str("2"), "name": str("n2")})
	s.same("last key", out.LastEvaluatedKey, key("p", "2"))
	in = query("pk = :p", item{})
	in.TableName, in.Select = &s.name, types.SelectCount
	out, err = s.client.Query(s.ctx, &in)
	s.ok(err)
	if out.Count != 6 || out.Items != nil {
		s.Errorf("count %d, items %v", out.Count, out.Items)
	}
}

func scanPages(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	for i := range 25 {
		s.put(key(fmt.Sprint("p", i%5), fmt.Sprint(i)))
	}
	seen := map[string]bool{}
	for p := dynamodb.NewScanPaginator(s.client, &dynamodb.ScanInput{TableName: &s.name, Limit: aws.Int32(4), ConsistentRead: aws.Bool(true)}); p.HasMorePages(); {
		out, err := p.NextPage(s.ctx)
		s.ok(err)
		for _, it := range out.Items {
			seen[it["sk"].(*types.AttributeValueMemberS).Value] = true
		}
	}
	if len(seen) != 25 {
		s.Errorf("%d of 25 items seen", len(seen))
	}
}

func batchGet(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	s.put(with(key("p", "1"), "v", str("x")))
	s.put(key("p", "2"))
	get := func(keys ...item) (*dynamodb.BatchGetItemOutput, error) {
		return s.client.BatchGetItem(s.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{s.name: {Keys: keys, ConsistentRead: aws.Bool(true)}}})
	}
	out, err := get(key("p", "1"), key("p", "none"), key("p", "2"))
	s.ok(err)
	if len(out.Responses[s.name]) != 2 || len(out.UnprocessedKeys) != 0 {
		s.Errorf("responses %v, left %v", out.Responses, out.UnprocessedKeys)
	}
	_, err = get(key("p", "1"), key("p", "1"))
	s.refused(err, "ValidationException")
	_, err = get(manyKeys(101)...)
	s.refused(err, "ValidationException")
}

func manyKeys(n int) (keys []item) {
	for i := range n {
		keys = append(keys, key("p", fmt.Sprint(i)))
	}
	return keys
}
