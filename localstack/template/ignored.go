package template

// ignoredTypes are resources that change nothing about how the system behaves
// on one machine: what shows it and what permits it.
var ignoredTypes = []string{
	"AWS::CloudWatch::Dashboard",
	"AWS::Logs::LogGroup",
	"AWS::Lambda::Permission",
	"AWS::IAM::Role",
	"AWS::IAM::Policy",
	"AWS::S3::BucketPolicy",
	"AWS::SQS::QueuePolicy",
	"AWS::ApiGateway::Account", // lets API Gateway write an account's logs
}

// A policy may be referred to (by a function's Policies, which are passed over
// too), so it needs a reference.
var policyKind = &kind{
	name:  "AWS::IAM::ManagedPolicy",
	noun:  "Policy",
	ref:   func(r *reader, res *resource) string { return "arn:aws:iam::" + r.opts.Account + ":policy/" + res.name },
	build: func(*reader, *Stack, *resource, defaults) {},
}

// A topic for alarms: nothing here publishes to it.
var topicKind = &kind{
	name:  "AWS::SNS::Topic",
	noun:  "Topic",
	ref:   func(r *reader, res *resource) string { return r.arn("sns", res.name) },
	build: func(*reader, *Stack, *resource, defaults) {},
}

// Properties that only matter on AWS, by where they stand.
var (
	ignoredOfAlarm = []string{"AlarmActions", "OKActions", "InsufficientDataActions", "ActionsEnabled", "AlarmName", "Unit", "Tags"}
	ignoredOfTable = []string{
		"BillingMode", "OnDemandThroughput", "SSESpecification",
		"PointInTimeRecoverySpecification", "DeletionProtectionEnabled", "TableClass", "Tags",
	}
	ignoredOfBucket = []string{
		"BucketEncryption", "PublicAccessBlockConfiguration", "OwnershipControls", "Tags",
	}
	ignoredOfFunction = []string{
		"Runtime", "Handler", "Architectures", "LoggingConfig", "Tracing",
		"Policies", "Role", "Description", "Tags", "RecursiveLoop",
	}
	// Where an event goes that was given up. Here the log says so, and nobody
	// would read a queue.
	ignoredOfInvoke      = []string{"DestinationConfig", "MaximumEventAgeInSeconds"}
	ignoredOfEvent       = []string{"DeadLetterConfig"}
	ignoredOfHTTPAPI     = []string{"DefaultRouteSettings", "AccessLogSettings", "Description", "Tags", "FailOnWarnings"}
	ignoredOfSocketAPI   = []string{"Description", "Tags"}
	ignoredOfStage       = []string{"DefaultRouteSettings", "AccessLogSettings", "Description", "Tags"}
	ignoredOfIntegration = []string{"Description"}
	ignoredOfRoute       = []string{"OperationName"}
	ignoredOfMachine     = []string{"Policies", "Role", "Logging", "Tracing", "Tags"}
	ignoredOfQueue       = []string{"SqsManagedSseEnabled", "KmsMasterKeyId", "MessageRetentionPeriod", "Tags"}
)
