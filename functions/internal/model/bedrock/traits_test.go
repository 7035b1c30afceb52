package bedrock

import "testing"

func TestTraitsAreReadFromTheID(t *testing.T) {
	all := traits{caches: true, cachesTools: true, status: true}
	with := func(change func(*traits)) traits { t := all; change(&t); return t }
	budget := with(func(t *traits) { t.budget = true })
	adaptive := with(func(t *traits) { t.adaptive = true })
	shown := with(func(t *traits) { t.adaptive, t.shows = true, true })
	stoppable := with(func(t *traits) { t.adaptive, t.shows, t.stoppable = true, true, true })
	thinks := with(func(t *traits) { t.adaptive, t.shows, t.stoppable, t.thinks = true, true, true, true })
	for id, want := range map[string]traits{
		"anthropic.claude-v2:1":                                                               {},
		"anthropic.claude-instant-v1":                                                         {},
		"anthropic.claude-3-haiku-20240307-v1:0":                                              {status: true},
		"anthropic.claude-3-5-sonnet-20241022-v2:0":                                           {status: true},
		"us.anthropic.claude-3-5-haiku-20241022-v1:0":                                         all,
		"us.anthropic.claude-3-7-sonnet-20250219-v1:0":                                        budget,
		"apac.anthropic.claude-sonnet-4-20250514-v1:0":                                        budget,
		"us.anthropic.claude-opus-4-1-20250805-v1:0":                                          budget,
		"global.anthropic.claude-haiku-4-5-20251001-v1:0":                                     budget,
		"anthropic.claude-opus-4-6-v1":                                                        adaptive,
		"global.anthropic.claude-sonnet-4-6":                                                  adaptive,
		"eu.anthropic.claude-opus-4-7":                                                        shown,
		"us.anthropic.claude-opus-4-8-20260528-v1:0":                                          shown,
		"global.anthropic.claude-opus-5":                                                      thinks,
		"us.anthropic.claude-haiku-5-5":                                                       stoppable,
		"us.anthropic.claude-sonnet-12-1":                                                     thinks,
		"us.anthropic.claude-fable-5-1":                                                       shown,
		"us.anthropic.claude-mythos-5":                                                        shown,
		"arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-20250514-v1:0": budget,
		"arn:aws:bedrock:us-east-1:1:inference-profile/US.anthropic.Claude-opus-5":            thinks,
		"arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3d4":                  {},
		"arn:aws:bedrock:us-east-1:1:provisioned-model/a1b2c3d4":                              {},
		"amazon.nova-micro-v1:0":                                                              {caches: true, status: true},
		"us.amazon.nova-premier-v1:0":                                                         {caches: true, status: true},
		"us.amazon.nova-2-lite-v1:0":                                                          {caches: true, status: true},
		"amazon.nova-canvas-v1:0":                                                             {},
		"amazon.titan-text-express-v1":                                                        {},
		"us.meta.llama4-maverick-17b-instruct-v1:0":                                           {},
		"openai.gpt-oss-120b-1:0":                                                             {},
		"mistral.mistral-large-2407-v1:0":                                                     {},
		"":                                                                                    {},
	} {
		if got := traitsOf(id); got != want {
			t.Errorf("%s: %+v, want %+v", id, got, want)
		}
	}
}

// TestOnlyWhatWasWrittenDownIsGivenBack: a native that is anything else would end the
// session.
func TestOnlyWhatWasWrittenDownIsGivenBack(t *testing.T) {
	for s, want := range map[string]bool{
		`{"reasoningContent":{"reasoningText":{"text":"a <b>","signature":"c2ln"}}}`: true,
		`{"reasoningContent":{"reasoningText":{"text":"","signature":"c2ln"}}}`:      true,
		`{"reasoningContent":{"redactedContent":"c2VhbGVk"}}`:                        true,
		`{"text":" So "}`:    true,
		`{"text":" "}`:       false,
		`{"text":""}`:        false,
		`{"text":"a","b":1}`: false,
		`{"text": "a"}`:      false,
		`{"reasoningContent":{"reasoningText":{"text":"a","signature":""}}}`:                                  false,
		`{"reasoningContent":{"reasoningText":{"text":"a"}}}`:                                                 false,
		`{"reasoningContent":{"reasoningText":{"signature":"c2ln","text":"a"}}}`:                              false,
		`{"reasoningContent":{"reasoningText":{"text":"a","signature":"c2ln"},"redactedContent":"c2VhbGVk"}}`: false,
		`{"reasoningContent":{"redactedContent":"c2VhbGV"}}`:                                                  false,
		`{"reasoningContent":{"redactedContent":""}}`:                                                         false,
		`{"reasoningContent":{}}`: false,
		`{"reasoningContent":{"reasoningText":{"text":"a","signature":"c2ln"}}} `: false,
		`{"toolUse":{"toolUseId":"x","name":"f","input":{}}}`:                     false,
		"": false, "null": false, "{}": false, "[]": false, "7": false, "{": false, "\x00\xff": false, `{"type":"thinking"}`: false,
	} {
		if got := reasoned(s) || worded(s); got != want {
			t.Errorf("%s: %t", s, got)
		}
	}
}

func FuzzNative(f *testing.F) {
	f.Add(`{"reasoningContent":{"reasoningText":{"text":"a","signature":"c2ln"}}}`)
	f.Add(`{"text":"a"}`)
	f.Fuzz(func(t *testing.T, s string) {
		if reasoned(s) && worded(s) {
			t.Errorf("%s is both", s)
		}
	})
}
