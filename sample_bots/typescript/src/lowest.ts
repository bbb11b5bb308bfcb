// A bot for every game of the protocol: it wins each trick as cheaply as it can.
// Its policy is `decide`; all the rest is the protocol.

import process from "node:process";
import { pathToFileURL } from "node:url";
import { Dealer } from "zeromq";

export type Rules = Readonly<Record<string, unknown>>;

/** The fields of a view that the policy reads. */
export interface View {
  game: string;
  phase: string;
  trump: string | null;
  trick: [seat: number, card: string][];
  contract?: string | number | null;
}

/** The messages of the referee that this bot reads. */
export type Message =
  | { type: "start"; table: number; rules: Rules }
  | { type: "ask"; table: number; id: number; view: View; legal: string[] }
  | { type: "end"; table: number; over: boolean }
  | { type: "ping"; id: number }
  | { type: "batch"; messages: Message[] }
  | { type: "fault" | "bye" };

export type Answer = { type: "act"; id: number; action: string } | { type: "pong"; id: number };

// Ranks from low to high.
const ACE_TEN = "23456789JQKTA";
const PLAIN = "23456789TJQKA";
const ACE_LOW = "A23456789TJQK";

const isCard = (action: string): boolean => /^[2-9TJQKA][SHDC]$/.test(action);

/** The ranks from low to high in this deal. */
function rankOrder(view: View, rules: Rules): string {
  if (view.contract === "sooli" && rules["sooli_ace"] === "low") return ACE_LOW;
  const aceTen =
    rules["rank_order"] === "ace_ten" || ["marjapussi", "bondtolva"].includes(view.game);
  return aceTen ? ACE_TEN : PLAIN;
}

/**
 * The lowest card that wins the trick as it lies, else the lowest card; where there is no card to
 * play, the first legal action. Undefined only where nothing is legal.
 */
export function decide(view: View, legal: string[], rules: Rules): string | undefined {
  const cards = legal.filter(isCard);
  if (view.phase !== "play" || cards.length === 0) return legal[0];
  const order = rankOrder(view, rules);
  const rank = (card: string): number => order.indexOf(card.charAt(0));
  const suit = (card: string): string => card.charAt(1);
  const beats = (card: string, other: string): boolean =>
    suit(card) === suit(other) ? rank(card) > rank(other) : suit(card) === view.trump;
  const lowest = (some: string[]): string =>
    some.reduce((low, card) => (rank(card) < rank(low) ? card : low));

  const trick = view.trick.map(([, card]) => card);
  if (trick.length === 0) return lowest(cards);
  const best = trick.reduce((winner, card) => (beats(card, winner) ? card : winner));
  const winners = cards.filter((card) => beats(card, best));
  return lowest(winners.length > 0 ? winners : cards);
}

/** What a bot says to the messages of the referee; it keeps the rules of every table in play. */
export class Lowest {
  readonly #rules = new Map<number, Rules>();

  /** The answers to one message; most need none. */
  answers(message: Message): Answer[] {
    switch (message.type) {
      case "start":
        this.#rules.set(message.table, message.rules);
        return [];
      case "end":
        if (message.over) this.#rules.delete(message.table);
        return [];
      case "ask": {
        const rules = this.#rules.get(message.table) ?? {};
        const action = decide(message.view, message.legal, rules);
        return action === undefined ? [] : [{ type: "act", id: message.id, action }];
      }
      case "ping":
        return [{ type: "pong", id: message.id }];
      case "batch":
        return message.messages.flatMap((part) => this.answers(part));
      case "fault":
        console.error("lowest:", message);
        return [];
      default:
        return []; // of a later version, perhaps
    }
  }
}

async function main(): Promise<void> {
  const { REFEREE_ENDPOINT: endpoint, REFEREE_TOKEN: token } = process.env;
  if (!endpoint || !token) {
    throw new Error("REFEREE_ENDPOINT or REFEREE_TOKEN is not set: a referee starts this bot");
  }
  process.stdin.resume().on("end", () => process.exit(0)); // it ends when the referee is gone

  const socket = new Dealer({ linger: 200 });
  socket.connect(endpoint);
  const about = { name: "lowest-typescript", version: "1.0.0", tables: 64, batch: true };
  await socket.send(JSON.stringify({ type: "hello", protocol: [1], token, ...about }));

  socket.receiveTimeout = 10_000; // for welcome alone
  const bot = new Lowest();
  for await (const [frame] of socket) {
    socket.receiveTimeout = -1;
    const text = String(frame);
    try {
      // The shape is what the protocol promises; where it is another, it is told and passed over.
      const message = JSON.parse(text) as Message;
      if (message.type === "bye") break;
      for (const answer of bot.answers(message)) await socket.send(JSON.stringify(answer));
    } catch (error) {
      console.error(`lowest: odd message ${text}:`, error);
    }
  }
  socket.close();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error("lowest:", error instanceof Error ? error.message : error);
      process.exit(1);
    },
  );
}
