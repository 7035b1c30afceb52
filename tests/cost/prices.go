package main

import (
	"bytes"
	"fmt"
	"math/big"
	"time"

	"go.yaml.in/yaml/v3"
)

// A price is one line of infra/prices/aws, in dollars for one unit.
type price struct {
	ID, Unit, Source, Date string
	// Said is the price as it is listed, such as $0.625/million.
	Said string
	USD  *big.Rat
}

// prices are a table, by id.
type prices struct {
	Region, Architecture string
	Oldest               string // date
	byID                 map[string]price
}

// readPrices refuses what it does not know: a figure from a table that was misread would
// be believed.
func readPrices(file []byte) (prices, error) {
	var in struct {
		Region, Architecture string
		Lines                []struct {
			ID, Unit, Price, Source string
			Date                    string
			Per                     int64
		}
	}
	d := yaml.NewDecoder(bytes.NewReader(file))
	d.KnownFields(true)
	if err := d.Decode(&in); err != nil {
		return prices{}, fmt.Errorf("prices: %w", err)
	}
	p := prices{Region: in.Region, Architecture: in.Architecture, byID: map[string]price{}}
	for _, l := range in.Lines {
		usd, ok := new(big.Rat).SetString(l.Price)
		_, err := time.Parse(time.DateOnly, l.Date)
		switch {
		case !ok || usd.Sign() < 0:
			return p, fmt.Errorf("prices: %s: price %q is no amount in dollars", l.ID, l.Price)
		case blocks[l.Per] == "" && l.Per != 1:
			return p, fmt.Errorf("prices: %s: per %d is none of 1, 1000, 1000000 and 1000000000", l.ID, l.Per)
		case err != nil:
			return p, fmt.Errorf("prices: %s: date %q is not like 2026-11-30", l.ID, l.Date)
		case l.Source == "" || l.Unit == "":
			return p, fmt.Errorf("prices: %s: say its unit and its source", l.ID)
		}
		if _, twice := p.byID[l.ID]; twice {
			return p, fmt.Errorf("prices: %s stands twice", l.ID)
		}
		p.byID[l.ID] = price{l.ID, l.Unit, l.Source, l.Date, "$" + l.Price + blocks[l.Per], usd.Quo(usd, new(big.Rat).SetInt64(l.Per))}
		if p.Oldest == "" || l.Date < p.Oldest {
			p.Oldest = l.Date
		}
	}
	for _, id := range needed {
		if _, ok := p.byID[id]; !ok {
			return p, fmt.Errorf("prices: there is no line %s", id)
		}
	}
	return p, nil
}

// blocks are of how many units prices are listed.
var blocks = map[int64]string{1: "", 1000: "/1,000", 1_000_000: "/million", 1_000_000_000: "/billion"}

// needed are the ids that rows refer to.
var needed = []string{
	dynamoWrite, dynamoRead, transition, lambdaRequest, lambdaDuration, s3Put, s3Get, httpRequest, socketMessage, socketMinute,
	logByte, trace, alarm, dashboard,
}

const (
	dynamoWrite    = "dynamodb.write"
	dynamoRead     = "dynamodb.read"
	transition     = "states.transition"
	lambdaRequest  = "lambda.request"
	lambdaDuration = "lambda.duration"
	s3Put          = "s3.put"
	s3Get          = "s3.get"
	httpRequest    = "apigateway.request"
	socketMessage  = "apigateway.message"
	socketMinute   = "apigateway.minute"
	logByte        = "logs.byte"
	trace          = "xray.trace"
	alarm          = "cloudwatch.alarm"
	dashboard      = "cloudwatch.dashboard"
)
