package secret

import "fmt"

// Code says what became of a reading.
type Code string

const (
	// Denied: the role may not read it, or not decrypt it.
	Denied Code = "denied"
	// NotFound: there is none at that ARN, or it is about to be deleted.
	NotFound Code = "not_found"
	// Malformed: what is there is no secret that can be used.
	Malformed Code = "malformed"
	// Refused: the service does not take the request.
	Refused Code = "refused"
	// Unavailable: the service gave no answer; the next reading may have one.
	Unavailable Code = "unavailable"
)

// Error is why a secret cannot be had. It says which, and what to do.
type Error struct {
	Code Code
	Ref  Ref
	// Said is AWS's name of the error, or what is wrong.
	Said string
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: the secret %s cannot be read", e.Code, e.Ref)
	if e.Said != "" {
		s += " (" + e.Said + ")"
	}
	return s + "; " + e.advice()
}

func (e *Error) advice() string {
	switch e.Code {
	case Denied:
		return "its ARN must be the stack's parameter, so that the role has " + actions[e.Ref.Service] +
			" for it; if a key of your own encrypts it, the parameter SecretsKey must be that key's ARN, for kms:Decrypt"
	case NotFound:
		return "create it in the region and account that the ARN names, or mend the ARN"
	case Malformed:
		return "store it anew in that form"
	case Refused:
		return "look up that name in the service's documentation; a stack on a laptop keeps no secrets, and takes variables"
	}
	return "it is tried again"
}

// actions are the permissions that a reading takes.
var actions = map[string]string{Manager: "secretsmanager:GetSecretValue", Parameter: "ssm:GetParameter"}
