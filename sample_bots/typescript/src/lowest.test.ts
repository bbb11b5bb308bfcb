// Replays the recorded conversations of the protocol, and checks the policy.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Answer, decide, Lowest, type Message, type Rules, type View } from "./lowest.js";

type Part<Whole> = Exclude<Whole, { type: "batch" }>;
type Said =
  | { from: "referee"; message: Message }
  | { from: "bot"; message: Answer | { type: "batch"; messages: Answer[] } };

interface Conversation {
  name: string;
  /** What the recording answers otherwise than by the first legal action, by id. */
  answers: Record<string, string>;
  said: Said[];
}

const VECTORS = new URL("../../../protocol/vectors/", import.meta.url);

function readConversation(name: string): Conversation {
  const lines = readFileSync(new URL(name, VECTORS), "utf8").trim().split("\n");
  const [head, ...said] = lines.map((line) => JSON.parse(line) as unknown);
  const { answers = {} } = head as Partial<Conversation>;
  return { name, answers, said: said as Said[] };
}

/** A message, or the messages of a batch. */
function parts<Whole extends { type: string }>(
  message: Whole | { type: "batch"; messages: Whole[] },
): Part<Whole>[] {
  const all = "messages" in message ? message.messages : [message];
  return all as Part<Whole>[];
}

const conversations = readdirSync(VECTORS)
  .filter((name) => name.endsWith(".jsonl"))
  .map(readConversation)
  .filter(({ said }) => said.some(({ from }) => from === "referee"));

const games = new Set<string>();

for (const { name, answers, said } of conversations) {
  test(`answers the conversation ${name}`, () => {
    const recorded = new Map<number, string>();
    for (const { from, message } of said) {
      if (from !== "bot") continue;
      for (const part of parts<Answer>(message)) {
        if (part.type === "act" && !(part.id in answers)) recorded.set(part.id, part.action);
      }
    }
    const bot = new Lowest();
    for (const { from, message } of said) {
      if (from !== "referee") continue;
      const given = bot.answers(message);
      for (const part of parts<Message>(message)) {
        if (part.type === "ask") {
          const act = given.shift();
          assert.ok(act?.type === "act" && act.id === part.id);
          assert.ok(part.legal.includes(act.action), `${act.action} is not legal`);
          const first = recorded.get(part.id);
          if (first !== undefined && part.view.phase !== "play") assert.equal(act.action, first);
          games.add(part.view.game);
        } else if (part.type === "ping") {
          assert.deepEqual(given.shift(), { type: "pong", id: part.id });
        }
      }
      assert.deepEqual(given, [], "an answer that nobody asked for");
    }
  });
}

test("the conversations ask about every game", () => {
  const all = ["bondtolva", "huutopussi", "marjapussi", "minnesota", "tuppi"];
  assert.deepEqual([...games].sort(), all);
});

/** A view of the phase `play`: the trick as text, and what differs. */
function view(trick: string, other: Partial<View> = {}): View {
  const cards = trick.split(" ").filter(Boolean);
  const plays = cards.map((card, seat): [number, string] => [seat, card]);
  return { game: "minnesota", phase: "play", trump: null, trick: plays, ...other };
}

const sooli = { game: "tuppi", contract: "sooli" };
const policy: [name: string, view: View, rules: Rules, legal: string, expected: string][] = [
  ["no card to play", view("", { phase: "bid" }), {}, "pass bid:50", "pass"],
  ["gives", view("", { phase: "give" }), {}, "give:KS give:6H", "give:KS"],
  ["leads low and declares nothing", view(""), {}, "KS 7H whole declare:S", "7H"],
  ["wins cheaply", view("TS"), {}, "2S JS AS", "JS"],
  ["cannot win", view("AS"), {}, "QS 9S", "9S"],
  ["the ten beats the king", view("KS", { game: "marjapussi" }), {}, "JS TS", "TS"],
  ["by its rules", view("TS"), { rank_order: "ace_ten" }, "7S KS", "7S"],
  ["a plain ten", view("TS"), { rank_order: "plain" }, "7S KS", "KS"],
  ["overtrumps", view("AS 5H KS", { trump: "H" }), {}, "4H 8H 9H", "8H"],
  ["the low ace", view("", sooli), { sooli_ace: "low" }, "2S AS", "AS"],
  ["the high ace", view("KS", sooli), { sooli_ace: "high" }, "4S AS", "AS"],
];

for (const [name, seen, rules, legal, expected] of policy) {
  test(`policy: ${name}`, () => {
    assert.equal(decide(seen, legal.split(" "), rules), expected);
  });
}

test("says what is missing where no referee started it", () => {
  const program = fileURLToPath(new URL("lowest.js", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [program], { env: {}, encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /REFEREE_ENDPOINT/);
});
