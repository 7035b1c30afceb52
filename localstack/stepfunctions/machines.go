package stepfunctions

import (
	"go.etcd.io/bbolt"
	"windlass/localstack/awsjson"
)

// ensuredRole stands for the role of machines that the embedded stack creates:
// nothing is authorised here.
const ensuredRole = "arn:aws:iam::000000000000:role/embedded"

// EnsureStateMachine creates the machine or gives it another definition, and
// returns its ARN. Running executions finish with the definition they started
// with. Repeating it changes nothing.
func (s *Service) EnsureStateMachine(name, definitionJSON string) (arn string, err error) {
	_, err = s.saveMachine(name, definitionJSON, ensuredRole, func(old *machine) error { return nil })
	return s.machineARN(name), err
}

// saveMachine stores a machine over the old one (nil if there is none), if allow
// agrees.
func (s *Service) saveMachine(name, definition, role string, allow func(old *machine) error) (*machine, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	parsed, id, err := checkDefinition(definition)
	if err != nil {
		return nil, err
	}
	now := toMillis(s.opts.Now())
	var saved *machine
	err = s.db.Update(func(tx *bbolt.Tx) error {
		old, err := getJSON[machine](tx, machinesBucket, []byte(name))
		if err != nil {
			return err
		}
		if err := allow(old); err != nil {
			return err
		}
		if old != nil && old.Deleting {
			return awsjson.Errorf("StateMachineDeleting", "State Machine is being deleted: '%s'", s.machineARN(name))
		}
		m := machine{Name: name, Definition: id, StartAt: parsed.StartAt, Timeout: parsed.TimeoutSeconds, RoleARN: role, Created: now, Updated: now}
		if old != nil {
			m.Created = old.Created
			if old.Definition == m.Definition && old.RoleARN == m.RoleARN {
				saved = old
				return nil
			}
		}
		saved = &m
		if err := tx.Bucket(definitionsBucket).Put([]byte(id), []byte(definition)); err != nil {
			return err
		}
		return putJSON(tx, machinesBucket, []byte(name), m)
	})
	return saved, err
}

type createStateMachineInput struct {
	Name       string `json:"name"`
	Definition string `json:"definition"`
	RoleARN    string `json:"roleArn"`
	Type       string `json:"type"`
}

// createStateMachine is idempotent: the same machine again is its own success.
func (s *Service) createStateMachine(in createStateMachineInput) (any, error) {
	if in.Type != "" && in.Type != "STANDARD" {
		return nil, awsjson.Errorf("ValidationException", "type %.40q is not supported here, only STANDARD", in.Type)
	}
	if in.RoleARN == "" {
		return nil, awsjson.Errorf("ValidationException", "roleArn is required")
	}
	_, id, err := checkDefinition(in.Definition)
	if err != nil {
		return nil, err
	}
	m, err := s.saveMachine(in.Name, in.Definition, in.RoleARN, func(old *machine) error {
		if old != nil && !old.Deleting && (old.Definition != id || old.RoleARN != in.RoleARN) {
			return awsjson.Errorf("StateMachineAlreadyExists", "State Machine Already Exists: '%s'", s.machineARN(in.Name))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return members{"stateMachineArn": s.machineARN(m.Name), "creationDate": epoch(m.Created)}, nil
}

type updateStateMachineInput struct {
	ARN        string  `json:"stateMachineArn"`
	Definition *string `json:"definition"`
	RoleARN    *string `json:"roleArn"`
}

func (s *Service) updateStateMachine(in updateStateMachineInput) (any, error) {
	if in.Definition == nil && in.RoleARN == nil {
		return nil, awsjson.Errorf("MissingRequiredParameter", "Either the definition, the role ARN, or both must be specified")
	}
	old, text, err := s.findMachine(in.ARN)
	if err != nil {
		return nil, err
	}
	role := old.RoleARN
	if in.Definition != nil {
		text = *in.Definition
	}
	if in.RoleARN != nil {
		role = *in.RoleARN
	}
	m, err := s.saveMachine(old.Name, text, role, func(old *machine) error {
		if old == nil {
			return s.noMachine(in.ARN)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return members{"updateDate": epoch(m.Updated), "revisionId": revision(m)}, nil
}

// revision identifies a definition, as AWS's revision ids do.
func revision(m *machine) string { return m.Definition[:32] }

func (s *Service) noMachine(arn string) error {
	return awsjson.Errorf("StateMachineDoesNotExist", "State Machine Does Not Exist: '%s'", arn)
}

func (s *Service) findMachine(arn string) (m *machine, definition string, err error) {
	name, err := s.machineOf(arn)
	if err != nil {
		return nil, "", err
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		if m, err = getJSON[machine](tx, machinesBucket, []byte(name)); err != nil {
			return err
		}
		if m == nil {
			return s.noMachine(arn)
		}
		definition = string(tx.Bucket(definitionsBucket).Get([]byte(m.Definition)))
		return nil
	})
	return m, definition, err
}

type machineInput struct {
	ARN string `json:"stateMachineArn"`
}

func (s *Service) describeStateMachine(in machineInput) (any, error) {
	m, definition, err := s.findMachine(in.ARN)
	if err != nil {
		return nil, err
	}
	state := "ACTIVE"
	if m.Deleting {
		state = "DELETING"
	}
	return members{
		"stateMachineArn": s.machineARN(m.Name), "name": m.Name, "status": state, "type": "STANDARD",
		"definition": definition, "roleArn": m.RoleARN, "creationDate": epoch(m.Created), "revisionId": revision(m),
	}, nil
}

type listStateMachinesInput struct {
	MaxResults int    `json:"maxResults"`
	NextToken  string `json:"nextToken"`
}

func (s *Service) listStateMachines(in listStateMachinesInput) (any, error) {
	size, err := pageSize(in.MaxResults)
	if err != nil {
		return nil, err
	}
	at, err := openPageToken("machines", in.NextToken)
	if err != nil {
		return nil, err
	}
	list := []members{}
	out := members{}
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(machinesBucket).Cursor()
		for k, _ := c.Seek(at); k != nil; k, _ = c.Next() {
			if len(list) == size {
				out["nextToken"] = pageToken("machines", k)
				return nil
			}
			m, err := getJSON[machine](tx, machinesBucket, k)
			if err != nil {
				return err
			}
			list = append(list, members{"stateMachineArn": s.machineARN(m.Name), "name": m.Name, "type": "STANDARD", "creationDate": epoch(m.Created)})
		}
		return nil
	})
	out["stateMachines"] = list
	return out, err
}
