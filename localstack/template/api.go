package template

var httpAPIKind = &kind{
	name:  "AWS::Serverless::HttpApi",
	noun:  "Api",
	ref:   physicalName,
	build: (*reader).httpAPI,
}

func (r *reader) httpAPI(s *Stack, res *resource, _ defaults) {
	p := res.props
	p.ignore(ignoredOfHTTPAPI...)
	r.literal(p.take("StageName"), "$default")
	p.end()
	s.HTTPAPIs = append(s.HTTPAPIs, HTTPAPI{LogicalID: res.id, Name: res.name})
}

var queueKind = &kind{
	name: "AWS::SQS::Queue",
	noun: "Queue",
	attributes: map[string]func(*reader, *resource) string{
		"Arn":       func(r *reader, res *resource) string { return r.arn("sqs", res.name) },
		"QueueName": physicalName,
	},
	build: (*reader).queue,
}

func (r *reader) queue(s *Stack, res *resource, _ defaults) {
	res.props.ignore(ignoredOfQueue...)
	res.props.end()
	s.Queues = append(s.Queues, Queue{LogicalID: res.id, Name: res.name})
}
