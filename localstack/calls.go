package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"

	"windlass/localstack/sigv4"
	"windlass/localstack/template"
)

// calls writes down what functions ask of AWS, each thing once: what a function
// must be permitted, no more and no less. It knows a function by the key that it
// signs with. The nil value writes nothing.
type calls struct {
	credentials credentials
	names       map[string]string // logical ids by physical names
	file        *os.File
	log         *slog.Logger

	mu   sync.Mutex
	seen map[call]bool
}

// A call is one permission that a function made use of. Key is the kind of the
// partition that a DynamoDB item is in, such as ticket# or *#commit; it names nobody.
type call struct {
	Function string `json:"function"`
	Action   string `json:"action"`
	Resource string `json:"resource"`
	Key      string `json:"key,omitempty"`
}

// openCalls appends to the file that WINDLASS_LOCAL_CALLS names: several stacks
// may share one.
func openCalls(path string, c credentials, t *template.Stack, log *slog.Logger) (*calls, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, table := range t.Tables {
		names[table.Name] = table.LogicalID
	}
	for _, b := range t.Buckets {
		names[b.Name] = b.LogicalID
	}
	for _, m := range t.Machines {
		names[m.Name] = m.LogicalID
	}
	for _, a := range t.SocketAPIs {
		names["/"+a.Stage] = a.LogicalID
	}
	return &calls{credentials: c, names: names, file: file, log: log, seen: map[call]bool{}}, nil
}

func (c *calls) close() error {
	if c == nil {
		return nil
	}
	return c.file.Close()
}

// handler writes down what a request asks for, and hands it on. Its signature has
// been verified.
func (c *calls) handler(next http.Handler) http.Handler {
	if c == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		function := c.credentials.function(sigv4.AccessKey(r))
		if function == "" { // of a person, or of this process itself
			next.ServeHTTP(w, r)
			return
		}
		for _, found := range c.asked(r) {
			c.keep(function, found)
		}
		if sigv4.Service(r) == "s3" {
			w = &missing{w, func() { c.keep(function, call{Action: "s3:ListBucket", Resource: c.named(first(r.URL.Path))}) }}
		}
		next.ServeHTTP(w, r)
	})
}

// missing notices that S3 says an object is not there, which it says only to
// those who may list.
type missing struct {
	http.ResponseWriter
	noticed func()
}

func (m *missing) WriteHeader(status int) {
	if status == http.StatusNotFound {
		m.noticed()
	}
	m.ResponseWriter.WriteHeader(status)
}

func (m *missing) Unwrap() http.ResponseWriter { return m.ResponseWriter }

func (c *calls) keep(function string, found call) {
	found.Function = function
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[found] {
		return
	}
	c.seen[found] = true
	line, _ := json.Marshal(found) // four texts
	if _, err := c.file.Write(append(line, '\n')); err != nil {
		c.log.Error("a call was not written down", "error", err)
	}
}

func (c *calls) named(physical string) string {
	if id, ok := c.names[physical]; ok {
		return id
	}
	return physical
}

func first(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return name
}

func (c *calls) asked(r *http.Request) []call {
	switch service := sigv4.Service(r); service {
	case "s3":
		return []call{c.ofObject(r)}
	case "execute-api":
		stage := "/" + first(r.URL.Path)
		return []call{{Action: "execute-api:ManageConnections", Resource: c.named(stage) + stage + "/" + r.Method}}
	case "lambda":
		return []call{{Action: "lambda:InvokeFunction", Resource: "ToolFunctions"}} // what else may be called
	case "dynamodb", "states":
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		var body []byte
		if whole, ok := r.Body.(interface{ Bytes() []byte }); ok { // sigv4 has read it
			body = whole.Bytes()
		}
		if service == "states" {
			return []call{c.ofMachine(operation, body)}
		}
		return c.ofItems(operation, body)
	default:
		return []call{{Action: service + ":" + r.Method, Resource: "unknown"}}
	}
}

