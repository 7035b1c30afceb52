package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

const endpointsFile = "endpoints.json"

// endpoints tells other programs where everything is. It holds no secret, only
// the names of the files that do.
type endpoints struct {
	API           string            `json:"api"`
	AWS           string            `json:"aws"`
	Socket        string            `json:"socket,omitempty"`
	Region        string            `json:"region"`
	Account       string            `json:"account"`
	Credentials   string            `json:"credentialsFile"`
	DevKey        string            `json:"devKeyFile,omitempty"`
	Tables        map[string]string `json:"tables"`
	Buckets       map[string]string `json:"buckets"`
	StateMachines map[string]string `json:"stateMachines"`
	Functions     map[string]string `json:"functions"`
	PID           int               `json:"pid"`
}

// writeEndpoints is called when both listeners accept, so that whoever sees the
// file may connect.
func writeEndpoints(st *stack) error {
	data, err := filepath.Abs(st.data)
	if err != nil {
		return err
	}
	e := endpoints{
		API: url(st.api), AWS: url(st.aws), Socket: st.socketURL(), Region: region, Account: account,
		Credentials: filepath.Join(data, credentialsFile),
		Tables:      map[string]string{}, Buckets: map[string]string{}, StateMachines: map[string]string{}, Functions: map[string]string{},
		PID: os.Getpid(),
	}
	if st.devKey == "" {
		e.DevKey = filepath.Join(data, devKeyFile)
	}
	for _, t := range st.template.Tables {
		e.Tables[t.LogicalID] = t.Name
	}
	for _, b := range st.template.Buckets {
		e.Buckets[b.LogicalID] = b.Name
	}
	for _, m := range st.template.Machines {
		e.StateMachines[m.LogicalID] = m.ARN
	}
	for _, f := range st.template.Functions {
		e.Functions[f.LogicalID] = f.ARN
	}
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(data, endpointsFile), append(text, '\n'))
}

func removeEndpoints(data string) error {
	err := os.Remove(filepath.Join(data, endpointsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
