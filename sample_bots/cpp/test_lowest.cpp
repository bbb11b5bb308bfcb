// Checks of the bot: its choices at some positions, and its answers to recorded conversations
// (files of protocol/vectors, named on the command line). Ends with 1 if a check fails.
#define main bot_main
#include "lowest.cpp"
#undef main

#include <algorithm>
#include <fstream>

static int failures = 0, asks = 0;

static void check(bool good, const std::string &what, const std::string &detail) {
    if (!good) {
        std::cerr << "failed: " << what << ": " << detail << '\n';
        failures++;
    }
}

struct Position {
    std::string what, game, rules, view, legal, right; // rules, view and legal are JSON
};

static const Position positions[] = {
    {"bids take the first action", "huutopussi", R"({"rank_order": "ace_ten"})",
     R"({"phase": "bid", "trick": []})", R"(["pass", "bid:55", "bid:60"])", "pass"},
    {"a word of two letters is no card", "huutopussi", R"({"rank_order": "ace_ten"})",
     R"({"phase": "answer", "trick": [[1, "TH"]]})", R"(["no", "name:H"])", "no"},
    {"a lead is the lowest card, not the first", "huutopussi", R"({"rank_order": "ace_ten"})",
     R"({"phase": "play", "trump": "H", "trick": []})",
     R"(["KS", "9H", "7D", "declare:S", "whole"])", "7D"},
    {"of equal ranks the first in legal", "minnesota", "{}",
     R"({"phase": "play", "contract": "high", "trick": []})", R"(["9S", "4H", "4D", "4C"])", "4H"},
    {"the lowest card that wins", "tuppi", R"({"sooli_ace": "low"})",
     R"({"phase": "play", "contract": "rami", "trick": [[0, "5H"], [1, "9H"], [2, "2H"]]})",
     R"(["3H", "JH", "KH", "AH"])", "JH"},
    {"a card of another suit does not win", "tuppi", R"({"sooli_ace": "low"})",
     R"({"phase": "play", "contract": "nolo", "trick": [[0, "5H"], [1, "9H"]]})",
     R"(["KS", "3D", "AC"])", "3D"},
    {"the lowest card where none wins", "minnesota", "{}",
     R"({"phase": "play", "contract": "low", "trick": [[3, "TC"], [0, "KC"]]})",
     R"(["9C", "JC", "QC"])", "9C"},
    {"ten above king in ace_ten", "marjapussi", "{}",
     R"({"phase": "play", "trump": null, "trick": [[3, "KD"]]})", R"(["QD", "TD", "AD"])", "TD"},
    {"ten below jack in plain", "huutopussi", R"({"rank_order": "plain"})",
     R"({"phase": "play", "contract": 50, "trick": [[3, "JD"]]})", R"(["7D", "TD", "QD"])", "QD"},
    {"ten above king where the rules say so", "huutopussi", R"({"rank_order": "ace_ten"})",
     R"({"phase": "play", "contract": 50, "trick": [[3, "KD"]]})", R"(["9D", "TD"])", "TD"},
    {"ten above king in Bondtolva", "bondtolva", "{}", R"({"phase": "play", "trick": [[1, "KD"]]})",
     R"(["9D", "TD"])", "TD"},
    {"cards that are not for a trick", "huutopussi", "{}", R"({"phase": "show", "trick": []})",
     R"(["KS", "7S"])", "KS"},
    {"the ace leads sooli", "tuppi", R"({"sooli_ace": "low"})",
     R"({"phase": "play", "contract": "sooli", "trick": []})", R"(["2S", "AS", "KH"])", "AS"},
    {"a trump takes a plain suit", "bondtolva", "{}",
     R"({"phase": "play", "trump": "C", "trick": [[1, "AS"]]})", R"(["9S", "9C", "TC", "7H"])",
     "9C"},
    {"only a higher trump takes a trump", "bondtolva", "{}",
     R"({"phase": "play", "trump": "C", "trick": [[1, "AS"], [0, "QC"]]})", R"(["9C", "KC", "TC"])",
     "KC"},
    {"a later trump is what has to be beaten", "marjapussi", "{}",
     R"({"phase": "play", "trump": "D", "trick": [[1, "8H"], [2, "7D"], [3, "AH"]]})",
     R"(["6H", "AH", "9D", "8D"])", "8D"},
    {"the ace is lowest in sooli", "tuppi", R"({"sooli_ace": "low"})",
     R"({"phase": "play", "contract": "sooli", "trick": [[1, "2S"]]})", R"(["AS", "KS", "9S"])",
     "9S"},
    {"the ace is highest in sooli too, where the rules say so", "tuppi", R"({"sooli_ace": "high"})",
     R"({"phase": "play", "contract": "sooli", "trick": [[1, "KS"]]})", R"(["2S", "AS"])", "AS"},
    {"an unknown game of a later version", "preference", "null", R"({"phase": "play"})",
     R"(["swap:TH", "??", "1S"])", "swap:TH"},
};