// objectActions are S3's, by method; a HEAD is a reading.
var objectActions = map[string]string{"GET": "s3:GetObject", "HEAD": "s3:GetObject", "PUT": "s3:PutObject", "DELETE": "s3:DeleteObject"}

func (c *calls) ofObject(r *http.Request) call {
	bucket := first(r.URL.Path)
	if r.Method == http.MethodPost && r.URL.Query().Has("delete") { // several at once
		return call{Action: "s3:DeleteObject", Resource: c.named(bucket) + "/*"}
	}
	if strings.Trim(strings.TrimPrefix(r.URL.Path, "/"+bucket), "/") == "" {
		return call{Action: "s3:ListBucket", Resource: c.named(bucket)}
	}
	return call{Action: objectActions[r.Method], Resource: c.named(bucket) + "/*"}
}

// ofMachine: tokens are answered by leave to a state machine, and the subset has
// one.
func (c *calls) ofMachine(operation string, body []byte) call {
	var in struct{ StateMachineArn, ExecutionArn string }
	_ = json.Unmarshal(body, &in) // what cannot be read is refused behind this
	of := call{Action: "states:" + operation}
	switch {
	case in.ExecutionArn != "":
		parts := strings.Split(in.ExecutionArn, ":")
		of.Resource = c.named(parts[max(len(parts)-2, 0)]) + ":execution"
	case in.StateMachineArn != "":
		of.Resource = c.named(in.StateMachineArn[strings.LastIndex(in.StateMachineArn, ":")+1:])
	default:
		for name, id := range c.names {
			if strings.Contains(id, "StateMachine") {
				of.Resource = c.named(name)
			}
		}
	}
	return of
}

// item is what requests about DynamoDB's items have in common.
type item struct {
	TableName                 string
	Key, Item                 map[string]map[string]string
	KeyConditionExpression    string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]map[string]any
}

// ofItems: leave for a transaction is leave for each of its parts.
func (c *calls) ofItems(operation string, body []byte) []call {
	if operation != "TransactWriteItems" && operation != "TransactGetItems" {
		var in item
		_ = json.Unmarshal(body, &in)
		return []call{c.ofItem(operation, in)}
	}
	var in struct{ TransactItems []map[string]item }
	_ = json.Unmarshal(body, &in)
	var all []call
	for _, part := range in.TransactItems {
		for kind, its := range part {
			all = append(all, c.ofItem(kind+"Item", its)) // such as ConditionCheckItem
		}
	}
	return all
}

// equals finds what a query's partition must be equal to.
var equals = regexp.MustCompile(`([#A-Za-z_][A-Za-z0-9_]*)\s*=\s*(:[A-Za-z0-9_]+)`)

func (c *calls) ofItem(operation string, in item) call {
	of := call{Action: "dynamodb:" + operation, Resource: c.named(in.TableName)}
	partition := in.Key["pk"]["S"]
	if partition == "" {
		partition = in.Item["pk"]["S"]
	}
	for _, match := range equals.FindAllStringSubmatch(in.KeyConditionExpression, -1) {
		name := match[1]
		if real, ok := in.ExpressionAttributeNames[name]; ok {
			name = real
		}
		if value, ok := in.ExpressionAttributeValues[match[2]]["S"].(string); ok && name == "pk" {
			partition = value
		}
	}
	of.Key = partitionKind(partition)
	return of
}

// ownPartitions are those that no tenant's name begins.
var ownPartitions = []string{"#unsettled#", "#expiring#", "#deleted#", "key#", "tenant#", "ticket#", "connection#", "subscribers#", "preview#", "tokens#", "secret#"}

func partitionKind(partition string) string {
	for _, prefix := range ownPartitions {
		if strings.HasPrefix(partition, prefix) {
			return prefix
		}
	}
	if at := strings.LastIndexByte(partition, '#'); at >= 0 {
		return "*" + partition[at:]
	}
	if at := strings.LastIndexByte(partition, '#'); at >= 0 { // of a session: TENANT#SESSION#KIND
		return "*" + partition[at:]
	}
	return ""
}
