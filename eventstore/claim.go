package eventstore

import "encoding/json"

// EncodeClaim and DecodeClaim are the data of a claim's row.
func EncodeClaim(c Claim) []byte {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // two strings and a number
	}
	return b
}

// DecodeClaim reads what EncodeClaim wrote.
func DecodeClaim(b []byte) (Claim, error) {
	var c Claim
	if err := json.Unmarshal(b, &c); err != nil || c.First == 0 {
		return Claim{}, Errorf(Corrupt, "claim", "%q: %v", b, err)
	}
	return c, nil
}
