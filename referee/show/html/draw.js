
/* Drawing one position. Everything that comes from a log goes in as text. */

const SUITS = { S: ["♠", "spades"], H: ["♥", "hearts"], D: ["♦", "diamonds"], C: ["♣", "clubs"] };
const RANKS = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten", 9: "nine", 8: "eight",
  7: "seven", 6: "six", 5: "five", 4: "four", 3: "three", 2: "two" };
const WORDS = { pass: "passes", bid: "bids", keep: "keeps the hand", redeal: "demands new cards",
  contract: "plays for", declare: "declares", half: "asks for the other half of",
  whole: "asks for a whole marriage", name: "names", give: "gives", discard: "lays away",
  yes: "says yes", no: "says no", low: "bids low", high: "bids high", nolo: "bids nolo",
  rami: "bids rami", sooli: "plays sooli" };
const RULINGS = { substitute: "the first legal action is played",
  forfeit: "forfeited: the referee plays on for the seat, its side scores the floor",
  none: "nothing is changed" };

/** An element with attributes and children; strings become text. */
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

function foreign(text) {
  return el("bdi", {}, String(text));
}

function cardName(card) {
  return `${RANKS[card[0]]} of ${SUITS[card[1]][1]}`;
}

/** A card, coloured, with its suit as a symbol and its name for those who listen. */
function cardElement(tag, card, extra) {
  return el(tag, { class: `card ${card[1]}${extra || ""}`, "data-card": card },
    el("span", { "aria-hidden": "true" }, card[0] + SUITS[card[1]][0]),
    el("span", { class: "hidden" }, cardName(card)));
}

function suitElement(suit) {
  return el("span", { class: suit }, `${SUITS[suit][0]} ${SUITS[suit][1]}`);
}

/** Cards by suit, the highest first. */
function sortedCards(cards, ranks) {
  const value = (card) => "SHDC".indexOf(card[1]) * 20 + ranks.indexOf(card[0]);
  return [...cards].sort((one, other) => value(one) - value(other));
}

/** What an action says, for people; with elements for cards and suits. */
function actionWords(action) {
  if (isCard(action)) return ["plays ", cardElement("span", action)];
  const [verb, argument] = action.split(":");
  const words = [WORDS[verb] || verb];
  if (argument === "?") words.push(" a card");
  else if (argument && isCard(argument)) words.push(" ", cardElement("span", argument));
  else if (argument && argument in SUITS) words.push(" ", suitElement(argument));
  else if (argument) words.push(` ${argument}`);
  return words;
}

function actionText(action) {
  return actionWords(action).map((word) => (typeof word === "string" ? word
    : (word.querySelector(".hidden") || word).textContent)).join("");
}

function msText(ms) {
  return `${ms >= 100 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(1) : ms.toFixed(2)} ms`;
}

/** The seats' places on the table, clockwise from the one nearest. */
function placeOf(seat, nearest, seats) {
  const around = { 2: ["south", "north"], 3: ["south", "west", "east"],
    4: ["south", "west", "north", "east"] }[seats];
  return around[(seat - nearest + seats) % seats];
}

/** The trick in the middle: the one in progress, or the one that the last action ended. */
function trickOf(before, position, seat) {
  const view = position.views[seat];
  const last = view.history[view.history.length - 1];
  if (view.trick.length || !last || !isCard(last[1]) || !before) return [view.trick, false];
  if (before.dealing !== position.dealing) return [view.trick, false];
  const ended = sum(view.tricks) > sum(before.views[seat].tricks);
  return ended ? [[...before.views[seat].trick, last], true] : [[], false];
}

/** Parts with a comma between each two of them. */
function joined(lists) {
  return lists.flatMap((parts, place) => (place ? [", ", ...parts] : parts));
}

function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function sum(numbers) {
  return numbers.reduce((one, other) => one + other, 0);
}

