package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// line is a line of a recorded conversation; the first one has Answers, the others From.
type line struct {
	From    string
	Message json.RawMessage
	Answers map[string]string
}

func readLines(t *testing.T, path string) (lines []line) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var one line
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		lines = append(lines, one)
	}
	return lines
}

func isConversation(lines []line) bool {
	return slices.ContainsFunc(lines, func(one line) bool { return one.From == "referee" })
}

// parts returns a message, or the messages of a batch.
func parts(t *testing.T, data []byte) (found []object) {
	t.Helper()
	var whole struct{ Messages []object }
	var single object
	for _, target := range []any{&whole, &single} {
		if err := json.Unmarshal(data, target); err != nil {
			t.Fatal(err)
		}
	}
	if single["type"] == "batch" {
		return whole.Messages
	}
	return []object{single}
}

// recorded returns the actions of the recording by the id of their ask.
func recorded(t *testing.T, lines []line) map[float64]any {
	t.Helper()
	actions := map[float64]any{}
	for _, one := range lines {
		if one.From == "bot" {
			for _, part := range parts(t, one.Message) {
				if part["type"] == "act" {
					actions[part["id"].(float64)] = part["action"]
				}
			}
		}
	}
	return actions
}

func TestRecordedConversationsAreAnswered(t *testing.T) {
	paths, err := filepath.Glob("../../protocol/vectors/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	games := map[any]bool{}
	for _, path := range paths {
		lines := readLines(t, path)
		if !isConversation(lines) {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			said := recorded(t, lines)
			b := bot{}
			for _, one := range lines {
				if one.From != "referee" {
					continue
				}
				answers, bye := b.take(one.Message)
				for _, part := range parts(t, one.Message) {
					if bye != (part["type"] == "bye") {
						t.Errorf("bye: %v after %s", bye, part)
					}
					if part["type"] != "ask" && part["type"] != "ping" {
						continue
					}
					if len(answers) == 0 {
						t.Fatalf("no answer to %s", part)
					}
					check(t, part, answers[0], said, lines[0].Answers)
					answers = answers[1:]
					if view, ok := part["view"].(map[string]any); ok {
						games[view["game"]] = true
					}
				}
				if len(answers) > 0 {
					t.Errorf("answers that nobody asked for: %v", answers)
				}
			}
		})
	}
	for _, game := range []string{"huutopussi", "marjapussi", "bondtolva", "tuppi", "minnesota"} {
		if !games[game] {
			t.Errorf("no conversation asks about %s", game)
		}
	}
}

// check compares an answer with its ask or ping, and with the recording where that took legal[0].
func check(t *testing.T, part, answer object, said map[float64]any, otherwise map[string]string) {
	t.Helper()
	if id, _ := answer["id"].(int64); float64(id) != part["id"] {
		t.Errorf("%v answers %v", answer, part)
	}
	if part["type"] == "ping" {
		if answer["type"] != "pong" {
			t.Errorf("%v answers a ping", answer)
		}
		return
	}
	legal := part["legal"].([]any)
	if answer["type"] != "act" || !slices.Contains(legal, any(answer["action"])) {
		t.Errorf("%v is not one of %v", answer, legal)
	}
	view := part["view"].(map[string]any)
	_, other := otherwise[string(mustJSON(t, part["id"]))]
	if view["phase"] != "play" && !other && answer["action"] != said[part["id"].(float64)] {
		t.Errorf("%v, but the recording says %v", answer, said[part["id"].(float64)])
	}
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecide(t *testing.T) {
	cases := []struct{ name, start, view, legal, want string }{
		{"no card to play", `{}`, `{"phase": "bid"}`, `["pass", "bid:50"]`, "pass"},
		{"cards to give are no cards to play", `{}`, `{"phase": "give"}`, `["give:KS", "give:6H"]`, "give:KS"},
		{"leads low and declares nothing", `{}`, `{"phase": "play", "trick": []}`, `["KS", "7H", "whole", "declare:S"]`, "7H"},
		{"wins cheaply", `{}`, `{"phase": "play", "trick": [[1, "TS"]]}`, `["2S", "JS", "AS"]`, "JS"},
		{"cannot win", `{}`, `{"phase": "play", "trick": [[1, "AS"]]}`, `["QS", "9S"]`, "9S"},
		{"the ten beats the king", `{"game": "marjapussi"}`, `{"phase": "play", "trick": [[1, "KS"]]}`, `["JS", "TS"]`, "TS"},
		{"by its rules", `{"game": "huutopussi", "rules": {"rank_order": "ace_ten"}}`,
			`{"phase": "play", "trick": [[1, "TS"]]}`, `["7S", "KS"]`, "7S"},
		{"a plain ten", `{"game": "huutopussi", "rules": {"rank_order": "plain"}}`,
			`{"phase": "play", "trick": [[1, "TS"]]}`, `["7S", "KS"]`, "KS"},
		{"trumps", `{}`, `{"phase": "play", "trump": "H", "trick": [[1, "AS"], [2, "2D"]]}`, `["4D", "5H", "3H"]`, "3H"},
		{"overtrumps", `{}`, `{"phase": "play", "trump": "H", "trick": [[1, "AS"], [2, "5H"], [3, "KS"]]}`,
			`["4H", "8H", "9H"]`, "8H"},
		{"the low ace of sooli", `{"game": "tuppi", "rules": {"sooli_ace": "low"}}`,
			`{"phase": "play", "contract": "sooli", "trick": [[1, "2S"]]}`, `["4S", "AS"]`, "4S"},
		{"the high ace of rami", `{"game": "tuppi", "rules": {"sooli_ace": "low"}}`,
			`{"phase": "play", "contract": "rami", "trick": [[1, "KS"]]}`, `["4S", "AS"]`, "AS"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var ask, start message
			text := `{"type": "ask", "view": ` + c.view + `, "legal": ` + c.legal + `}`
			for text, target := range map[string]*message{text: &ask, c.start: &start} {
				if err := json.Unmarshal([]byte(text), target); err != nil {
					t.Fatal(err)
				}
			}
			if got := decide(ask, start); got != c.want {
				t.Errorf("decide: %s, want %s", got, c.want)
			}
		})
	}
}

func TestOddMessagesArePassedOver(t *testing.T) {
	for _, text := range []string{``, `{`, `[]`, `null`, `3`, `{"type": 3}`, `{"type": "ask", "legal": []}`,
		`{"type": "batch", "messages": [[], 3, {"type": "batch"}]}`} {
		if answers, bye := (bot{}).take([]byte(text)); len(answers) > 0 || bye {
			t.Errorf("%s: %v %v", text, answers, bye)
		}
	}
	odd := `{"type": "ask", "id": 7, "view": {"phase": "play", "trick": [[], 3, [1]]}, "legal": ["6S"]}`
	if answers, _ := (bot{}).take([]byte(odd)); len(answers) != 1 || answers[0]["action"] != "6S" {
		t.Errorf("%s: %v", odd, answers)
	}
}
