//go:build !race

package disaster

const race = false
