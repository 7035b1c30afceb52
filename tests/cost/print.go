package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"
)

// bar is how wide a share of everything is.
const bar = 12

func printTable(out io.Writer, p prices, a assumptions, bills []bill) error {
	var text strings.Builder
	for _, b := range bills {
		fmt.Fprintf(&text, "%s\n", strings.ToUpper(b.Title[:1])+b.Title[1:])
		total := b.total()
		rows := [][]string{{"", "count", "unit", "a unit", "in all", "", ""}}
		for _, r := range b.Rows {
			rows = append(rows, []string{r.What, number(r.Count), r.Price.Unit, r.Price.Said, dollars(r.usd()), string(r.Basis), share(r.usd(), total) + r.Note})
		}
		rows = append(rows, []string{"total", "", "", "", dollars(total), "", ""})
		writeAligned(&text, rows)
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "Prices of %s, %s, on %s or later: infra/prices/aws/aws.yaml.\n", p.Region, p.Architecture, p.Oldest)
	fmt.Fprintf(&text, "Assumed: %s for a request to a service, %s for an answer of the model, %d B of lines of Lambda's own.\n\nLeft out:\n", a.Trip, a.Model, a.PlatformBytes)
	for _, l := range leftOut {
		fmt.Fprintf(&text, "  %s\n", l)
	}
	fmt.Fprintf(&text, "\n%s\n", machine())
	_, err := io.WriteString(out, text.String())
	return err
}

// right are the columns of numbers.
var right = map[int]bool{1: true, 3: true, 4: true}

func writeAligned(to *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, r := range rows {
		line := ""
		for i, cell := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right[i] {
				line += "  " + pad + cell
			} else {
				line += "  " + cell + pad
			}
		}
		to.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func machine() string {
	name := "?"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for l := range strings.Lines(string(info)) {
			if before, after, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(before) == "model name" {
				name = strings.TrimSpace(after)
				break
			}
		}
	}
	return fmt.Sprintf("Measured %s, %s, %d cores of %s.", time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), name)
}

// number prints whole counts whole, with commas, and others to three places.
func number(n *big.Rat) string {
	if n.IsInt() {
		digits := n.Num().String()
		for at := len(digits) - 3; at > 0; at -= 3 {
			digits = digits[:at] + "," + digits[at:]
		}
		return digits
	}
	return strings.TrimRight(strings.TrimRight(n.FloatString(3), "0"), ".")
}

// dollars prints an amount to the millionth, or to the cent from a dollar on.
func dollars(n *big.Rat) string {
	if n.Cmp(big.NewRat(1, 1)) >= 0 {
		return "$" + n.FloatString(2)
	}
	return "$" + n.FloatString(6)
}

func share(part, all *big.Rat) string {
	if all.Sign() == 0 {
		return ""
	}
	of, _ := new(big.Rat).Quo(part, all).Float64()
	n := int(of*bar + 0.5)
	return strings.Repeat("█", n) + strings.Repeat(" ", bar+1-n)
}

type jsonRow struct {
	What      string `json:"what"`
	Count     string `json:"count"`
	Unit      string `json:"unit"`
	Basis     basis  `json:"basis"`
	UnitPrice string `json:"unitPriceUsd"`
	USD       string `json:"usd"`
	Note      string `json:"note,omitempty"`
}

type jsonBill struct {
	Title string    `json:"title"`
	Rows  []jsonRow `json:"rows"`
	Total string    `json:"totalUsd"`
}

// places are so many that no price is rounded away.
const places = 12

func printJSON(out io.Writer, p prices, a assumptions, bills []bill) error {
	all := struct {
		Machine  string     `json:"machine"`
		Region   string     `json:"region"`
		Prices   string     `json:"pricesAsOf"`
		Trip     string     `json:"assumedRequest"`
		Model    string     `json:"assumedAnswer"`
		Bills    []jsonBill `json:"bills"`
		LeftOut  []string   `json:"leftOut"`
		Platform int64      `json:"assumedLambdaLogBytes"`
	}{machine(), p.Region, p.Oldest, a.Trip.String(), a.Model.String(), nil, leftOut, a.PlatformBytes}
	for _, b := range bills {
		j := jsonBill{Title: b.Title, Total: b.total().FloatString(places)}
		for _, r := range b.Rows {
			j.Rows = append(j.Rows, jsonRow{r.What, strings.ReplaceAll(number(r.Count), ",", ""), r.Price.Unit, r.Basis, r.Price.USD.FloatString(places), r.usd().FloatString(places), r.Note})
		}
		all.Bills = append(all.Bills, j)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(all)
}
