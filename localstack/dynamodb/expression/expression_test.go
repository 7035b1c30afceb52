package expression

import (
	"strings"
	"testing"

	"windlass/localstack/dynamodb/attribute"
)

func item(t testing.TB, text string) attribute.Item {
	t.Helper()
	it, err := attribute.ParseItem([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return it
}

// params of all tests: #n is "name"; the values are named for their types.
func params(t testing.TB) *Placeholders {
	t.Helper()
	values := item(t, `{":s":{"S":"abc"},":t":{"S":"b"},":z":{"S":"zzz"},":n":{"N":"5"},":m":{"N":"7"},":b":{"BOOL":true},":l":{"L":[{"N":"5"}]},":ss":{"SS":["a","b"]},":ns":{"NS":["1"]},":map":{"M":{}},":kind":{"S":"SS"}}`)
	p, err := NewPlaceholders([]Name{{"#n", "name"}}, values)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const sample = `{"a":{"S":"abc"},"n":{"N":"5.0"},"big":{"N":"10"},"flag":{"BOOL":true},"tags":{"SS":["b","c"]},"lst":{"L":[{"N":"5"},{"S":"abc"}]},` +
	`"doc":{"M":{"x":{"N":"1"},"deep":{"M":{"y":{"S":"b"}}}}},"name":{"S":"abc"},"z":{"NULL":true}}`

func TestConditions(t *testing.T) {
	for text, want := range map[string]bool{
		"a = :s": true, "a <> :s": false, "absent <> :s": true, "absent = :s": false, "absent < :s": false, "a < :z": true, "a < :n": false,
		"n = :n": true, "n <= :n": true, "big > :m": true, "big < :m": false, "n < :n": false, "n >= :n": true, ":n = n": true,
		"n BETWEEN :n AND :m": true, "big between :n and :m": false, "a IN (:t, :s)": true, "a in (:t)": false, "absent in (:t)": false,
		"attribute_exists(a)": true, "attribute_exists(absent)": false, "attribute_not_exists(absent)": true, "attribute_not_exists(doc.deep.y)": false,
		"attribute_type(tags, :kind)": true, "attribute_type(a, :kind)": false, "begins_with(a, :t)": false, "begins_with(#n, :s)": true, "begins_with(n, :s)": false,
		"contains(a, :t)": true, "contains(tags, :t)": true, "contains(lst, :n)": true, "contains(lst, :m)": false, "contains(absent, :t)": false, "contains(n, :n)": false,
		"size(a) < :n": true, "size(tags) = size(lst)": true, "size(absent) < :n": false, "size(flag) < :n": false,
		"doc.x < :n": true, "doc.deep.y = :t": true, "lst[0] = :n": true, "lst[9] = :n": false, "a[0] = :n": false, "a.b = :n": false,
		"NOT a = :s": false, "not absent = :s": true, "a = :t OR n = :n AND flag = :b": true, "(a = :t OR n = :n) AND flag <> :b": false,
		"NOT (a = :s AND NOT n = :n)": true, "(a = :s) AND (n = :n)": true, "a = :s AND (n = :m OR (flag = :b))": true, "((a = :s) AND (n = :n)) OR a = :t": true,
	} {
		c, err := ParseCondition("ConditionExpression", text, params(t))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := c.Holds(item(t, sample)); got != want {
			t.Errorf("%s is %t", text, got)
		}
	}
}

func TestConditionsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "can not be empty",
		"a":                                    `token: "<EOF>"`,
		"a = ":                                 `token: "<EOF>"`,
		"a == :s":                              `Syntax error; token: "=", near: "== :s"`,
		"a = :s AND":                           `token: "<EOF>"`,
		"a = :s b = :t":                        `token: "b"`,
		"a ! :s":                               `token: "!"`,
		"_a = :s":                              `token: "_"`,
		"1 = :s":                               `token: "1"`,
		"é = :s":                               `token: "é"`,
		"(a = :s":                              `token: "<EOF>"`,
		"a = :s)":                              `token: ")"`,
		"((a = :s))":                           "redundant parentheses",
		"a = :nope":                            "value used in expression is not defined; attribute value: :nope",
		"#nope = :s":                           "not defined; attribute name: #nope",
		"name = :s":                            "reserved keyword: name",
		"doc.Status = :s":                      "reserved keyword: Status",
		"a = a":                                "must be distinct",
		"a < :b":                               "operand type: BOOL",
		"a > :ss":                              "operand type: SS",
		"a BETWEEN :n AND :s":                  "requires same data type",
		"a BETWEEN :m AND :n":                  "greater than or equal to lower bound",
		"a BETWEEN :n OR :m":                   `token: "OR"`,
		"begins_with(a, :n)":                   "operand type: N",
		"begins_with(a)":                       "number of operands: 1",
		"contains(a, a)":                       "must be distinct",
		"attribute_exists(:s)":                 "requires a document path",
		"attribute_type(a, :s)":                "valid types",
		"attribute_type(a, :n)":                "Incorrect operand type",
		"Contains(a, :s)":                      "Invalid function name; function: Contains",
		"size(a)":                              `token: "<EOF>"`,
		"size(:n) = :n":                        "Incorrect operand type",
		"contains(a, :s) = :s":                 `token: "="`,
		"a IN :s":                              `token: ":s"`,
		"a IN ()":                              `token: ")"`,
		"a[x] = :s":                            `token: "x"`,
		"a[-1] = :s":                           `token: "-"`,
		"a. = :s":                              `token: "="`,
		"a = :s + :s":                          `token: "+"`,
		"a = : s":                              `token: ":"`,
		strings.Repeat("a", 4097):              "expression size: 4097",
		strings.Repeat("NOT ", 301) + "a = :s": "too many operators",
	} {
		_, err := ParseCondition("ConditionExpression", text, params(t))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want ...%s", text, err, want)
		}
	}
}