function drawFelt(scene) {
  const { row, position, before, viewer } = scene;
  const nearest = viewer ?? 0;
  const seats = row.seats.length;
  const last = position.action && isCard(position.action) ? position.action : "";
  const parts = row.seats.map((name, seat) => seatElement(scene, seat, placeOf(seat, nearest, seats)));
  const [trick, ended] = trickOf(before, position, nearest);
  const list = el("ol", { class: "trick", id: "trick", "aria-label": "Trick" }, ...trick.map(
    ([seat, card]) => el("li", {}, `${seat} `, foreign(row.seats[seat]), " ",
      cardElement("span", card, card === last ? " last" : ""))));
  const middle = el("div", { class: "middle" }, el("h3", {}, ended ? "Trick, finished" : "Trick"));
  middle.append(trick.length ? list : el("p", { class: "soft" }, "no card yet"));
  const end = viewer === null && ended ? scene.deal.tricks.find((t) => t[0] === position.at - 1) : null;
  if (ended) {
    const view = position.views[nearest];
    const winner = view.tricks.findIndex((won, seat) => won > before.views[nearest].tricks[seat]);
    const points = end && end[2] !== null ? `, ${counted(end[2], "point")}` : "";
    middle.append(el("p", { id: "won" }, `won by ${winner}${points}`));
  }
  byId("felt").replaceChildren(...parts, middle);
}

/** A seat with what the viewer knows of its cards: all of its own, else how many. */
function seatElement(scene, seat, place) {
  const { index, row, position, viewer } = scene;
  const open = viewer === null || viewer === seat;
  const view = position.views[viewer ?? seat];
  const turn = open && position.toAct === seat;
  const made = el("div", {
    class: `seat ${place}${turn ? " turn" : ""}`, "data-seat": seat, role: "group",
    "aria-label": `Seat ${seat}`,
  }, el("h3", {}, `${seat} `, foreign(row.seats[seat]), seat === view.dealer ? " (dealer)" : "",
    turn ? ", to act" : ""));
  if (!open) {
    made.append(el("p", { class: "soft" }, counted(view.counts[seat], "card")));
  } else {
    const cards = sortedCards(view.hand, index.ranks);
    made.append(el("ul", { class: "cards", "aria-label": `Hand of seat ${seat}` },
      ...cards.map((card) => cardElement("li", card))));
    for (const [field, words] of [["chosen", "chosen"], ["given", "gave"], ["received", "got"],
      ["discarded", "laid away"], ["drawn", "drew"]]) {
      if (view[field] && view[field].length) {
        made.append(el("p", { "data-field": field }, `${words} `, ...spaced(view[field])));
      }
    }
  }
  made.append(el("p", { class: "soft" }, counted(view.tricks[seat], "trick")));
  return made;
}

function spaced(cards) {
  return cards.flatMap((card) => [cardElement("span", card), " "]);
}

/** What a viewer knows of the deal beside the cards. */
function drawFacts(scene) {
  const { index, deal, position, viewer } = scene;
  const view = position.views[viewer ?? position.toAct ?? 0];
  const dealing = deal.dealings[position.dealing];
  const bids = viewer !== null || !view.bids ? view.bids
    : position.views.flatMap((its, seat) => its.bids.filter(([who]) => who === seat));
  const pair = ([seat, what]) => [`${seat}: `, ...suited(what)];
  const facts = [
    ["phase", [view.phase]],
    viewer === null && ["to act", [position.toAct === null ? "nobody" : String(position.toAct)]],
    view.redeals.length && ["new cards for", [view.redeals.join(", ")]],
    bids && bids.length && ["bids", joined(bids.map(pair))],
    view.declarer !== undefined && view.declarer !== null && ["declarer", [String(view.declarer)]],
    view.soloist !== undefined && view.soloist !== null && ["soloist", [String(view.soloist)]],
    view.bid && ["bid", [String(view.bid)]],
    view.contract && ["contract", [String(view.contract)]],
    view.trump && ["trump", [suitElement(view.trump)]],
    view.declared && view.declared.length && ["declared", joined(view.declared.map(pair))],
    view.asked && view.asked.length && ["asked", joined(view.asked.map(([seat, question, answer]) => [
      `${seat} `, ...actionWords(question), ...(answer ? [": ", ...actionWords(answer)] : [])]))],
    view.leader !== null && ["leader", [String(view.leader)]],
    view.talon && view.talon.length && viewer !== null && ["talon", spaced(view.talon)],
    viewer === null && dealing.rest && [index.rest, spaced(dealing.rest.split(" "))],
    view.stock !== undefined && ["to be drawn", [String(view.stock)]],
    index.unit === "game" && ["score before", [view.score.join(" : ")]],
    view.last && ["last deal", [view.last.points.join(" : ")]],
  ].filter(Boolean);
  byId("facts").replaceChildren(...facts.flatMap(([name, parts]) => [
    el("dt", {}, name), el("dd", { "data-fact": name }, ...parts)]));
}

