package secret

import (
	"strings"
	"testing"
)

const (
	managed = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:windlass/prod/openai-AbCdEf"
	stored  = "arn:aws:ssm:us-east-1:123456789012:parameter/windlass/prod/openai"
)

func TestARefIsAnARN(t *testing.T) {
	for text, want := range map[string]Ref{
		managed:          {ARN: managed, Service: Manager, Region: "eu-central-1"},
		managed + "#key": {ARN: managed, Service: Manager, Region: "eu-central-1", Key: "key"},
		stored:           {ARN: stored, Service: Parameter, Region: "us-east-1"},
		stored + "#a#b":  {ARN: stored, Service: Parameter, Region: "us-east-1", Key: "a#b"},
		"arn:aws-cn:ssm:cn-north-1:123456789012:parameter/a": {ARN: "arn:aws-cn:ssm:cn-north-1:123456789012:parameter/a", Service: Parameter, Region: "cn-north-1"},
	} {
		got, err := Parse(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestWhatIsNoRefIsNotRepeated(t *testing.T) {
	const key = "sk-live-0123456789"
	for _, text := range []string{
		"", key, key + "#" + key, "arn:aws:s3:::" + key, "arn:aws:secretsmanager:eu-central-1:123456789012:parameter/" + key,
		"arn:aws:ssm:eu-central-1:123456789012:secret:" + key, managed + "#", managed + "\n" + key, managed + "*" + key, "arn:aws:ssm:eu-central-1:1:parameter/" + key,
		managed + "#" + strings.Repeat(key, 20),
	} {
		if got, err := Parse(text); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%q: %+v, %v; want an error that does not repeat it", text, got, err)
		}
	}
}

func TestAPrefixEndsInASlash(t *testing.T) {
	for text, want := range map[string]string{
		"arn:aws:ssm:us-east-1:123456789012:parameter/windlass/prod/tools/":         "arn:aws:ssm:us-east-1:123456789012:parameter/windlass/prod/tools/SHOP",
		"arn:aws:secretsmanager:us-east-1:123456789012:secret:windlass/prod/tools/": "arn:aws:secretsmanager:us-east-1:123456789012:secret:windlass/prod/tools/SHOP",
		stored: "", managed + "#key/": "", "/windlass/prod/tools/": "", "": "",
	} {
		p, err := ParsePrefix(text)
		if want == "" {
			if err == nil {
				t.Errorf("%q is taken", text)
			}
			continue
		}
		if ref, also := p.Ref("SHOP"); err != nil || also != nil || ref.ARN != want {
			t.Errorf("%q: %+v, %v, %v", text, ref, err, also)
		}
		for _, name := range []string{"../x", "x y", "*", "", "a#b", "a/b"} {
			if ref, err := p.Ref(name); err == nil {
				t.Errorf("%q gives %+v", name, ref)
			}
		}
	}
}
