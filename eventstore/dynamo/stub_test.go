package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// stub answers every write with one error, and reads back from its items.
type stub struct {
	err   error
	items []item
	read  error
	put   *dynamodb.PutItemInput
	tx    *dynamodb.TransactWriteItemsInput
	gets  []*dynamodb.GetItemInput
	query *dynamodb.QueryInput
}

func (s *stub) PutItem(_ context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	s.put = in
	return &dynamodb.PutItemOutput{}, s.err
}

func (s *stub) TransactWriteItems(_ context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	s.tx = in
	return &dynamodb.TransactWriteItemsOutput{}, s.err
}

func (s *stub) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	s.gets = append(s.gets, in)
	if !aws.ToBool(in.ConsistentRead) {
		return nil, errors.New("a read that is not consistent")
	}
	for _, i := range s.items {
		if value(i[attrPK]) == value(in.Key[attrPK]) && value(i[attrSK]) == value(in.Key[attrSK]) {
			return &dynamodb.GetItemOutput{Item: i}, s.read
		}
	}
	return &dynamodb.GetItemOutput{}, s.read
}

func (s *stub) DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return &dynamodb.DeleteItemOutput{}, s.err
}

func (s *stub) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	s.query = in
	return &dynamodb.QueryOutput{Items: s.items}, s.err
}

func value(v types.AttributeValue) string { return v.(*types.AttributeValueMemberS).Value }
