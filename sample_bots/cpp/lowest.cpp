// A bot for every game of the protocol: in a trick it plays the lowest card that wins it,
// else its lowest card; everywhere else it gives the first legal action. See README.md.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <zmq.hpp>

using nlohmann::json;

constexpr std::string_view plain = "23456789TJQKA";
constexpr std::string_view ace_ten = "23456789JQKTA";
constexpr std::string_view ace_low = "A23456789TJQK";

/// The text in a field of an object; empty where there is none.
std::string text(const json &object, const char *field) {
    const auto found = object.find(field);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

bool is_card(const std::string &action) {
    return action.size() == 2 && plain.find(action[0]) != plain.npos &&
           std::string_view("SHDC").find(action[1]) != plain.npos;
}

/// The ranks that count at this table, from low to high.
std::string_view rank_order(const json &view, const json &rules) {
    if (text(view, "contract") == "sooli" && text(rules, "sooli_ace") == "low")
        return ace_low;
    const std::string game = text(view, "game");
    const bool always = game == "marjapussi" || game == "bondtolva";
    return always || text(rules, "rank_order") == "ace_ten" ? ace_ten : plain;
}

/// The policy: one of the ask's legal actions. Throws json::exception where there is none.
std::string choose(const json &ask, const json &rules) {
    const json &view = ask.at("view");
    const std::string_view order = rank_order(view, rules);
    const std::string trump = text(view, "trump");
    const auto lower = [&](const std::string &card, const std::string &other) {
        return other.empty() || order.find(card[0]) < order.find(other[0]);
    };
    // Whether a card played now takes the trick from the card that is winning it.
    const auto beats = [&](const std::string &card, const std::string &winning) {
        return card[1] == winning[1] ? lower(winning, card) : card.substr(1) == trump;
    };
    std::string best, lowest, winner;
    for (const json &played : view.value("trick", json::array())) {
        const auto card = played.at(1).get<std::string>();
        if (is_card(card) && (best.empty() || beats(card, best)))
            best = card;
    }
    for (const json &action : ask.at("legal")) {
        const auto card = action.get<std::string>();
        if (text(view, "phase") != "play" || !is_card(card))
            continue;
        if (lower(card, lowest))
            lowest = card;
        if (!best.empty() && beats(card, best) && lower(card, winner))
            winner = card;
    }
    if (lowest.empty())
        return ask.at("legal").at(0).get<std::string>();
    return winner.empty() ? lowest : winner;
}

/// The bot between two messages: it knows the rules of each table in play.
struct Bot {
    std::map<std::int64_t, json> rules;

    /// What is to be sent for one message, or null. Throws json::exception if it is broken.
    json answer(const json &message) {
        const std::string type = text(message, "type");
        if (type == "ping")
            return {{"type", "pong"}, {"id", message.at("id")}};
        if (type == "ask")
            return {{"type", "act"},
                    {"id", message.at("id")},
                    {"action", choose(message, rules[message.at("table")])}};
        if (type == "start")
            rules[message.at("table")] = message.at("rules");
        else if (type == "end" && message.at("over"))
            rules.erase(message.at("table").get<std::int64_t>());
        return nullptr;
    }
};

int main() try {
    const char *endpoint = std::getenv("REFEREE_ENDPOINT"), *token = std::getenv("REFEREE_TOKEN");
    if (endpoint == nullptr || token == nullptr)
        throw std::runtime_error("needs REFEREE_ENDPOINT and REFEREE_TOKEN in its environment");
    zmq::context_t context;
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 200);
    socket.connect(endpoint);
    const auto send = [&](const json &message) { socket.send(zmq::buffer(message.dump())); };
    json hello = {{"type", "hello"}, {"token", token}, {"name", "lowest-cpp"}, {"tables", 64}};
    hello["protocol"] = {1};
    send(hello);
    zmq::pollitem_t items[] = {{socket, 0, ZMQ_POLLIN, 0}, {nullptr, 0, ZMQ_POLLIN, 0}};
    if (zmq::poll(items, 2, std::chrono::seconds(10)) == 0)
        throw std::runtime_error("no answer to hello");
    Bot bot;
    zmq::message_t frame;
    const std::chrono::milliseconds for_ever(-1);
    // Standard input (0) stays empty: if only that is ready it has ended, and the referee too.
    while (zmq::poll(items, 2, for_ever) > 0 && items[0].revents != 0 && socket.recv(frame)) {
        try {
            const json message = json::parse(frame.to_string_view());
            if (text(message, "type") == "bye")
                break;
            if (const json reply = bot.answer(message); !reply.is_null())
                send(reply);
        } catch (const json::exception &error) {
            std::cerr << "lowest: passed over a message: " << error.what() << '\n';
        }
    }
    return EXIT_SUCCESS;
} catch (const std::exception &error) {
    std::cerr << "lowest: " << error.what() << '\n';
    return EXIT_FAILURE;
}
