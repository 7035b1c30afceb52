package contract

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func expressionsRefused(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	stored := with(with(key("p", "1"), "v", str("x")), "n", num("1"))
	s.put(stored)
	values := func(names ...string) item {
		all := item{":s": str("x"), ":n": num("1"), ":flag": &types.AttributeValueMemberBOOL{Value: true}}
		out := item{}
		for _, n := range names {
			out[n] = all[n]
		}
		return out
	}
	for _, c := range []struct {
		condition string
		values    item
		names     map[string]string
	}{
		{"v = ", nil, nil}, {"v == :s", values(":s"), nil}, {"(v = :s", values(":s"), nil}, {"v = :s AND", values(":s"), nil}, {"v ! :s", values(":s"), nil},
		{"status = :s", values(":s"), nil}, {"Name = :s", values(":s"), nil}, {"v = :undefined", values(":s"), nil}, {"#undefined = :s", values(":s"), nil},
		{"attribute_exists(v)", values(":s"), nil}, {"attribute_exists(v)", nil, map[string]string{"#unused": "x"}}, {"", nil, nil},
		{"v < :flag", values(":flag"), nil}, {"begins_with(v, :n)", values(":n"), nil}, {"unknown_function(v)", nil, nil}, {"v = v", nil, nil},
	} {
		in := &dynamodb.PutItemInput{TableName: &s.name, Item: key("p", "1"), ConditionExpression: &c.condition, ExpressionAttributeValues: c.values, ExpressionAttributeNames: c.names}
		_, err := s.client.PutItem(s.ctx, in)
		if err == nil {
			s.Errorf("condition %q was accepted", c.condition)
			s.put(stored)
			continue
		}
		s.refused(err, "ValidationException")
	}
	for _, c := range []struct {
		update string
		values item
	}{
		{"v = :s", values(":s")}, {"SET v :s", values(":s")}, {"SET v = :s SET n = :n", values(":s", ":n")}, {"SET v = :s, v = :n", values(":s", ":n")},
		{"SET sk = :s", values(":s")}, {"SET v = missing_attribute", nil}, {"SET v = v + :n", values(":n")}, {"ADD v :n", values(":n")}, {"ADD v :s", values(":s")},
		{"SET name = :s", values(":s")}, {"SET missing_map.x = :s", values(":s")}, {"", nil},
	} {
		in := &dynamodb.UpdateItemInput{TableName: &s.name, Key: key("p", "1"), UpdateExpression: &c.update, ExpressionAttributeValues: c.values}
		_, err := s.client.UpdateItem(s.ctx, in)
		if err == nil {
			s.Errorf("update %q was accepted", c.update)
			continue
		}
		s.refused(err, "ValidationException")
	}
	s.same("stored item", s.get(key("p", "1")), stored)
}

func fieldsRefused(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: key("p", "1"), ExpressionAttributeValues: item{":v": str("x")}})
	s.refused(err, "ValidationException")
	_, err = s.client.Query(s.ctx, &dynamodb.QueryInput{TableName: &s.name})
	s.refused(err, "ValidationException")
	_, err = s.client.Query(s.ctx, &dynamodb.QueryInput{TableName: &s.name, IndexName: aws.String("no-such-index"), KeyConditionExpression: aws.String("pk = :p"),
		ExpressionAttributeValues: item{":p": str("p")}})
	s.refused(err, "ValidationException")
	for name, v := range map[string]types.AttributeValue{
		"39 digits": num("123456789012345678901234567890123456789"), "too large": num("1e126"), "not a number": num("abc"),
		"empty set": &types.AttributeValueMemberSS{Value: []string{}}, "duplicates": &types.AttributeValueMemberNS{Value: []string{"1", "1.0"}},
		"null that is false": &types.AttributeValueMemberNULL{Value: false},
	} {
		_, err := s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: &s.name, Item: with(key("p", "1"), "v", v)})
		if err == nil {
			s.Errorf("%s was accepted", name)
			continue
		}
		s.refused(err, "ValidationException")
	}
	_, err = s.client.PutItem(s.ctx, &dynamodb.PutItemInput{TableName: aws.String("no-such-table"), Item: key("p", "1")})
	s.refused(err, "ResourceNotFoundException")
}

func tableRules(s *subject) {
	s.table(types.ScalarAttributeTypeS)
	out, err := s.client.DescribeTable(s.ctx, &dynamodb.DescribeTableInput{TableName: &s.name})
	s.ok(err)
	if d := out.Table; d.TableStatus != types.TableStatusActive || len(d.KeySchema) != 2 || d.LatestStreamArn == nil || d.CreationDateTime == nil {
		s.Errorf("description %+v", d)
	}
	_, err = s.client.CreateTable(s.ctx, &dynamodb.CreateTableInput{TableName: &s.name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: out.Table.AttributeDefinitions, KeySchema: out.Table.KeySchema})
	s.refused(err, "ResourceInUseException")
	_, err = s.client.DescribeTable(s.ctx, &dynamodb.DescribeTableInput{TableName: aws.String("no-such-table")})
	s.refused(err, "ResourceNotFoundException")
	names, err := s.client.ListTables(s.ctx, &dynamodb.ListTablesInput{})
	s.ok(err)
	if len(names.TableNames) == 0 {
		s.Error("no table is listed")
	}
	_, err = s.client.UpdateTimeToLive(s.ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &s.name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)}})
	s.ok(err)
	ttl, err := s.client.DescribeTimeToLive(s.ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &s.name})
	s.ok(err)
	if got := aws.ToString(ttl.TimeToLiveDescription.AttributeName); got != "expires" {
		s.Errorf("TTL attribute %q", got)
	}
}
