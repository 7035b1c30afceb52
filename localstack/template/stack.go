package template

import "time"

// A Stack is what a template describes, in the template's order.
type Stack struct {
	Tables     []Table
	Buckets    []Bucket
	Functions  []Function
	HTTPAPIs   []HTTPAPI
	SocketAPIs []SocketAPI
	Machines   []StateMachine
	Queues     []Queue
	Alarms     []Alarm
}

// A Table is one DynamoDB table. RangeKey is zero for a table with a hash key
// alone; StreamView and TTLAttribute are empty where there is none.
type Table struct {
	LogicalID    string
	Name         string
	HashKey      Attribute
	RangeKey     Attribute
	StreamView   string
	TTLAttribute string
}

// An Attribute is a key's name and its scalar type: S, N or B.
type Attribute struct{ Name, Type string }

// A Bucket is one S3 bucket. Without rules it answers no other origin.
type Bucket struct {
	LogicalID string
	Name      string
	CORS      []CORSRule
}

// A CORSRule says which pages may read a bucket's answers, and what they may send.
type CORSRule struct {
	AllowedOrigins []string
	AllowedMethods []string
	AllowedHeaders []string
	ExposeHeaders  []string
	MaxAgeSeconds  int
}

// A Function is one Lambda function. Code is the last element of its CodeUri:
// the name by which the product builds it.
type Function struct {
	LogicalID string
	Name      string
	ARN       string
	Code      string
	Env       map[string]Variable
	Timeout   time.Duration
	MemoryMB  int
	// Concurrency is how many invocations may run at once; 0 is as many as there
	// are places.
	Concurrency int
	Routes      []Route
	Streams     []StreamMapping
	Rules       []Rule
	Schedules   []Schedule
}

// A Variable of a function's environment. Physical is set when the value names
// a resource of this stack: such a value must not be overridden from outside,
// because it would then name somebody else's.
type Variable struct {
	Value    string
	Physical bool
}

// An HTTPAPI is an API Gateway HTTP API (payload format 2.0, stage $default).
type HTTPAPI struct{ LogicalID, Name string }

// A SocketAPI is an API Gateway WebSocket API with its one stage. Selection is
// $request.body.NAME; Routes are functions' names by route key.
type SocketAPI struct {
	LogicalID string
	Name      string
	Selection string
	Stage     string
	Routes    map[string]string
}

// A Route leads from an HTTP API to a function. Key is always $default: every
// method and path.
type Route struct{ API, Key string }

// A StreamMapping leads from a table's stream to a function. MaximumRetries and
// MaximumRecordAge are -1 for "without end"; FailureQueue is a queue's name.
type StreamMapping struct {
	Name             string
	Table            string
	StartingPosition string
	BatchSize        int
	Parallelization  int
	PartialFailures  bool
	Bisect           bool
	MaximumRetries   int
	MaximumRecordAge time.Duration
	FailureQueue     string
	Filters          []string
}

// A Rule sends matching events of the default bus to its function; Pattern is
// EventBridge's JSON.
type Rule struct {
	Name    string
	Pattern []byte
}

// A Schedule calls its function at a fixed rate, given in whole minutes so that a
// test may shorten the minute.
type Schedule struct {
	Name    string
	Minutes int
}

// A StateMachine is a standard state machine with its substitutions made.
type StateMachine struct {
	LogicalID  string
	Name       string
	ARN        string
	Definition []byte
}

// A Queue is an SQS queue. The embedded stack keeps what reaches it; nothing
// reads it.
type Queue struct{ LogicalID, Name string }

// Function returns the function whose code has the given name.
func (s *Stack) Function(code string) (Function, bool) {
	for _, f := range s.Functions {
		if f.Code == code {
			return f, true
		}
	}
	return Function{}, false
}
