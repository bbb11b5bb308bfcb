// A bot for every game of the protocol: it wins each trick as cheaply as it can.
// Its policy is `decide`; all the rest is the protocol.

import process from "node:process";
import { pathToFileURL } from "node:url";
import { Dealer } from "zeromq";

// Ranks from low to high.
const ACE_TEN = "23456789JQKTA";
const PLAIN = "23456789TJQKA";
const ACE_LOW = "A23456789TJQK";

const isCard = (action) => /^[2-9TJQKA][SHDC]$/.test(action);

/** The ranks from low to high in this deal. */
function rankOrder(view, rules) {
  if (view.contract === "sooli" && rules.sooli_ace === "low") return ACE_LOW;
  const aceTen = rules.rank_order === "ace_ten" || ["marjapussi", "bondtolva"].includes(view.game);
  return aceTen ? ACE_TEN : PLAIN;
}

/**
 * The lowest card that wins the trick as it lies, else the lowest card; where there is no card to
 * play, the first legal action.
 */
export function decide(view, legal, rules) {
  const cards = legal.filter(isCard);
  if (view.phase !== "play" || cards.length === 0) return legal[0];
  const order = rankOrder(view, rules);
  const rank = (card) => order.indexOf(card[0]);
  const beats = (card, other) =>
    card[1] === other[1] ? rank(card) > rank(other) : card[1] === view.trump;
  const lowest = (some) => some.reduce((low, card) => (rank(card) < rank(low) ? card : low));

  const trick = view.trick.map(([, card]) => card);
  if (trick.length === 0) return lowest(cards);
  const best = trick.reduce((winner, card) => (beats(card, winner) ? card : winner));
  const winners = cards.filter((card) => beats(card, best));
  return lowest(winners.length > 0 ? winners : cards);
}

/** What a bot says to the messages of the referee; it keeps the rules of every table in play. */
export class Lowest {
  #rules = new Map();

  /** The answers to one message; most need none. */
  answers(message) {
    switch (message?.type) {
      case "start":
        this.#rules.set(message.table, message.rules ?? {});
        return [];
      case "end":
        if (message.over) this.#rules.delete(message.table);
        return [];
      case "ask":
        return [{ type: "act", id: message.id, action: this.#choose(message) }];
      case "ping":
        return [{ type: "pong", id: message.id }];
      case "batch":
        return message.messages.flatMap((part) => this.answers(part));
      case "fault":
        console.error(`lowest: ${JSON.stringify(message)}`);
        return [];
      default:
        return []; // of a later version, perhaps
    }
  }

  #choose({ table, view, legal }) {
    try {
      return decide(view, legal, this.#rules.get(table) ?? {});
    } catch (error) {
      console.error("lowest: odd ask:", error);
      return legal[0];
    }
  }
}

async function main() {
  const { REFEREE_ENDPOINT: endpoint, REFEREE_TOKEN: token } = process.env;
  if (!endpoint || !token) {
    throw new Error("REFEREE_ENDPOINT or REFEREE_TOKEN is not set: a referee starts this bot");
  }
  process.stdin.resume().on("end", () => process.exit(0)); // it ends when the referee is gone

  const socket = new Dealer({ linger: 200 });
  socket.connect(endpoint);
  const send = (message) => socket.send(JSON.stringify(message));
  const about = { name: "lowest-javascript", version: "1.0.0", tables: 64, batch: true };
  await send({ type: "hello", protocol: [1], token, ...about });

  socket.receiveTimeout = 10_000; // for welcome alone
  const bot = new Lowest();
  for await (const [frame] of socket) {
    socket.receiveTimeout = -1;
    try {
      const message = JSON.parse(frame.toString());
      if (message?.type === "bye") break;
      for (const answer of bot.answers(message)) await send(answer);
    } catch (error) {
      console.error(`lowest: odd message ${frame}:`, error);
    }
  }
  socket.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main().then(
    () => process.exit(0),
    (error) => {
      console.error(`lowest: ${error.message}`);
      process.exit(1);
    },
  );
}
