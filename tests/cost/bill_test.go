package main

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	table "windlass/infra/prices/aws"
)

// Worked out by hand from the prices of the table's date.
func TestABillIsWhatWasCountedTimesItsPrice(t *testing.T) {
	p, err := readPrices(table.File)
	if err != nil {
		t.Fatal(err)
	}
	b := biller{p, assumptions{Trip: 5 * time.Millisecond, Model: 5 * time.Second, PlatformBytes: 600}, map[string]function{"w-drive": {"drive", 1024}, "w-publish": {"publish", 512}}}
	c := counts{}
	for _, l := range []line{
		{use{"drive", "dynamodb", "PutItem", ""}, 2, nil},
		{use{"drive", "dynamodb", "PutItem", "log"}, 0, map[string]float64{"write": 5}},
		{use{"publish", "dynamodb", "GetItem", ""}, 1, nil},
		{use{"publish", "dynamodb", "GetItem", "live"}, 0, map[string]float64{"read": 0.5}},
		{use{"", "states", "transition", "turn"}, 0, map[string]float64{"transition": 4}},
		{use{"", "lambda", "Invoke", "w-drive"}, 1, map[string]float64{"ms": 10}},
		{use{"", "lambda", "Invoke", "w-publish"}, 2, map[string]float64{"ms": 4}},
		{use{"", "logs", "line", ""}, 1, map[string]float64{"bytes": 1000}},
	} {
		c[l.use] = l
	}
	var to bill
	b.ofCounts(&to, c, traced)
	want := map[string]string{
		"DynamoDB PutItem write units": "0.000003125000", "DynamoDB GetItem read units": "0.000000062500",
		"Step Functions transitions": "0.000100000000", "Lambda requests": "0.000000600000",
		"Lambda, as measured here GB-s": "0.000000160001", // 0.010 + 0.002 GB-s
		"Lambda, waiting for AWS GB-s":  "0.000000166668", // 2 × 5 ms of 1 GB, 5 ms of half
		"Logs, of functions bytes":      "0.000000500000", "Logs, of Lambda bytes": "0.000000900000",
		"X-Ray traces": "0.000005000000", // drive's alone
	}
	for _, r := range to.Rows {
		name := r.What + " " + r.Price.Unit
		if got := r.usd().FloatString(12); got != want[name] {
			t.Errorf("%s: %s, want %s", name, got, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("no rows of %v", want)
	}
	if got := to.total().FloatString(10); got != "0.0001105142" {
		t.Errorf("in all %s", got)
	}
}

func TestATableThatIsMisreadIsRefused(t *testing.T) {
	good := string(table.File)
	for old, changed := range map[string]string{
		`price: "0.625"`:      `price: "free"`,
		`price: "0.125"`:      `price: "-1"`,
		"per: 1000000,":       "per: 0,",
		"date: 2026-11-30,":   "date: yesterday,",
		"id: states.transiti": "id: states.transitio",
		"id: s3.get":          "id: s3.put",
		"unit: GB-s, ":        "",
		"region: us-east-1":   "regions: us-east-1",
	} {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in the table", old)
		}
		if _, err := readPrices([]byte(strings.Replace(good, old, changed, 1))); err == nil || !strings.HasPrefix(err.Error(), "prices: ") {
			t.Errorf("%s: %v", changed, err)
		}
	}
}

func TestTheCommandRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "1"}, {"turn"}, {"-trip", "2s"}, {"-trip", "-1ms"}, {"-model", "0"}, {"-model", "2m"}} {
		var out, said bytes.Buffer
		if err := command(t.Context(), args, &out, &said); err == nil || out.Len() > 0 {
			t.Errorf("%v: %v, %q", args, err, out.String())
		}
	}
}

func TestNumbersAreReadable(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(big.NewRat(730, 1)), "730"}, {number(big.NewRat(2_102_400, 1)), "2,102,400"}, {number(big.NewRat(1000, 1)), "1,000"}, {number(big.NewRat(1, 2)), "0.5"}, {number(big.NewRat(2, 3)), "0.667"},
		{dollars(big.NewRat(83, 100_000)), "$0.000830"}, {dollars(big.NewRat(528, 100)), "$5.28"},
		{share(big.NewRat(1, 2), big.NewRat(1, 1)), "██████       "}, {share(new(big.Rat), new(big.Rat)), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestTheTableIsAligned(t *testing.T) {
	p := prices{Region: "here", Architecture: "arm64", Oldest: "2026-11-30"}
	b := bill{Title: "a turn", Rows: []row{
		{"DynamoDB PutItem", whole(1234), counted, price{Unit: "write units", Said: "$0.625/million", USD: big.NewRat(625, 1_000_000_000)}, "19 requests"},
		{"Step Functions", whole(4), counted, price{Unit: "transitions", Said: "$0.025/1,000", USD: big.NewRat(25, 1_000_000)}, ""},
	}}
	var out bytes.Buffer
	if err := printTable(&out, p, assumptions{Trip: time.Millisecond, Model: time.Second}, []bill{b}); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"A turn",
		"                    count  unit                 a unit     in all",
		"  DynamoDB PutItem  1,234  write units  $0.625/million  $0.000771  counted  ███████████  19 requests",
		"  Step Functions        4  transitions    $0.025/1,000  $0.000100  counted  █",
		"  total                                                 $0.000871",
		"", "Prices of here, arm64, on 2026-11-30 or later: infra/prices/aws/aws.yaml.", "",
	}, "\n")
	if got, _, _ := strings.Cut(out.String(), "Assumed"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatAProgramReadsAddsUp(t *testing.T) {
	b := bill{Title: "a turn", Rows: []row{{"S3 PUT", whole(1000), counted, price{Unit: "requests", USD: big.NewRat(5, 1_000_000)}, ""}}}
	var out bytes.Buffer
	if err := printJSON(&out, prices{}, assumptions{}, []bill{b}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Bills []struct {
			Rows     []struct{ Count, UnitPriceUSD, USD string }
			TotalUSD string
		}
		LeftOut []string
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	r := got.Bills[0].Rows[0]
	if r.Count != "1000" || r.UnitPriceUSD != "0.000005000000" || r.USD != "0.005000000000" || got.Bills[0].TotalUSD != "0.005000000000" || len(got.LeftOut) == 0 {
		t.Errorf("%s", out.String())
	}
}
