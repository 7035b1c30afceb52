package contract

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// streams is a client for the same endpoint with the same credentials.
func (s *subject) streams() *dynamodbstreams.Client {
	o := s.client.Options()
	return dynamodbstreams.New(dynamodbstreams.Options{Region: o.Region, Credentials: o.Credentials, BaseEndpoint: o.BaseEndpoint, HTTPClient: o.HTTPClient})
}

// follow reads the records after a position until it has n, or the deadline.
func (s *subject) follow(n int, from streamtypes.ShardIteratorType, after *string) []streamtypes.Record {
	s.Helper()
	client := s.streams()
	table, err := s.client.DescribeTable(s.ctx, &dynamodb.DescribeTableInput{TableName: &s.name})
	s.ok(err)
	arn := table.Table.LatestStreamArn
	stream, err := client.DescribeStream(s.ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	s.ok(err)
	iterator, err := client.GetShardIterator(s.ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: arn,
		ShardId: stream.StreamDescription.Shards[0].ShardId, ShardIteratorType: from, SequenceNumber: after})
	s.ok(err)
	var records []streamtypes.Record
	for next := iterator.ShardIterator; len(records) < n && next != nil; {
		out, err := client.GetRecords(s.ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next, Limit: aws.Int32(3)})
		s.ok(err)
		records = append(records, out.Records...)
		next = out.NextShardIterator
	}
	return records
}

// summary is "EVENT sk old>new" for each record.
func summary(records []streamtypes.Record) (lines []string) {
	text := func(image map[string]streamtypes.AttributeValue, name string) string {
		if v, ok := image[name].(*streamtypes.AttributeValueMemberS); ok {
			return v.Value
		}
		return ""
	}
	for _, r := range records {
		lines = append(lines, fmt.Sprintf("%s %s %s>%s", r.EventName, text(r.Dynamodb.Keys, "sk"), text(r.Dynamodb.OldImage, "v"), text(r.Dynamodb.NewImage, "v")))
	}
	return lines
}

func (s *subject) remove(k item) {
	s.Helper()
	_, err := s.client.DeleteItem(s.ctx, &dynamodb.DeleteItemInput{TableName: &s.name, Key: k})
	s.ok(err)
}

func streamRecords(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	k := key("p", "1")
	s.put(with(k, "v", str("a")))
	s.put(with(k, "v", str("b")))
	s.put(with(k, "v", str("b"))) // changes nothing: no record
	_, err := s.client.UpdateItem(s.ctx, &dynamodb.UpdateItemInput{TableName: &s.name, Key: k, UpdateExpression: aws.String("SET v = :c"), ExpressionAttributeValues: item{":c": str("c")}})
	s.ok(err)
	s.remove(k)
	s.remove(k)
	s.put(with(k, "v", str("end")))
	records := s.follow(5, streamtypes.ShardIteratorTypeTrimHorizon, nil)
	s.expect("records", summary(records), "INSERT 1 >a", "MODIFY 1 a>b", "MODIFY 1 b>c", "REMOVE 1 c>", "INSERT 1 >end")
	ids := map[string]bool{}
	for i, r := range records {
		d := r.Dynamodb
		if len(aws.ToString(d.SequenceNumber)) < 21 || d.ApproximateCreationDateTime == nil || d.StreamViewType != streamtypes.StreamViewTypeNewAndOldImages || aws.ToInt64(d.SizeBytes) == 0 {
			s.Errorf("record %d: %+v", i, d)
		}
		if i > 0 && *d.SequenceNumber <= *records[i-1].Dynamodb.SequenceNumber {
			s.Errorf("sequence numbers do not grow: %s after %s", *d.SequenceNumber, *records[i-1].Dynamodb.SequenceNumber)
		}
		ids[*r.EventID] = true
	}
	if len(ids) != len(records) {
		s.Error("event ids repeat")
	}
}

func streamResumes(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	for i := range 8 {
		s.put(with(key("p", fmt.Sprint(i)), "v", str("x")))
	}
	all := s.follow(8, streamtypes.ShardIteratorTypeTrimHorizon, nil)
	after := s.follow(5, streamtypes.ShardIteratorTypeAfterSequenceNumber, all[2].Dynamodb.SequenceNumber)
	s.expect("after the third", summary(after), summary(all[3:])...)
	at := s.follow(6, streamtypes.ShardIteratorTypeAtSequenceNumber, all[2].Dynamodb.SequenceNumber)
	s.expect("at the third", summary(at), summary(all[2:])...)
}

func streamOfTransactions(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	s.put(with(key("p", "old"), "v", str("a")))
	remove := types.TransactWriteItem{Delete: &types.Delete{TableName: &s.name, Key: key("p", "old")}}
	s.refused(s.transact(remove, s.putAction(key("p", "old2"), aws.String("attribute_exists(pk)"))), "TransactionCanceledException")
	s.ok(s.transact(remove, s.putAction(with(key("p", "n1"), "v", str("1")), nil), s.putAction(with(key("p", "n2"), "v", str("2")), notExists),
		types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: &s.name, Key: key("p", "nobody"), ConditionExpression: notExists}}))
	got := summary(s.follow(4, streamtypes.ShardIteratorTypeTrimHorizon, nil))
	slices.Sort(got) // the order inside a transaction is not promised
	s.expect("records", got, "INSERT n1 >1", "INSERT n2 >2", "INSERT old >a", "REMOVE old a>")
}
