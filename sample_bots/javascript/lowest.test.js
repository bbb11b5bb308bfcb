// Replays the recorded conversations of the protocol, and checks the policy.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { decide, Lowest } from "./lowest.js";

const VECTORS = new URL("../../protocol/vectors/", import.meta.url);

const conversations = readdirSync(VECTORS)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => {
    const lines = readFileSync(new URL(name, VECTORS), "utf8").trim().split("\n");
    const [{ answers = {} }, ...said] = lines.map((line) => JSON.parse(line));
    return { name, answers, said };
  })
  .filter(({ said }) => said.some(({ from }) => from === "referee"));

/** A message, or the messages of a batch. */
const parts = (message) => (message.type === "batch" ? message.messages : [message]);

/** An answer is legal; where no card is played, it is the first legal action, as recorded. */
function checkAct(ask, act, recorded) {
  assert.equal(act.type, "act");
  assert.equal(act.id, ask.id);
  assert.ok(ask.legal.includes(act.action), `${act.action} is not one of ${ask.legal}`);
  if (recorded !== undefined && ask.view.phase !== "play") assert.equal(act.action, recorded);
}

const games = new Set();

for (const { name, answers, said } of conversations) {
  test(`answers the conversation ${name}`, () => {
    const recorded = new Map();
    for (const { message } of said.filter(({ from }) => from === "bot")) {
      for (const { type, id, action } of parts(message)) {
        if (type === "act" && !(id in answers)) recorded.set(id, action);
      }
    }
    const bot = new Lowest();
    for (const { message } of said.filter(({ from }) => from === "referee")) {
      const given = bot.answers(message);
      for (const part of parts(message)) {
        if (part.type === "ask") {
          checkAct(part, given.shift(), recorded.get(part.id));
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
  assert.deepEqual([...games].sort(), [
    "bondtolva",
    "huutopussi",
    "marjapussi",
    "minnesota",
    "tuppi",
  ]);
});

const play = { game: "minnesota", phase: "play", trump: null, contract: null, trick: [] };
const sooli = { ...play, game: "tuppi", contract: "sooli" };
const policy = [
  ["no card to play", { phase: "bid" }, {}, "pass bid:50", "pass"],
  ["cards to give are no cards to play", { phase: "give" }, {}, "give:KS give:6H", "give:KS"],
  ["leads low and declares nothing", play, {}, "KS 7H whole declare:S", "7H"],
  ["wins cheaply", { ...play, trick: [[1, "TS"]] }, {}, "2S JS AS", "JS"],
  ["cannot win", { ...play, trick: [[1, "AS"]] }, {}, "QS 9S", "9S"],
  [
    "the ten beats the king",
    { ...play, game: "marjapussi", trick: [[1, "KS"]] },
    {},
    "JS TS",
    "TS",
  ],
  ["by its rules", { ...play, trick: [[1, "TS"]] }, { rank_order: "ace_ten" }, "7S KS", "7S"],
  ["a plain ten", { ...play, trick: [[1, "TS"]] }, { rank_order: "plain" }, "7S KS", "KS"],
  [
    "overtrumps",
    {
      ...play,
      trump: "H",
      trick: [
        [1, "AS"],
        [2, "5H"],
        [3, "KS"],
      ],
    },
    {},
    "4H 8H 9H",
    "8H",
  ],
  ["the low ace", sooli, { sooli_ace: "low" }, "2S AS", "AS"],
  ["the high ace", { ...sooli, trick: [[1, "KS"]] }, { sooli_ace: "high" }, "4S AS", "AS"],
];

for (const [name, view, rules, legal, expected] of policy) {
  test(`policy: ${name}`, () => assert.equal(decide(view, legal.split(" "), rules), expected));
}

test("an ask that cannot be read is answered by the first legal action", () => {
  const odd = { type: "ask", id: 7, table: 1, view: { phase: "play" }, legal: ["KS", "6S"] };
  assert.deepEqual(new Lowest().answers(odd), [{ type: "act", id: 7, action: "KS" }]);
});

test("says what is missing where no referee started it", () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL("lowest.js", import.meta.url))],
    { env: {}, encoding: "utf8" },
  );
  assert.equal(status, 1);
  assert.match(stderr, /REFEREE_ENDPOINT/);
});