function suited(what) {
  return what in SUITS ? [suitElement(what)] : [String(what)];
}

/** A fault in a line. */
function faultText(row, fault) {
  const facts = [fault.message];
  if (fault.signal) facts.push(`signal ${fault.signal}`);
  else if (fault.exit_code) facts.push(`exit code ${fault.exit_code}`);
  if (fault.took_ms) facts.push(`after ${msText(fault.took_ms)}`);
  if (fault.received) facts.push(`received: ${fault.received}`);
  const words = fault.stderr_last || fault.stderr_first;
  if (words) facts.push(`last words: ${words[words.length - 1]}`);
  return `${fault.seat} ${row.seats[fault.seat]}: ${fault.kind}: ${facts.join("; ")}; ${RULINGS[fault.ruling]}`;
}

function noteText(note) {
  return typeof note === "string" ? note : JSON.stringify(note);
}

/** What is known of the decision that an action was: faults and notes, to the viewer who may know. */
function remarksOn(scene, at, actor) {
  const { row, deal, viewer } = scene;
  const faults = (deal.blame[at] || []).filter((fault) => viewer === null || fault.seat === viewer);
  const mine = viewer === null || actor === viewer;
  return {
    faults: faults.map((fault) => faultText(row, fault)),
    note: mine && at in deal.notes ? noteText(deal.notes[at]) : null,
    ms: mine ? deal.ms[at] : null,
  };
}

function drawSaid(scene) {
  const { row, deal, position, viewer } = scene;
  const parts = [];
  if (position.action !== null) {
    const { faults, note } = remarksOn(scene, position.at - 1, position.actor);
    parts.push(...faults.map((text) => el("p", { class: "fault" }, "fault: ", foreign(text))));
    if (note !== null) parts.push(el("p", { id: "note" }, `note of ${position.actor}: `, foreign(note)));
  }
  if (position.toAct === null && scene.last) {
    const loose = deal.loose.filter((fault) => viewer === null || fault.seat === viewer);
    parts.push(...loose.map((fault) => el("p", { class: "fault" }, "fault: ", foreign(faultText(row, fault)))));
  }
  byId("said").replaceChildren(...parts);
}

/** How the deal ended; empty before its last position. */
function drawResult(scene) {
  const { index, row, deal, viewer } = scene;
  const parts = [];
  if (scene.last) {
    parts.push(el("h3", {}, "Result"));
    row.points.forEach((points, side) => {
      const seats = index.sides.flatMap((its, seat) => (its === side ? [seat] : []));
      const won = deal.raw && viewer === null ? `${deal.raw[side]} won, ` : "";
      const total = index.unit === "game" ? `, total ${row.score[side]}` : "";
      const net = row.nets_shown ? `, net ${row.nets_shown[side]}` : "";
      const contract = seats.includes(row.declarer) && row.contract !== null ? `; ${contractText(row)}` : "";
      parts.push(el("p", { "data-side": side }, foreign(row.seats[seats[0]]),
        ` (${seats.join(", ")}): ${won}scores ${points}${total}${net}${contract}`));
    });
  }
  byId("result").replaceChildren(...parts);
}

function contractText(row) {
  if (row.contract === "sooli") {
    return row.made ? "rami, the sooli against it failed" : "rami, beaten by a sooli";
  }
  const name = typeof row.contract === "number" ? `contract ${row.contract}` : row.contract;
  return `${name} ${row.made ? "made" : "lost"}`;
}

