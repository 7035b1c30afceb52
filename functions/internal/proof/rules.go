package proof

// tooth is a rule, and where the search finds out that it is missing.
type tooth struct {
	rule           rule
	name, scenario string
}

// teeth are all rules.
var teeth = []tooth{
	{ruleFirst, "takes over on its first read only", "roll"},
	{ruleLost, "stops after an append that lost to another driver", "roll"},
	{ruleFence, "stops at an open step of another driver", "slow"},
	{ruleEarly, "leaves an open once step alone before its until", "short"},
	{ruleWait, "decides about an open once step after its until", "fail"},
	{ruleUntil, "ends an effect before its until is over for others", "fail"},
	{ruleOwner, "owns what it takes over", "cap"},
	{ruleGeneration, "stops when the generation is another", "roll"},
	{ruleRedecide, "decides a lost append again", "steps"},
	{ruleForget, "forgets what it holds for a step that is not open", "short"},
	{ruleFound, "ties a finding to its tool.unknown", "steps"},
	{ruleMayHave, "settles a begun once step as unknown", "steps"},
	{rulePrompt, "settles a cancel at once", "steps"},
	{ruleRefuse, "says nothing to what is being cancelled", "steps"},
	{ruleSteered, "goes on for a message", "steer"},
	{ruleCap, "checks the cap before the call", "cap"},
	{ruleHead, "drives the head only", "calm"},
	{ruleDurable, "stores a start before its effect", "short"},
	{ruleAnswer, "dispatch answers tokens", "nodisp"},
	{ruleSettled, "dispatch answers those of settled operations too", "nodisp"},
	{ruleRecoverTokens, "recover answers tokens", "steps"},
	{ruleParkReads, "Park keeps its token first and reads second", "nodisp"},
	{ruleNewest, "keeps the newest token", "unknown"},
	{ruleStrong, "reads the newest log before it decides", "spont"},
	{ruleSubmitted, "stores whose a call is before it is handed over", "child"},
	{ruleNamed, "names a child after its step", "child"},
	{ruleTold, "tells an end to who waits for it", "child"},
	{ruleRecheck, "looks after its children", "child"},
	{ruleAbandon, "lets go of its children when it ends", "child"},
	{ruleClaim, "keeps from coming what was cancelled before it came", "child"},
}
