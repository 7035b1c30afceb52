package session

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func printed(sub Submission) string {
	sum := sha256.Sum256([]byte(sub.Prompt))
	sub.prompt = prompt{sha256: hex.EncodeToString(sum[:]), bytes: int64(len(sub.Prompt))}
	var err error
	if sub.parts, err = readParts(sub.Input); err != nil {
		panic(err)
	}
	return sub.fingerprint()
}

// The values are stored: they must come out the same for ever.
func TestFingerprintsNeverChange(t *testing.T) {
	for _, c := range []struct {
		sub  Submission
		want string
	}{
		{Submission{Prompt: "hello"}, "v1:a24a879027d38b27e490fe42f53495b06bdc07d93365d518d39767d7ce6b942b"},
		{Submission{Prompt: "hello", OperationID: "does not count"}, "v1:a24a879027d38b27e490fe42f53495b06bdc07d93365d518d39767d7ce6b942b"},
		{Submission{Prompt: "hello", Agent: "demo"}, "v1:10a0e1ff08470b8a62fb472d971531ff1eac0beae0074aa443075a6ede7df38e"},
		{Submission{Prompt: "<&> \u2028 é 🦀"}, "v1:324f7b9ad7dbfbe8cbf054badadd5aee500480647e11f16436bc429de546a213"},
		{Submission{Prompt: "a\x00b\xff"}, "v1:eeb6dd4eee33fc663b0fbf733a759e89e2f06e886a83e0a1f224065b198a70c3"},
		{Submission{Prompt: "hello", Input: []Part{}}, "v1:a24a879027d38b27e490fe42f53495b06bdc07d93365d518d39767d7ce6b942b"},
		{Submission{Prompt: "hello", Input: []Part{{Path: "/a.png"}}}, "v2:cb7d249e061d668902a21ff87bbbb2627c13c6fbc320bf750a5bc2856db3f627"},
		{Submission{Prompt: "hello", Input: []Part{{Path: "a.png"}}}, "v2:cb7d249e061d668902a21ff87bbbb2627c13c6fbc320bf750a5bc2856db3f627"},
		{Submission{Prompt: "hello", Agent: "demo", Input: []Part{{Path: "/a.png"}, {Path: "/<b>.txt"}}}, "v2:118e4e0f5de0e624448a011fd0098b21bbd0bc845b6d936de928bb17ee793087"},
		{Submission{Prompt: "hello", Agent: "demo", Input: []Part{{Path: "/<b>.txt"}, {Path: "/a.png"}}}, "v2:de113504d91f6a13c16db495b84c01dd34206d37c2143b85b45ea2fe8b29db30"},
		{Submission{Prompt: "hello", Input: []Part{{Upload: uploaded{emptyHash, 7, "image/png"}.id(), Name: "é.png"}}}, "v2:c873f3b588bac6ca323865eff11c1c4a828198b7780426a766996cde39e9e645"},
		{Submission{Prompt: "hello", Input: []Part{{Upload: uploaded{emptyHash, 7, ""}.id()}}}, "v2:787561c4453f274096a09ca0fb7b60689fdb13dd06f3e010c17956a16590c6e2"},
		{Submission{Prompt: strings.Repeat("p", 256<<10)}, "v1:fe17b6115dc8ef075e9e5b0485167d1243fd8d506b403ceec96b8136fa5a89db"},
	} {
		if got := printed(c.sub); got != c.want {
			t.Errorf("%.40q by %q: %s, want %s", c.sub.Prompt, c.sub.Agent, got, c.want)
		}
	}
}

func TestEveryFingerprintFitsIntoAClaim(t *testing.T) {
	if f := printed(Submission{Prompt: "p", Agent: strings.Repeat("a", 1<<10)}); len(f) != len("v1:")+64 {
		t.Errorf("%q", f)
	}
}