/** Who decided, where it was not the bot. */
function deciderText(scene, at, actor, ms) {
  const forfeited = scene.deal.forfeits ? scene.deal.forfeits[actor] : undefined;
  if (forfeited !== undefined && at >= forfeited) return "by the referee, for a forfeited seat";
  if ((scene.deal.blame[at] || []).some((fault) => fault.ruling === "substitute")) {
    return "by the referee, for the fault";
  }
  return ms === null ? "" : msText(ms);
}

/** The actions: all of the deal, or what a seat has been told by now. */
function drawLog(scene, go) {
  const { positions, position, viewer } = scene;
  const rows = viewer === null
    ? positions.filter((p) => p.action !== null).map((p) => [p.actor, p.action, p.at - 1, p.at > position.at])
    : position.views[viewer].history.map(([seat, action]) => [seat, action, null, false]);
  if (viewer !== null) {
    // The seat's own actions have their place in the deal: its decisions, in order.
    const own = positions.filter((p) => p.dealing === position.dealing && p.actor === viewer);
    rows.filter(([seat]) => seat === viewer).forEach((line, turn) => { line[2] = own[turn].at - 1; });
  }
  const items = rows.map(([seat, action, at, late], turn) => {
    const now = viewer === null ? at === position.at - 1 && position.action !== null : turn === rows.length - 1;
    const remarks = at === null ? { faults: [], note: null, ms: null } : remarksOn(scene, at, seat);
    const parts = [`${seat} `, ...actionWords(action)];
    const decider = at === null ? "" : deciderText(scene, at, seat, remarks.ms);
    if (decider) parts.push(el("span", { class: "soft" }, `  ${decider}`));
    if (remarks.note !== null) parts.push(el("span", { class: "soft" }, "  note"));
    if (remarks.faults.length) parts.push(el("span", { class: "fault" }, "  fault"));
    const line = at === null ? el("span", { class: "line" }, ...parts) : el("button", { type: "button" }, ...parts);
    if (at !== null) line.addEventListener("click", () => go(at + 1));
    return el("li", { "aria-current": now ? "step" : null, class: late ? "late" : null,
      "data-at": at }, line);
  });
  const box = byId("log-box");
  const focused = byId("log").contains(document.activeElement);
  byId("log").replaceChildren(...items);
  const current = byId("log").querySelector("[aria-current]");
  if (focused) ((current && current.querySelector("button")) || box).focus();
  if (current) box.scrollTop = current.offsetTop - box.offsetTop - box.clientHeight / 2;
}

/** Time per decision on a logarithmic scale; a seat sees its own decisions so far. */
function drawChart(scene) {
  const { index, deal, positions, position, viewer } = scene;
  const actors = positions.filter((p) => p.action !== null).map((p) => p.actor);
  const known = deal.ms.map((ms, at) => (
    viewer === null || (actors[at] === viewer && at < position.at) ? ms : null));
  const times = known.filter((ms) => ms !== null);
  if (!times.length) {
    byId("chart").replaceChildren();
    byId("chart-text").textContent = "No times are known.";
    return;
  }
  const height = (ms) => 6 + 70 * Math.log10(1 + ms * 100) / Math.log10(1 + 100 * Math.max(index.decision_ms, ...times));
  const width = 600 / known.length;
  const bars = known.flatMap((ms, at) => (ms === null ? [] : [svg("rect", {
    x: at * width + width * 0.1, width: width * 0.8, y: 80 - height(ms), height: height(ms),
    class: at === position.at - 1 ? "now" : (deal.blame[at] ? "bad" : "bar"),
  }, svg("title", {}, `${at}: seat ${actors[at]}, ${msText(ms)}`))]));
  const limit = 80 - height(index.decision_ms);
  const worst = known.indexOf(Math.max(...times));
  const mean = sum(times) / times.length;
  const text = `${times.length} decisions, mean ${msText(mean)}, worst ${msText(known[worst])} `
    + `(seat ${actors[worst]}, action ${worst}); limit ${index.decision_ms} ms, dashed; logarithmic.`;
  byId("chart").replaceChildren(svg("svg", { viewBox: "0 0 600 80", preserveAspectRatio: "none",
    role: "img", "aria-label": `Time per decision: ${text}` },
  svg("line", { x1: 0, x2: 600, y1: limit, y2: limit }), ...bars));
  byId("chart-text").textContent = text;
}
