//go:build race

package disaster

// race: the detector makes each case ten times as slow, so a tenth of them is played.
const race = true
