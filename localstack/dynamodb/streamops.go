package dynamodb

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"windlass/localstack/awsjson"
)

// Every stream has one shard that never closes.
const (
	shardID      = "shardId-00000000000000000001-00000001"
	iteratorLife = 15 * time.Minute
)

type listStreamsRequest struct {
	ExclusiveStartStreamArn awsjson.Unsupported
	Limit                   *int
	TableName               string
}

func (s *Service) listStreams(_ context.Context, body []byte) (any, error) {
	var in listStreamsRequest
	if err := awsjson.Decode(body, &in); err != nil {
		return nil, err
	}
	streams := []map[string]string{}
	for _, name := range s.tableNames() {
		t := s.tables.get(name)
		if t == nil || t.Spec.Stream == "" || in.TableName != "" && in.TableName != name {
			continue
		}
		streams = append(streams, map[string]string{"StreamArn": s.streamARN(t), "StreamLabel": t.Label, "TableName": name})
	}
	if in.Limit != nil && *in.Limit < len(streams) {
		return nil, validation("Limit is not supported here: %d streams do not fit into %d", len(streams), *in.Limit)
	}
	return map[string]any{"Streams": streams}, nil
}

// streamTable finds the table by the ARN of its current stream.
func (s *Service) streamTable(arn string) (*table, error) {
	name, _, ok := strings.Cut(strings.TrimPrefix(arn, s.tableARN("")), "/stream/")
	if t := s.tables.get(name); ok && t != nil && t.Spec.Stream != "" && s.streamARN(t) == arn {
		return t, nil
	}
	return nil, awsjson.Errorf("ResourceNotFoundException", "Requested resource not found: Stream: %s not found", arn)
}

type describeStreamRequest struct {
	StreamArn                          string
	Limit                              *int
	ExclusiveStartShardId, ShardFilter awsjson.Unsupported
}

func (s *Service) describeStream(_ context.Context, body []byte) (any, error) {
	var in describeStreamRequest
	if err := awsjson.Decode(body, &in); err != nil {
		return nil, err
	}
	t, err := s.streamTable(in.StreamArn)
	if err != nil {
		return nil, err
	}
	table := s.describe(t, "ACTIVE")
	return map[string]any{"StreamDescription": map[string]any{
		"StreamArn": in.StreamArn, "StreamLabel": t.Label, "StreamStatus": "ENABLED", "StreamViewType": t.Spec.Stream,
		"TableName": t.Spec.Name, "KeySchema": table["KeySchema"], "CreationRequestDateTime": table["CreationDateTime"],
		"Shards": []any{map[string]any{
			"ShardId":             shardID,
			"SequenceNumberRange": map[string]string{"StartingSequenceNumber": sequenceNumber(1)},
		}},
	}}, nil
}

type shardIteratorRequest struct {
	StreamArn, ShardId, ShardIteratorType, SequenceNumber string
}

func (s *Service) getShardIterator(_ context.Context, body []byte) (any, error) {
	var in shardIteratorRequest
	if err := awsjson.Decode(body, &in); err != nil {
		return nil, err
	}
	t, err := s.streamTable(in.StreamArn)
	if err != nil {
		return nil, err
	}
	if in.ShardId != shardID {
		return nil, awsjson.Errorf("ResourceNotFoundException", "Requested resource not found: Shard does not exist")
	}
	first, err := s.startOf(t, in)
	if err != nil {
		return nil, err
	}
	return map[string]string{"ShardIterator": s.iterator(in.StreamArn, first)}, nil
}

// startOf turns a position into the number of the first record to read.
func (s *Service) startOf(t *table, in shardIteratorRequest) (uint64, error) {
	last, err := s.lastRecord(t)
	if err != nil {
		return 0, err
	}
	byNumber := in.ShardIteratorType == "AT_SEQUENCE_NUMBER" || in.ShardIteratorType == "AFTER_SEQUENCE_NUMBER"
	if byNumber != (in.SequenceNumber != "") {
		return 0, validation("SequenceNumber must be given exactly when ShardIteratorType is AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER")
	}
	switch in.ShardIteratorType {
	case "TRIM_HORIZON":
		return 0, nil
	case "LATEST":
		return last + 1, nil
	}
	if !byNumber {
		return 0, constraint("shardIteratorType", "Member must satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, AT_SEQUENCE_NUMBER, TRIM_HORIZON]")
	}
	number, ok := parseSequenceNumber(in.SequenceNumber)
	if !ok || number == 0 || number > last {
		return 0, validation("Invalid SequenceNumber: %s", in.SequenceNumber)
	}
	if in.ShardIteratorType == "AFTER_SEQUENCE_NUMBER" {
		number++
	}
	// A position before the trim horizon is refused now, not at the first read.
	_, err = s.readStream(t, number, 0, nil)
	return number, err
}

// iterator is a position with its time of issue: it need not be remembered.
func (s *Service) iterator(arn string, first uint64) string {
	text := strconv.FormatUint(first, 10) + "|" + strconv.FormatInt(s.options.Now().UnixMilli(), 10) + "|" + arn
	return base64.URLEncoding.EncodeToString([]byte(text))
}

func (s *Service) parseIterator(token string) (arn string, first uint64, err error) {
	text, err := base64.URLEncoding.DecodeString(token)
	parts := strings.SplitN(string(text), "|", 3)
	if err != nil || len(parts) != 3 {
		return "", 0, validation("Invalid ShardIterator")
	}
	first, err = strconv.ParseUint(parts[0], 10, 64)
	issued, err2 := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || err2 != nil {
		return "", 0, validation("Invalid ShardIterator")
	}
	if s.options.Now().Sub(time.UnixMilli(issued)) > iteratorLife {
		return "", 0, awsjson.Errorf("ExpiredIteratorException", "Iterator expired")
	}
	return parts[2], first, nil
}

type getRecordsRequest struct {
	ShardIterator string
	Limit         *int
}

func (s *Service) getRecords(_ context.Context, body []byte) (any, error) {
	var in getRecordsRequest
	if err := awsjson.Decode(body, &in); err != nil {
		return nil, err
	}
	limit := maxRecords
	if in.Limit != nil {
		limit = *in.Limit
	}
	if limit < 1 || limit > maxRecords {
		return nil, constraint("limit", "Member must be between 1 and 1000")
	}
	arn, first, err := s.parseIterator(in.ShardIterator)
	if err != nil {
		return nil, err
	}
	t, err := s.streamTable(arn)
	if err != nil {
		return nil, err
	}
	b := []byte(`{"Records":[`)
	next, err := s.readStream(t, first, limit, func(_ uint64, _ time.Time, text []byte) {
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
		b = append(b, text...)
	})
	if err != nil {
		return nil, err
	}
	b = append(b, `],"NextShardIterator":"`...)
	b = append(b, s.iterator(arn, next)...)
	return json.RawMessage(append(b, `"}`...)), nil
}
