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
	"slices"
	"strings"

	"github.com/go-zeromq/zmq4"
)

var isCard = regexp.MustCompile("^[2-9TJQKA][SHDC]$").MatchString // such as TH

type object map[string]any

// message holds what the bot reads of the messages of the referee.
type message struct {
	Type, Game string
	Table, ID  int64
	Over       bool
	Rules      object
	Legal      []string
	Messages   []json.RawMessage
	View       struct {
		Phase, Trump string
		Trick        [][2]any // seat and card
		Contract     any      // a word or a number
	}
}

// bot keeps the start of every table in play.
type bot map[int64]message

// take reads one message and returns what to answer. Most messages need no answer.
func (b bot) take(data []byte) (answers []object, bye bool) {
	var m message
	_ = json.Unmarshal(data, &m) // what cannot be read is left out
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

// decide returns the lowest card that wins, else the lowest; with no card the first legal action.
func decide(ask, start message) string {
	cards := slices.DeleteFunc(slices.Clone(ask.Legal), func(s string) bool { return !isCard(s) })
	if ask.View.Phase != "play" || len(cards) == 0 {
		return ask.Legal[0]
	}
	order := "23456789TJQKA" // ranks from low to high
	switch rules := start.Rules; {
	case ask.View.Contract == "sooli" && rules["sooli_ace"] == "low":
		order = "A23456789TJQK"
	case rules["rank_order"] == "ace_ten", start.Game == "marjapussi", start.Game == "bondtolva":
		order = "23456789JQKTA"
	}
	rank := func(card string) int { return strings.Index(order, card[:1]) }
	beats := func(card, other string) bool {
		if card[1:] == other[1:] {
			return rank(card) > rank(other)
		}
		return card[1:] == ask.View.Trump
	}
	best := ""
	for _, play := range ask.View.Trick {
		if card, ok := play[1].(string); ok && (best == "" || beats(card, best)) {
			best = card
		}
	}
	slices.SortStableFunc(cards, func(a, b string) int { return rank(a) - rank(b) })
	wins := func(card string) bool { return best != "" && beats(card, best) }
	return cards[max(0, slices.IndexFunc(cards, wins))]
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
	for b := (bot{}); !bye; {
		for _, answer := range answers {
			data, _ := json.Marshal(answer)
			must(socket.Send(zmq4.NewMsg(data)))
		}
		received, err := socket.Recv()
		must(err)
		answers, bye = b.take(received.Bytes())
	}
}
