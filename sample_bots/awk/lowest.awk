# A bot for every game of the protocol: it wins each trick as cheaply as it can.
# Its policy is `decide`; all the rest is the protocol.

BEGIN {
	# Ranks from low to high.
	ACE_TEN = "23456789JQKTA"
	PLAIN = "23456789TJQKA"
	ACE_LOW = "A23456789TJQK"
	if (ENVIRON["REFEREE_ENDPOINT"] == "" || ENVIRON["REFEREE_TOKEN"] == "") {
		complain("REFEREE_ENDPOINT or REFEREE_TOKEN is not set: a referee starts this bot")
		exit 1
	}
	say("{\"type\": \"hello\", \"protocol\": [1], \"tables\": 64, \"name\": \"lowest-awk\", " \
		"\"token\": \"" ENVIRON["REFEREE_TOKEN"] "\"}")
}

# Every line is a message; rank_order and sooli_ace are kept for every table in play.
{
	read_message($0)
	type = field(".type")
	table = field(".table")
}

type == "" { complain("odd message " $0) }

type == "start" {
	rank_order[table] = field(".rules.rank_order")
	sooli_ace[table] = field(".rules.sooli_ace")
}

type == "end" && field(".over") == "true" {
	delete rank_order[table]
	delete sooli_ace[table]
}

type == "ask" {
	action = decide(ranks(table))
	if (action == "")
		complain("odd message " $0)
	else
		say("{\"type\": \"act\", \"id\": " field(".id") ", \"action\": \"" action "\"}")
}

type == "ping" { say("{\"type\": \"pong\", \"id\": " field(".id") "}") }

type == "fault" { complain($0) }

type == "bye" { exit }

# The lowest card that wins the trick as it lies, else the lowest card; where there is no card to
# play, the first legal action.
function decide(order,    best, card, lowest, n, winner) {
	best = lowest = winner = ""
	for (n = 0; (card = field(".view.trick." n ".1")) != ""; n++)
		if (best == "" || beats(card, best, order))
			best = card
	for (n = 0; (card = field(".legal." n)) != ""; n++) {
		if (card !~ /^[2-9TJQKA][SHDC]$/)
			continue
		if (lowest == "" || rank(card, order) < rank(lowest, order))
			lowest = card
		if (best != "" && beats(card, best, order))
			if (winner == "" || rank(card, order) < rank(winner, order))
				winner = card
	}
	if (field(".view.phase") != "play" || lowest == "")
		return field(".legal.0")
	return winner == "" ? lowest : winner
}

function beats(card, other, order) {
	if (substr(card, 2) == substr(other, 2))
		return rank(card, order) > rank(other, order)
	return substr(card, 2) == field(".view.trump")
}

function rank(card, order) {
	return index(order, substr(card, 1, 1))
}

# The ranks from low to high in this deal of a table.
function ranks(number,    game) {
	game = field(".view.game")
	if (field(".view.contract") == "sooli" && sooli_ace[number] == "low")
		return ACE_LOW
	if (rank_order[number] == "ace_ten" || game == "marjapussi" || game == "bondtolva")
		return ACE_TEN
	return PLAIN
}

function say(line) {
	print line
	fflush()
}

function complain(line) {
	print "lowest: " line > "/dev/stderr"
}

# A value of the message, by its path: .view.trick.0.1 is the card that was led. Empty where there
# is none.
function field(path) {
	return path in value ? value[path] : ""
}

# Read a message of JSON into `value`; an odd one leaves it empty.
function read_message(text) {
	delete value
	last = patsplit(text, token, /"([^"\\]|\\.)*"|[][{}:,]|[^][{}:," \t\r]+/)
	at = 0
	if (last > 0 && token[1] == "{")
		read_value("")
}

# Read one value, from the token after `at`.
function read_value(path,    n, name) {
	if (++at > last)
		return
	if (token[at] != "{" && token[at] != "[") {
		value[path] = plain(token[at])
		return
	}
	for (n = 0; at < last && token[at + 1] !~ /^[]}]$/; n++) {
		name = n
		if (at + 2 <= last && token[at + 2] == ":") {
			name = plain(token[at + 1])
			at += 2
		}
		read_value(path "." name)
		if (at < last && token[at + 1] == ",")
			at++
	}
	at++
}

# A token without its quotes; the protocol's own words have nothing to unescape.
function plain(text) {
	gsub(/^"|"$/, "", text)
	return text
}
