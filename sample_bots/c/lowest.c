/* A bot for every game of the protocol: in a trick it plays the lowest card that wins it,
 * else its lowest card; everywhere else it gives the first legal action. See README.md. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

static const char PLAIN[] = "23456789TJQKA";
static const char ACE_TEN[] = "23456789JQKTA";
static const char ACE_LOW[] = "A23456789TJQK";

static json_t *starts; /* table number as text -> start, while the table is in play */

/* Whether a field of an object is this text; false where there is no such object or field. */
static bool is(const json_t *object, const char *field, const char *wanted) {
    const char *value = json_string_value(json_object_get(object, field));
    return value != NULL && strcmp(value, wanted) == 0;
}

static bool is_card(const char *action) {
    return action != NULL && strlen(action) == 2 && strchr(PLAIN, action[0]) != NULL &&
           strchr("SHDC", action[1]) != NULL;
}

/* The ranks that count at this table, from low to high. */
static const char *rank_order(const json_t *view, const json_t *rules) {
    if (is(view, "contract", "sooli") && is(rules, "sooli_ace", "low"))
        return ACE_LOW;
    if (json_is_string(json_object_get(rules, "rank_order")))
        return is(rules, "rank_order", "ace_ten") ? ACE_TEN : PLAIN;
    return is(view, "game", "marjapussi") || is(view, "game", "bondtolva") ? ACE_TEN : PLAIN;
}

/* Whether a card ranks below the other one, or there is no other one. */
static bool lower(const char *card, const char *other, const char *order) {
    return other == NULL || strchr(order, card[0]) < strchr(order, other[0]);
}

/* Whether a card played now takes the trick from the card that is winning it. */
static bool beats(const char *card, const char *winning, const char *order, char trump) {
    return card[1] == winning[1] ? lower(winning, card, order) : card[1] == trump;
}

/* The policy. Returns one of the ask's legal actions, or NULL where the ask has none. */
static const char *choose(const json_t *ask, const json_t *start) {
    const json_t *view = json_object_get(ask, "view"), *legal = json_object_get(ask, "legal");
    const json_t *trick = json_object_get(view, "trick");
    const char *order = rank_order(view, json_object_get(start, "rules"));
    const char *suit = json_string_value(json_object_get(view, "trump"));
    const char trump = suit != NULL ? suit[0] : '\0';
    const char *winning = NULL, *lowest = NULL, *winner = NULL;

    for (size_t i = 0; i < json_array_size(trick); i++) {
        const char *card = json_string_value(json_array_get(json_array_get(trick, i), 1));
        if (is_card(card) && (winning == NULL || beats(card, winning, order, trump)))
            winning = card;
    }
    for (size_t i = 0; is(view, "phase", "play") && i < json_array_size(legal); i++) {
        const char *card = json_string_value(json_array_get(legal, i));
        if (!is_card(card))
            continue;
        if (lower(card, lowest, order))
            lowest = card;
        if (winning != NULL && beats(card, winning, order, trump) && lower(card, winner, order))
            winner = card;
    }
    return winner ? winner : lowest ? lowest : json_string_value(json_array_get(legal, 0));
}

/* What is to be sent for one message: a new object, or NULL for nothing. */
static json_t *answer(json_t *message) {
    char table[24];
    json_t *id = json_object_get(message, "id");
    snprintf(table, sizeof table, "%" JSON_INTEGER_FORMAT,
             json_integer_value(json_object_get(message, "table")));
    if (is(message, "type", "start")) {
        json_object_set(starts, table, message);
    } else if (is(message, "type", "end") && json_is_true(json_object_get(message, "over"))) {
        json_object_del(starts, table);
    } else if (is(message, "type", "ping") && id != NULL) {
        return json_pack("{s:s, s:O}", "type", "pong", "id", id);
    } else if (is(message, "type", "ask")) {
        const char *action = choose(message, json_object_get(starts, table));
        if (id != NULL && action != NULL)
            return json_pack("{s:s, s:O, s:s}", "type", "act", "id", id, "action", action);
        fputs("lowest: an ask without id or legal actions\n", stderr);
    }
    return NULL;
}

/* Sends a message, if there is one, and releases it. */
static void send_json(void *socket, json_t *message) {
    char *text = message != NULL ? json_dumps(message, JSON_COMPACT) : NULL;
    if (text != NULL && zmq_send(socket, text, strlen(text), 0) < 0)
        fprintf(stderr, "lowest: cannot send: %s\n", zmq_strerror(zmq_errno()));
    free(text);
    json_decref(message);
}

/* Reads and answers one message. Returns whether the bot plays on. */
static bool receive(void *socket) {
    zmq_msg_t frame;
    json_error_t error;
    zmq_msg_init(&frame);
    if (zmq_msg_recv(&frame, socket, 0) < 0)
        return true;
    json_t *message = json_loadb(zmq_msg_data(&frame), zmq_msg_size(&frame), 0, &error);
    if (message == NULL)
        fprintf(stderr, "lowest: no JSON from the referee: %s\n", error.text);
    const bool more = !is(message, "type", "bye");
    send_json(socket, answer(message));
    json_decref(message);
    zmq_msg_close(&frame);
    return more;
}

int main(void) {
    const char *endpoint = getenv("REFEREE_ENDPOINT"), *token = getenv("REFEREE_TOKEN");
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    const int linger = 200;
    long wait_ms = 10000; /* for the first message; for others there is no limit */
    bool more = true;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    if (endpoint == NULL || token == NULL || zmq_connect(socket, endpoint) != 0) {
        fprintf(stderr,
                "lowest: needs REFEREE_ENDPOINT (an address to connect to: %s) and "
                "REFEREE_TOKEN in its environment\n",
                endpoint ? endpoint : "missing");
        return EXIT_FAILURE;
    }
    starts = json_object();
    send_json(socket, json_pack("{s:s, s:[i], s:s, s:s, s:i}", "type", "hello", "protocol", 1,
                                "token", token, "name", "lowest-c", "tables", 64));
    zmq_pollitem_t items[] = {{socket, 0, ZMQ_POLLIN, 0}, {NULL, STDIN_FILENO, ZMQ_POLLIN, 0}};
    while (more && zmq_poll(items, 2, wait_ms) > 0) {
        char spare[64]; /* standard input stays empty; its end means that the referee is gone */
        more = items[0].revents != 0 ? receive(socket) : read(STDIN_FILENO, spare, 64) > 0;
        wait_ms = -1;
    }
    if (more)
        fputs("lowest: no word from the referee\n", stderr);
    json_decref(starts);
    zmq_close(socket);
    zmq_ctx_term(context);
    return more ? EXIT_FAILURE : EXIT_SUCCESS;
}
