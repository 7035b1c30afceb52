package stepfunctions

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"windlass/localstack/awsjson"
)

const maxName = 80

// checkName applies the rules for names of state machines and executions.
func checkName(name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > maxName {
		return awsjson.Errorf("InvalidName", "Invalid Name: a name has 1 to %d characters, not %d", maxName, n)
	}
	for _, r := range name {
		if r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("<>{}[]?*\"#%\\^|~`$&,;:/", r) ||
			r >= 0xFFFE && r <= 0xFFFF {
			return awsjson.Errorf("InvalidName", "Invalid Name: %q must not contain %q", name, r)
		}
	}
	return nil
}

func (s *Service) machineARN(name string) string { return s.machinePrefix + name }

func (s *Service) executionARN(machine, name string) string {
	return s.executionPrefix + machine + ":" + name
}

// machineOf returns the name in a state machine ARN. A version's or alias's ARN,
// and another region or account, are invalid here.
func (s *Service) machineOf(arn string) (string, error) {
	name, ok := strings.CutPrefix(arn, s.machinePrefix)
	if !ok || checkName(name) != nil {
		return "", awsjson.Errorf("InvalidArn", "Invalid Arn: '%.300s' is not a state machine ARN of this region and account", arn)
	}
	return name, nil
}

func (s *Service) executionOf(arn string) (machine, name string, err error) {
	rest, ok := strings.CutPrefix(arn, s.executionPrefix)
	machine, name, cut := strings.Cut(rest, ":")
	if !ok || !cut || checkName(machine) != nil || checkName(name) != nil {
		return "", "", awsjson.Errorf("InvalidArn", "Invalid Arn: '%.300s' is not an execution ARN of this region and account", arn)
	}
	return machine, name, nil
}
