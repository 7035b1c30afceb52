package secret

import (
	"errors"
	"regexp"
	"strings"
)

// The services that keep secrets, as ARNs name them.
const (
	Manager   = "secretsmanager"
	Parameter = "ssm"
)

// Ref says where a secret is kept. It is no secret itself.
type Ref struct {
	// ARN is the secret's or the parameter's, without Key.
	ARN string
	// Service is Manager or Parameter, and Region where it is; both are of the ARN.
	Service, Region string
	// Key, if not empty, names a text in the JSON object that the secret is.
	Key string
}

func (r Ref) String() string {
	if r.Key == "" {
		return r.ARN
	}
	return r.ARN + "#" + r.Key
}

var form = regexp.MustCompile(`^arn:aws[a-z-]*:(secretsmanager|ssm):([a-z]{2}[a-z0-9-]{1,30}):[0-9]{12}:(?:secret:[A-Za-z0-9/_+=.@-]+|parameter/[A-Za-z0-9/_.-]+)$`)

// longest is what SSM takes as an ARN, in bytes.
const longest = 2048

// Parse reads the ARN of a secret of Secrets Manager or of a parameter of SSM. Behind
// it may stand #KEY, the key of a JSON object. The error does not repeat the text: it
// may be a secret that was put there by mistake.
func Parse(text string) (Ref, error) {
	arn, key, keyed := strings.Cut(text, "#")
	found := form.FindStringSubmatch(arn)
	switch {
	case found == nil || len(arn) > longest || strings.Contains(arn, ":secret:") != (found[1] == Manager):
		return Ref{}, errors.New("it is no ARN of a secret: want arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME or arn:aws:ssm:REGION:ACCOUNT:parameter/NAME")
	case keyed && (key == "" || len(key) > 256):
		return Ref{}, errors.New("behind # stands the key of a JSON object, of 256 bytes at most")
	}
	return Ref{ARN: arn, Service: found[1], Region: found[2], Key: key}, nil
}

// Prefix is what the ARNs of several secrets begin with. It ends in a slash.
type Prefix string

// ParsePrefix reads one: an ARN as of [Parse], with a slash at its end and no key.
func ParsePrefix(text string) (Prefix, error) {
	if !strings.HasSuffix(text, "/") {
		return "", errors.New("it does not end in a slash: want an ARN such as arn:aws:ssm:REGION:ACCOUNT:parameter/windlass/tools/")
	}
	if _, err := Prefix(text).Ref("NAME"); err != nil {
		return "", err
	}
	return Prefix(text), nil
}

var name = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// Ref is the secret with that name. Secrets Manager finds it without the six characters
// that it appends to an ARN. A name is of letters, digits and underscores, 64 at most.
func (p Prefix) Ref(its string) (Ref, error) {
	ref, err := Parse(string(p) + its)
	if err == nil && (ref.Key != "" || !name.MatchString(its)) {
		err = errors.New("neither what secrets begin with nor the name of one has a #, and a name is of letters, digits and underscores")
	}
	return ref, err
}
