/* Checks of the bot: its choices at some positions, and its answers to recorded conversations
 * (files of protocol/vectors, named on the command line). Ends with 1 if a check fails. */
#define _POSIX_C_SOURCE 200809L
#define main bot_main
#include "lowest.c"
#undef main

/* One ask, and the action that is right. Lists are written with spaces; NULL is a JSON null. */
struct position {
    const char *what, *game, *phase, *contract, *trump, *rank_order, *sooli_ace;
    const char *trick, *legal, *right;
};

static const struct position positions[] = {
    {"bids take the first action", "huutopussi", "bid", NULL, NULL, "ace_ten", NULL, "",
     "pass bid:55 bid:60", "pass"},
    {"a word of two letters is no card", "huutopussi", "answer", NULL, NULL, "ace_ten", NULL, "TH",
     "no name:H", "no"},
    {"a lead is the lowest card, not the first", "huutopussi", "play", NULL, "H", "ace_ten", NULL,
     "", "KS 9H 7D declare:S whole", "7D"},
    {"of equal ranks the first in legal", "minnesota", "play", "high", NULL, NULL, NULL, "",
     "9S 4H 4D 4C", "4H"},
    {"the lowest card that wins", "tuppi", "play", "rami", NULL, NULL, "low", "5H 9H 2H",
     "3H JH KH AH", "JH"},
    {"a card of another suit does not win", "tuppi", "play", "nolo", NULL, NULL, "low", "5H 9H",
     "KS 3D AC", "3D"},
    {"the lowest card where none wins", "minnesota", "play", "low", NULL, NULL, NULL, "TC KC",
     "9C JC QC", "9C"},
    {"ten above king in ace_ten", "marjapussi", "play", NULL, NULL, NULL, NULL, "KD", "QD TD AD",
     "TD"},
    {"ten below jack in plain", "huutopussi", "play", NULL, NULL, "plain", NULL, "JD", "7D TD QD",
     "QD"},
    {"ten above king where the rules say so", "huutopussi", "play", NULL, NULL, "ace_ten", NULL,
     "KD", "9D TD", "TD"},
    {"ten above king in Bondtolva", "bondtolva", "play", NULL, NULL, NULL, NULL, "KD", "9D TD",
     "TD"},
    {"a trump takes a plain suit", "bondtolva", "play", NULL, "C", NULL, NULL, "AS", "9S 9C TC 7H",
     "9C"},
    {"only a higher trump takes a trump", "bondtolva", "play", NULL, "C", NULL, NULL, "AS QC",
     "9C KC TC", "KC"},
    {"a later trump is what has to be beaten", "marjapussi", "play", NULL, "D", NULL, NULL,
     "8H 7D AH", "6H AH 9D 8D", "8D"},
    {"the ace is lowest in sooli", "tuppi", "play", "sooli", NULL, NULL, "low", "2S", "AS KS 9S",
     "9S"},
    {"the ace leads sooli", "tuppi", "play", "sooli", NULL, NULL, "low", "", "2S AS KH", "AS"},
    {"the ace is highest in sooli too, where the rules say so", "tuppi", "play", "sooli", NULL,
     NULL, "high", "KS", "2S AS", "AS"},
    {"cards that are not for a trick", "huutopussi", "show", NULL, NULL, "ace_ten", NULL, "",
     "KS 7S", "KS"},
    {"unknown actions of later versions", "huutopussi", "play", NULL, NULL, "ace_ten", NULL, "",
     "swap:TH ?? 1S", "swap:TH"},
};

static int failures, asks;

static void check(bool good, const char *what, const char *detail) {
    if (!good) {
        fprintf(stderr, "failed: %s: %s\n", what, detail);
        failures++;
    }
}

