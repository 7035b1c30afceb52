package s3

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// operation is one thing that can be asked, with everything that may be said in
// asking beyond what any request may say.
type operation struct {
	name        string
	query       []string // parameters
	amz         []string // x-amz-* headers, or their form in a presigned URL's query
	conditions  []string // Range and If-* headers
	meta        bool     // x-amz-meta-* too
	makesBucket bool
	run         func(*call) error
}

var (
	readConditions = []string{"Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}
	overrides      = []string{"response-content-type", "response-content-disposition", "response-content-language",
		"response-content-encoding", "response-cache-control", "response-expires"}

	listBuckets  = operation{name: "ListBuckets", run: (*call).listBuckets}
	createBucket = operation{name: "CreateBucket", makesBucket: true, run: (*call).createBucket}
	headBucket   = operation{name: "HeadBucket", run: (*call).headBucket}
	deleteBucket = operation{name: "DeleteBucket", run: (*call).deleteBucket}
	listObjects  = operation{name: "ListObjectsV2", run: (*call).listObjects,
		query: []string{"list-type", "prefix", "delimiter", "max-keys", "continuation-token", "start-after", "encoding-type", "fetch-owner"}}
	deleteObjects = operation{name: "DeleteObjects", query: []string{"delete"}, run: (*call).deleteObjects,
		amz: append([]string{"x-amz-sdk-checksum-algorithm"}, checksumHeaders...)}
	putObject = operation{name: "PutObject", conditions: []string{"If-Match", "If-None-Match"}, meta: true, run: (*call).putObject,
		amz: append([]string{"x-amz-sdk-checksum-algorithm", "x-amz-storage-class", "x-amz-server-side-encryption"}, checksumHeaders...)}
	copyObject = operation{name: "CopyObject", conditions: []string{"If-Match", "If-None-Match"}, meta: true, run: (*call).copyObject,
		amz: []string{"x-amz-copy-source", "x-amz-metadata-directive", "x-amz-source-expected-bucket-owner", "x-amz-storage-class", "x-amz-server-side-encryption"}}
	getObject    = operation{name: "GetObject", query: overrides, amz: []string{"x-amz-checksum-mode"}, conditions: readConditions, run: (*call).getObject}
	headObject   = operation{name: "HeadObject", query: overrides, amz: []string{"x-amz-checksum-mode"}, conditions: readConditions, run: (*call).getObject}
	deleteObject = operation{name: "DeleteObject", run: (*call).deleteObject}
)

// operation chooses by method and by how much of the path there is. Parameters
// that name another operation (?acl, ?uploads ...) are not on the list of the
// one chosen here, and are refused by name.
func (c *call) operation() (*operation, error) {
	level, methods := "the service", map[string]*operation{http.MethodGet: &listBuckets}
	switch {
	case c.key != "":
		level, methods = "an object", map[string]*operation{http.MethodGet: &getObject, http.MethodHead: &headObject,
			http.MethodPut: &putObject, http.MethodDelete: &deleteObject}
	case c.name != "":
		level, methods = "a bucket", map[string]*operation{http.MethodGet: &listObjects, http.MethodHead: &headBucket,
			http.MethodPut: &createBucket, http.MethodDelete: &deleteBucket, http.MethodPost: &deleteObjects}
	}
	op := methods[c.r.Method]
	if op == &putObject && c.amz["x-amz-copy-source"] != "" {
		op = &copyObject
	}
	if op != nil {
		return op, nil
	}
	if c.r.Method != http.MethodPost {
		return nil, fault("MethodNotAllowed").with("Method", c.r.Method)
	}
	return nil, unmodelled("POST on " + level + " ?" + strings.Join(slices.Sorted(maps.Keys(c.query)), "&"))
}
