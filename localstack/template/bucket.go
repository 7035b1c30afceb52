package template

import "go.yaml.in/yaml/v3"

var bucketKind = &kind{
	name: "AWS::S3::Bucket",
	noun: "Bucket",
	ref:  physicalName,
	attributes: map[string]func(*reader, *resource) string{
		"Arn": func(_ *reader, res *resource) string { return "arn:aws:s3:::" + res.name },
	},
	build: (*reader).bucket,
}

func (r *reader) bucket(s *Stack, res *resource, _ defaults) {
	p := res.props
	p.ignore(ignoredOfBucket...)
	b := Bucket{LogicalID: res.id, Name: res.name}
	cors := r.object(p.take("CorsConfiguration"), "CorsConfiguration")
	for _, item := range r.list(cors.take("CorsRules"), "CorsRules") {
		b.CORS = append(b.CORS, r.corsRule(item))
	}
	cors.end()
	r.lifecycle(p.take("LifecycleConfiguration"))
	p.end()
	s.Buckets = append(s.Buckets, b)
}

func (r *reader) corsRule(n *yaml.Node) CORSRule {
	o := r.object(n, "a CORS rule")
	o.ignore("Id")
	rule := CORSRule{
		AllowedOrigins: r.texts(o.need("AllowedOrigins"), "AllowedOrigins"),
		AllowedMethods: r.texts(o.need("AllowedMethods"), "AllowedMethods"),
		AllowedHeaders: r.texts(o.take("AllowedHeaders"), "AllowedHeaders"),
		ExposeHeaders:  r.texts(o.take("ExposedHeaders"), "ExposedHeaders"),
		MaxAgeSeconds:  r.number(o.take("MaxAge"), 0, 0, 1<<31-1),
	}
	o.end()
	return rule
}

// lifecycle passes over rules that end multipart uploads, which are not modelled
// and so never begin. A rule that would remove objects is refused: here they
// would stay.
func (r *reader) lifecycle(n *yaml.Node) {
	o := r.object(n, "LifecycleConfiguration")
	for _, item := range r.list(o.take("Rules"), "Rules") {
		rule := r.object(item, "a lifecycle rule")
		rule.ignore("Id", "Status", "Prefix", "AbortIncompleteMultipartUpload")
		rule.end()
	}
	o.end()
}

func (r *reader) texts(n *yaml.Node, what string) (all []string) {
	for _, item := range r.list(n, what) {
		all = append(all, r.text(item).Value)
	}
	return all
}