/* The words of a text as a JSON list; with seats as the protocol writes a trick. */
static json_t *words(const char *text, bool seats) {
    json_t *list = json_array();
    for (size_t length; *(text += strspn(text, " ")) != '\0'; text += length) {
        length = strcspn(text, " ");
        json_t *word = json_stringn(text, length);
        json_array_append_new(list, seats ? json_pack("[i, o]", 0, word) : word);
    }
    return list;
}

static void try_position(const struct position *p) {
    json_t *start = json_pack("{s:{s:s*, s:s*}}", "rules", "rank_order", p->rank_order, "sooli_ace",
                              p->sooli_ace);
    json_t *view =
        json_pack("{s:s, s:s, s:s?, s:s?, s:o}", "game", p->game, "phase", p->phase, "contract",
                  p->contract, "trump", p->trump, "trick", words(p->trick, true));
    json_t *ask = json_pack("{s:o, s:o}", "view", view, "legal", words(p->legal, false));
    const char *action = choose(ask, start);
    check(action != NULL && strcmp(action, p->right) == 0, p->what, action ? action : "nothing");
    json_decref(ask);
    json_decref(start);
}

/* One line of the referee: an ask is answered by a legal action, a ping by a pong. */
static void try_line(json_t *message, const char *path) {
    json_t *reply = answer(message);
    const json_t *legal = json_object_get(message, "legal");
    const char *action = json_string_value(json_object_get(reply, "action"));
    const bool same_id = json_equal(json_object_get(reply, "id"), json_object_get(message, "id"));
    bool found = false;
    for (size_t i = 0; action != NULL && i < json_array_size(legal); i++)
        found = found || strcmp(action, json_string_value(json_array_get(legal, i))) == 0;
    if (is(message, "type", "ask")) {
        check(found && same_id && is(reply, "type", "act"), "an ask is answered", path);
        asks++;
    } else if (is(message, "type", "ping")) {
        check(same_id && is(reply, "type", "pong"), "a ping is answered", path);
    } else {
        check(reply == NULL, "nothing else is answered", path);
    }
    json_decref(reply);
}

/* A recorded conversation. The bot agrees on no batches, so those are passed over. */
static void try_file(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    json_error_t error;
    check(file != NULL, "a file can be read", path);
    while (file != NULL && getline(&text, &size, file) > 0) {
        json_t *line = json_loads(text, 0, &error);
        json_t *message = json_object_get(line, "message");
        check(line != NULL, "a line is JSON", path);
        if (is(line, "from", "referee") && !is(message, "type", "batch"))
            try_line(message, path);
        json_decref(line);
    }
    free(text);
    if (file != NULL)
        fclose(file);
    json_object_clear(starts);
}

/* A table is known from its start to the end that is its last. */
static void try_table(void) {
    json_t *start = json_pack("{s:s, s:i, s:{}}", "type", "start", "table", 3, "rules");
    json_t *end = json_pack("{s:s, s:i, s:b}", "type", "end", "table", 3, "over", 0);
    json_t *last = json_pack("{s:s, s:i, s:b}", "type", "end", "table", 3, "over", 1);
    check(answer(start) == NULL && answer(end) == NULL, "no answer to start and end", "sent");
    check(json_object_size(starts) == 1, "a table goes on after its first deal", "forgotten");
    check(answer(last) == NULL && json_object_size(starts) == 0, "a table is over", "kept");
    json_decref(start);
    json_decref(end);
    json_decref(last);
}

int main(int count, char **paths) {
    starts = json_object();
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++)
        try_position(&positions[i]);
    try_table();
    for (int i = 1; i < count; i++)
        try_file(paths[i]);
    check(asks > 0, "files with asks are named on the command line", "none");
    json_t *broken = json_pack("{s:s, s:i, s:[]}", "type", "ask", "id", 1, "legal");
    check(answer(broken) == NULL && answer(NULL) == NULL, "no answer to what is no ask", "sent");
    json_decref(broken);
    json_decref(starts);
    printf("%d asks answered, %d failures\n", asks, failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
