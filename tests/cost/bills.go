package main

import (
	"fmt"
	"math/big"
	"time"
)

// traced are the functions with tracing of their own; publish only passes traces on. That
// template.yaml says so is tested.
var traced = []string{"api", "dispatch", "drive", "recover", "socket"}

// ofTurn is what a turn asks of AWS, with a model that answers at once and is free.
func (b biller) ofTurn(m turn) bill {
	to := bill{Title: fmt.Sprintf("%s, its submit and one snapshot", m.load)}
	if m.summaries > 0 {
		to.Title += fmt.Sprintf(" (summarised %d times)", m.summaries)
	}
	b.ofCounts(&to, m.counts, traced)
	return to
}

// ofFollower is what one client more costs that follows a turn over a socket.
func (b biller) ofFollower(m turn) bill {
	to := bill{Title: fmt.Sprintf("one client that follows %s", m.load)}
	b.ofCounts(&to, m.follower, traced)
	b.add(&to, "API Gateway, connected", socketMinute, whole(1), counted, "a minute that has begun")
	return to
}

// ofModel is what is added by a real model, for as many answers.
func (b biller) ofModel(m turn, s stream, drive function) bill {
	calls := whole(int64(m.load.modelCalls()))
	to := bill{Title: fmt.Sprintf("a model that takes %s, %d times", b.Model, m.load.modelCalls())}
	waits := gbSeconds(drive.MemoryMB, b.Model)
	b.add(&to, "Lambda, waiting for the model", lambdaDuration, waits.Mul(waits, calls), assumed, fmt.Sprintf("drive has %d MB", drive.MemoryMB))
	note := fmt.Sprintf("previews: %d B in pieces, measured once", s.bytes)
	b.add(&to, "DynamoDB writes", dynamoWrite, scaled(s.extra.units("write", of("dynamodb")), calls), measured, note)
	b.add(&to, "DynamoDB reads", dynamoRead, scaled(s.extra.units("read", of("dynamodb")), calls), measured, "was it cancelled, who follows")
	minutes := int64((b.Model*time.Duration(m.load.modelCalls()) + time.Minute - 1) / time.Minute)
	b.add(&to, "a follower's previews", socketMessage, scaled(10*b.Model.Seconds(), calls), assumed, "at most: 10 a second")
	b.add(&to, "a follower's connection", socketMinute, whole(minutes), assumed, "")
	return to
}

func scaled(n float64, by *big.Rat) *big.Rat {
	r := exactly(n)
	return r.Mul(r, by)
}

// minutesOfMonth are those of 730 hours, by which AWS reckons.
const minutesOfMonth = 730 * 60

// ofIdle is what a stack costs in a month in which nobody asks it for anything.
func (b biller) ofIdle(i idling) bill {
	to := bill{Title: "a month in which nothing happens"}
	minute := counts{}
	for u, l := range i.counts {
		scaled := line{u, l.Requests * minutesOfMonth / i.minutes, map[string]float64{}}
		for unit, n := range l.Units {
			scaled.Units[unit] = n * minutesOfMonth / float64(i.minutes)
		}
		minute[u] = scaled
	}
	b.ofCounts(&to, minute, traced)
	b.add(&to, "CloudWatch alarms", alarm, whole(int64(i.alarmMetrics)), counted, "each metric that one watches")
	b.add(&to, "CloudWatch dashboard", dashboard, whole(1), counted, "")
	return to
}

// leftOut says what no row is about.
var leftOut = []string{
	"The model itself, and functions, servers and hosts that tools call.",
	"What is kept: DynamoDB and its backups, S3, logs after their arrival. Data that leaves AWS.",
	"CloudWatch's metrics of your own ($0.30 a month each, by the hour in which they are sent; the product sends about 20) and the gateway's detailed metrics.",
	"Access logs (about 0.4 KB a request), the queues of failures (empty), cold starts, free tiers, taxes.",
	"DynamoDB streams read by Lambda, deletions by time to live, EventBridge's own events and schedules: AWS does not charge for them.",
}
