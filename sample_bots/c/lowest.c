/* A bot for every game of the protocol: in a trick it plays the lowest card that wins it,
 * else its lowest card; everywhere else it gives the first legal action. See README.md. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    return action && strlen(action) == 2 && strchr(PLAIN, action[0]) && strchr("SHDC", action[1]);
}

/* The ranks that count at this table, from low to high. */
static const char *rank_order(const json_t *view, const json_t *rules) {
    if (is(view, "contract", "sooli") && is(rules, "sooli_ace", "low"))
        return ACE_LOW;
    const bool ace_ten = is(rules, "rank_order", "ace_ten") || is(view, "game", "marjapussi") ||
                         is(view, "game", "bondtolva");
    return ace_ten ? ACE_TEN : PLAIN;
}

/* Whether a card ranks below the other one, or there is no other one. */
static bool lower(const char *card, const char *other, const char *order) {
    return other == NULL || strchr(order, card[0]) < strchr(order, other[0]);
}

/* Whether a card played now takes the trick from the card that is winning it. */
static bool beats(const char *card, const char *winning, const char *order, const char *trump) {
    return card[1] == winning[1] ? lower(winning, card, order) : trump && card[1] == trump[0];
}

/* The policy. Returns one of the ask's legal actions, or NULL where the ask has none. */
static const char *choose(const json_t *ask, const json_t *start) {
    const json_t *view = json_object_get(ask, "view"), *legal = json_object_get(ask, "legal");
    const json_t *trick = json_object_get(view, "trick");
    const char *order = rank_order(view, json_object_get(start, "rules"));
    const char *trump = json_string_value(json_object_get(view, "trump"));
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
    snprintf(table, sizeof table, "%lld", json_integer_value(json_object_get(message, "table")));
    if (is(message, "type", "start"))
        json_object_set(starts, table, message);
    else if (is(message, "type", "end") && json_is_true(json_object_get(message, "over")))
        json_object_del(starts, table);
    else if (is(message, "type", "ping"))
        return json_pack("{s:s, s:O}", "type", "pong", "id", id);
    else if (is(message, "type", "ask"))
        return json_pack("{s:s, s:O, s:s}", "type", "act", "id", id, "action",
                         choose(message, json_object_get(starts, table)));
    return NULL;
}

/* Sends a message, if there is one, and releases it. */
static void send_json(void *socket, json_t *message) {
    char *text = json_dumps(message, JSON_COMPACT);
    if (text != NULL)
        zmq_send(socket, text, strlen(text), 0);
    free(text);
    json_decref(message);
}

int main(void) {
    const char *endpoint = getenv("REFEREE_ENDPOINT"), *token = getenv("REFEREE_TOKEN");
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    const int linger = 200;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    if (endpoint == NULL || token == NULL || zmq_connect(socket, endpoint) != 0) {
        fputs("lowest: set REFEREE_ENDPOINT (an address) and REFEREE_TOKEN\n", stderr);
        return EXIT_FAILURE;
    }
    starts = json_object();
    send_json(socket, json_pack("{s:s, s:[i], s:s, s:s, s:i}", "type", "hello", "protocol", 1,
                                "token", token, "name", "lowest-c", "tables", 64));
    zmq_pollitem_t items[] = {{socket, 0, ZMQ_POLLIN, 0}, {NULL, 0, ZMQ_POLLIN, 0}};
    bool more = zmq_poll(items, 2, 10000) > 0;
    const int status = more ? EXIT_SUCCESS : EXIT_FAILURE;
    if (!more)
        fputs("lowest: no answer to hello\n", stderr);
    /* Standard input (0) stays empty: if only that is ready it has ended, and the referee too. */
    while (more && zmq_poll(items, 2, -1) > 0 && items[0].revents != 0) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        zmq_msg_recv(&frame, socket, 0);
        json_t *message = json_loadb(zmq_msg_data(&frame), zmq_msg_size(&frame), 0, NULL);
        more = !is(message, "type", "bye");
        send_json(socket, answer(message));
        json_decref(message);
        zmq_msg_close(&frame);
    }
    json_decref(starts);
    zmq_close(socket);
    zmq_ctx_term(context);
    return status;
}