func TestUnusedPlaceholdersAreRefused(t *testing.T) {
	p, _ := NewPlaceholders([]Name{{"#n", "name"}}, item(t, `{":v":{"S":"x"}}`))
	if _, err := ParseCondition("FilterExpression", "attribute_exists(a)", p); err != nil {
		t.Fatal(err)
	}
	if err := p.Unused(); err == nil || err.Error() != "Value provided in ExpressionAttributeNames unused in expressions: keys: {#n}" {
		t.Error(err)
	}
	if _, err := ParseCondition("FilterExpression", "attribute_exists(#n)", p); err != nil {
		t.Fatal(err)
	}
	if err := p.Unused(); err == nil || err.Error() != "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}" {
		t.Error(err)
	}
	for _, bad := range []string{"n", "#", "#a-b"} {
		if _, err := NewPlaceholders([]Name{{bad, "name"}}, nil); err == nil {
			t.Errorf("name placeholder %q was accepted", bad)
		}
	}
	if _, err := NewPlaceholders(nil, item(t, `{"v":{"S":"x"}}`)); err == nil {
		t.Error("a value placeholder without a colon was accepted")
	}
}

func TestUpdates(t *testing.T) {
	for text, want := range map[string]string{
		"SET a = :n":                 `{"a":{"N":"5"},"l":{"L":[{"N":"1"},{"N":"2"},{"N":"3"}]},"n":{"N":"1"},"s":{"SS":["a","z"]}}`,
		"set n = n + :n, m = n - :m": `{"l":{"L":[{"N":"1"},{"N":"2"},{"N":"3"}]},"m":{"N":"-6"},"n":{"N":"6"},"s":{"SS":["a","z"]}}`,
		"SET n = if_not_exists(n, :m), m = if_not_exists(m, :m) + :n": `{"l":{"L":[{"N":"1"},{"N":"2"},{"N":"3"}]},"m":{"N":"12"},"n":{"N":"1"},"s":{"SS":["a","z"]}}`,
		"SET l = list_append(l, :l) REMOVE s":                         `{"l":{"L":[{"N":"1"},{"N":"2"},{"N":"3"},{"N":"5"}]},"n":{"N":"1"}}`,
		"REMOVE l[0], l[2], n, nothing":                               `{"l":{"L":[{"N":"2"}]},"s":{"SS":["a","z"]}}`,
		"SET l[9] = :n, l[7] = :s REMOVE s, n":                        `{"l":{"L":[{"N":"1"},{"N":"2"},{"N":"3"},{"S":"abc"},{"N":"5"}]}}`,
		"ADD n :n, s :ss, fresh :ns REMOVE l":                         `{"fresh":{"NS":["1"]},"n":{"N":"6"},"s":{"SS":["a","b","z"]}}`,
		"DELETE s :ss, nobody :ss REMOVE l":                           `{"n":{"N":"1"},"s":{"SS":["z"]}}`,
		"SET d = :map, n = l[1] REMOVE s, l":                          `{"d":{"M":{}},"n":{"N":"2"}}`,
	} {
		u, err := ParseUpdate(text, []string{"pk"}, params(t))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		before := item(t, `{"l":{"L":[{"N":"1"},{"N":"2"},{"N":"3"}]},"n":{"N":"1"},"s":{"SS":["a","z"]}}`)
		after, err := u.Apply(before)
		if got := string(attribute.AppendItem(nil, after)); err != nil || got != want {
			t.Errorf("%s: %v\n got %s\nwant %s", text, err, got, want)
		}
		if got := string(attribute.AppendItem(nil, before)); got != `{"l":{"L":[{"N":"1"},{"N":"2"},{"N":"3"}]},"n":{"N":"1"},"s":{"SS":["a","z"]}}` {
			t.Errorf("%s changed its input to %s", text, got)
		}
	}
}

func TestUpdatesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"": "can not be empty", "SET": `token: "<EOF>"`, "a = :s": `token: "a"`, "SET a :s": `token: ":s"`, "SET a = :s SET n = :n": `"SET" section can only be used once`,
		"SET a = :s, a = :n": "overlap", "SET a.b = :s REMOVE a": "overlap", "SET a[0] = :s, a.b = :s": "conflict", "SET pk = :s": "Cannot update attribute pk",
		"ADD a :s": "operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND", "DELETE a :n": "ALLOWED_FOR_DELETE_OPERAND", "ADD a b": `token: "b"`,
		"SET a = :s + :n": "Incorrect operand type", "SET a = list_append(:l, :n)": "Incorrect operand type", "SET a = foo(:l)": "Invalid function name",
		"SET a = size(n)": "not allowed", "SET a = if_not_exists(:n, :n)": "requires a document path", "SET a = list_append(:l)": "number of operands: 1",
		"SET a = :s,": `token: "<EOF>"`, "REMOVE name": "reserved keyword: name", "SET a = :nope": "not defined", "SET a = :s = :s": `token: "="`,
	} {
		if _, err := ParseUpdate(text, []string{"pk"}, params(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want ...%s", text, err, want)
		}
	}
}

func TestUpdatesThatFailOnTheItem(t *testing.T) {
	for text, want := range map[string]error{
		"SET a = absent": errNoAttribute, "SET n = absent + :n": errNoAttribute, "SET n = a + :n": errOperandType, "SET a = list_append(a, :l)": errOperandType,
		"SET absent.x = :n": errUpdatePath, "SET a.x = :n": errUpdatePath, "SET doc[0] = :n": errUpdatePath, "REMOVE absent.x": errUpdatePath,
		"ADD a :n": errOperandType, "DELETE a :ss": errOperandType, "ADD tags :ns": errOperandType,
	} {
		u, err := ParseUpdate(text, nil, params(t))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, err := u.Apply(item(t, sample)); err != want {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}

func TestProjections(t *testing.T) {
	for text, want := range map[string]string{
		"a, n": `{"a":{"S":"abc"},"n":{"N":"5"}}`, "absent": `{}`, "#n": `{"name":{"S":"abc"}}`, "lst[1], lst[7]": `{"lst":{"L":[{"S":"abc"}]}}`,
		"doc.deep.y, doc.x": `{"doc":{"M":{"deep":{"M":{"y":{"S":"b"}}},"x":{"N":"1"}}}}`, "doc.nothing": `{}`, "a.b": `{}`, "a[0]": `{}`,
	} {
		p, err := ParseProjection(text, params(t))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := string(attribute.AppendItem(nil, p.Apply(item(t, sample)))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "a,", "a a", "a, a", "doc, doc.x", "name", "#nope", ":s", "a = b", "lst[0"} {
		if _, err := ParseProjection(text, params(t)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestKeyConditions(t *testing.T) {
	for text, op := range map[string]string{
		"pk = :s": "", "pk = :s AND sk > :n": ">", "sk <= :n and pk = :s": "<=", "(pk = :s) AND (sk BETWEEN :n AND :m)": "BETWEEN",
		"pk = :s AND begins_with(sk, :t)": "begins_with", ":s = pk AND :n < sk": ">",
	} {
		k, err := ParseKeyCondition(text, "pk", "sk", params(t))
		if err != nil || k.Op != op || k.Hash.Text != "abc" {
			t.Errorf("%s: %+v, %v", text, k, err)
		}
	}
	for text, want := range map[string]string{
		"sk = :n": "missed key schema element: pk", "pk > :s": "not supported", "pk = :s AND sk <> :n": "not supported", "pk = :s AND x = :n": "not supported",
		"pk = :s OR sk = :n": "OR", "NOT pk = :s": "NOT", "pk IN (:s)": "IN", "pk = :s AND pk = :t": "one condition per key", "pk = :s AND contains(sk, :t)": "function",
		"pk = :s AND size(sk) = :n": "size", "pk.x = :s": "nested", "pk = sk": "both sides", "pk = :s AND sk > :n AND sk < :m": "length 1 or 2",
	} {
		if _, err := ParseKeyCondition(text, "pk", "sk", params(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want ...%s", text, err, want)
		}
	}
}

// FuzzExpressions: no text crashes a parser, and what parses evaluates.
func FuzzExpressions(f *testing.F) {
	for _, s := range []string{"a = :s AND (n BETWEEN :n AND :m OR NOT contains(lst, :n))", "SET a = if_not_exists(a, :n) + :m REMOVE lst[0] ADD tags :ss DELETE tags :ss",
		"a, doc.deep.y, lst[0]", "pk = :s AND begins_with(sk, :t)", "size(a) IN (:n, :m)", "((a = :s)", "[.:#<>"} {
		f.Add(s)
	}
	it := item(f, sample)
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseCondition("ConditionExpression", text, params(t)); err == nil {
			if c.Holds(it) == (not{c}).Holds(it) {
				t.Fatal("a condition and its negation agree")
			}
			c.Holds(nil)
		}
		if p, err := ParseProjection(text, params(t)); err == nil {
			once := p.Apply(it)
			_ = once
		}
		_, _ = ParseKeyCondition(text, "pk", "sk", params(t))
		if u, err := ParseUpdate(text, []string{"pk"}, params(t)); err == nil {
			before := string(attribute.AppendItem(nil, it))
			_, _ = u.Apply(it)
			if string(attribute.AppendItem(nil, it)) != before {
				t.Fatal("the update changed its input")
			}
		}
	})
}

func BenchmarkCondition(b *testing.B) {
	it := item(b, sample)
	b.ReportAllocs()
	for b.Loop() {
		p, _ := NewPlaceholders([]Name{{"#n", "name"}}, it[:0])
		c, err := ParseCondition("ConditionExpression", "attribute_not_exists(#n) AND attribute_not_exists(a)", p)
		if err != nil || c.Holds(it) {
			b.Fatal(err)
		}
	}
}
