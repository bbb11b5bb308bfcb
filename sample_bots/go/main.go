// Command lowest is a bot for every game of the protocol: it wins each trick as cheaply as it can.
// Its policy is decide; all the rest is the protocol.
package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Ranks from low to high.
const (
	aceTen = "23456789JQKTA"
	plain  = "23456789TJQKA"
	aceLow = "A23456789TJQK"
)

// isCard tells whether an action plays a card: rank and suit, such as TH.
var isCard = regexp.MustCompile("^[2-9TJQKA][SHDC]$").MatchString

type object map[string]any

// message holds what the bot reads of the messages of the referee.
type message struct {
	Type      string
	Table, ID int64
	Game      string
	Rules     object
	Legal     []string
	View      struct {
		Phase, Trump string
		Trick        [][]any // seat and card
		Contract     any     // a word or a number
	}
	Over     bool
	Messages []json.RawMessage
}

// bot keeps the start of every table in play.
type bot map[int64]message

// take reads one message and returns what to answer. Most messages need no answer.
func (b bot) take(data []byte) (answers []object, bye bool) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil { // what could be read of it has been read
		log.Printf("odd message %q: %v", data, err)
	}
	switch m.Type {
	case "start":
		b[m.Table] = m
	case "end":
		if m.Over {
			delete(b, m.Table)
		}
	case "ask":
		if len(m.Legal) > 0 {
			answers = []object{{"type": "act", "id": m.ID, "action": decide(m, b[m.Table])}}
		}
	case "ping":
		answers = []object{{"type": "pong", "id": m.ID}}
	case "batch":
		for _, part := range m.Messages {
			more, _ := b.take(part)
			answers = append(answers, more...)
		}
	case "fault":
		log.Printf("%s", data)
	}
	return answers, m.Type == "bye"
}

// decide returns the lowest card that wins the trick as it lies, else the lowest card; where there
// is no card to play, the first legal action.
func decide(ask, start message) string {
	order := order(ask, start)
	rank := func(card string) int { return strings.Index(order, card[:1]) }
	beats := func(card, other string) bool {
		if card[1:] == other[1:] {
			return rank(card) > rank(other)
		}
		return card[1:] == ask.View.Trump
	}
	best, choice, winner := "", "", false
	for _, play := range ask.View.Trick {
		for _, part := range play {
			if card, _ := part.(string); isCard(card) && (best == "" || beats(card, best)) {
				best = card
			}
		}
	}
	for _, card := range ask.Legal {
		if isCard(card) {
			wins := best != "" && beats(card, best)
			if choice == "" || wins && !winner || wins == winner && rank(card) < rank(choice) {
				choice, winner = card, wins
			}
		}
	}
	if choice == "" || ask.View.Phase != "play" {
		return ask.Legal[0]
	}
	return choice
}

// order returns the ranks from low to high in this deal.
func order(ask, start message) string {
	switch {
	case ask.View.Contract == "sooli" && start.Rules["sooli_ace"] == "low":
		return aceLow
	case start.Rules["rank_order"] == "ace_ten", start.Game == "marjapussi", start.Game == "bondtolva":
		return aceTen
	}
	return plain
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	log.SetPrefix("lowest: ")
	endpoint, token := os.Getenv("REFEREE_ENDPOINT"), os.Getenv("REFEREE_TOKEN")
	if endpoint == "" || token == "" {
		log.Fatal("REFEREE_ENDPOINT or REFEREE_TOKEN is not set: a referee starts this bot")
	}
	go func() { // standard input ends when the referee is gone
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	socket := zmq4.NewDealer(context.Background())
	must(socket.Dial(endpoint))
	answers, bye := []object{{"type": "hello", "protocol": []int{1}, "token": token,
		"name": "lowest-go", "version": "1.0.0", "tables": 64, "batch": true}}, false
	patience := time.AfterFunc(10*time.Second, func() { log.Fatal("no answer to hello") })
	for b := (bot{}); !bye; {
		for _, answer := range answers {
			data, err := json.Marshal(answer)
			must(err)
			must(socket.Send(zmq4.NewMsg(data)))
		}
		received, err := socket.Recv()
		must(err)
		patience.Stop()
		answers, bye = b.take(received.Bytes())
	}
}