static void try_position(const Position &position) {
    json ask{{"view", json::parse(position.view)}, {"legal", json::parse(position.legal)}};
    ask["view"]["game"] = position.game;
    const std::string action = choose(ask, json::parse(position.rules));
    check(action == position.right, position.what, action);
}

/// One line of the referee: an ask is answered by a legal action, a ping by a pong.
static void try_message(Bot &bot, const json &message, const std::string &path) {
    const json reply = bot.answer(message);
    const bool same_id = !reply.is_null() && reply.at("id") == message.at("id");
    if (text(message, "type") == "ask") {
        const json &legal = message.at("legal");
        const bool found =
            same_id && std::find(legal.begin(), legal.end(), reply.at("action")) != legal.end();
        check(found && text(reply, "type") == "act", "an ask is answered", path);
        asks++;
    } else if (text(message, "type") == "ping") {
        check(same_id && text(reply, "type") == "pong", "a ping is answered", path);
    } else {
        check(reply.is_null(), "nothing else is answered", path);
    }
}

/// A recorded conversation. The bot agrees on no batches, so those are passed over.
static void try_file(const std::string &path) {
    std::ifstream file(path);
    check(file.good(), "a file can be read", path);
    Bot bot;
    for (std::string line; std::getline(file, line);) {
        const json entry = json::parse(line);
        if (text(entry, "from") == "referee" && text(entry.at("message"), "type") != "batch")
            try_message(bot, entry.at("message"), path);
    }
}

/// Rules are kept by table, from its start to the end that is its last.
static void try_tables() {
    Bot bot;
    const auto take = [&](const char *message) { return bot.answer(json::parse(message)); };
    const auto plays = [&](const char *right, const std::string &what) {
        const json reply = take(R"({"type": "ask", "table": 3, "id": 1, "legal": ["9D", "TD"],
            "view": {"game": "huutopussi", "phase": "play", "trick": [[0, "KD"]]}})");
        check(text(reply, "action") == right, what, reply.dump());
    };
    take(R"({"type": "start", "table": 3, "rules": {"rank_order": "ace_ten"}})");
    take(R"({"type": "start", "table": 4, "rules": {"rank_order": "plain"}})");
    plays("TD", "each table has its rules");
    take(R"({"type": "end", "table": 3, "over": false})");
    plays("TD", "a table goes on after its first deal");
    take(R"({"type": "end", "table": 3, "over": true})");
    plays("9D", "a table that is over is forgotten");
}

int main(int count, char **paths) {
    for (const Position &position : positions)
        try_position(position);
    try_tables();
    for (int i = 1; i < count; i++)
        try_file(paths[i]);
    check(asks > 0, "files with asks are named on the command line", "none");
    for (const char *broken : {R"({"type": "ask", "table": 1, "id": 1, "view": {}, "legal": []})",
                               R"({"type": "ask", "table": 1})", R"({"type": "ping"})"}) {
        try {
            Bot().answer(json::parse(broken));
            check(false, "a broken message is refused", broken);
        } catch (const json::exception &) {
        }
    }
    for (const char *unknown : {"3", "null", "[]", R"({"type": 7})", R"({"type": "weather"})"})
        check(Bot().answer(json::parse(unknown)).is_null(), "unknown is ignored", unknown);
    std::cout << asks << " asks answered, " << failures << " failures\n";
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
