
/* What the page shows now, and how it is moved. */

const state = {
  index: null, rows: [], shown: [], start: 0,
  row: null, deal: null, positions: [], steps: [], step: 0,
  viewer: null, timer: null, address: null, wanted: 0,
};
const blocks = new Map();
const KEPT_BLOCKS = 8;

/** A deal of the log by its place among the deals that were played. */
async function dealAt(place) {
  const number = Math.floor(place / state.index.block);
  if (!blocks.has(number)) blocks.set(number, unpacked(`block-${number}`));
  const found = await blocks.get(number);
  while (blocks.size > KEPT_BLOCKS) blocks.delete(blocks.keys().next().value);
  const deal = found[place % state.index.block];
  return { notes: {}, blame: {}, loose: [], ...deal };
}

/** Show a line's deal at a place of its actions. */
async function open(row, at = 0) {
  const ticket = ++state.wanted;
  const deal = await dealAt(row.place);
  if (ticket !== state.wanted) return;
  Object.assign(state, { row, deal, positions: positionsOf(deal, state.index.fields) });
  const seats = byId("viewer");
  if (seats.options.length !== row.seats.length + 1 || seats.dataset.seats !== row.seats.join(" ")) {
    seats.replaceChildren(el("option", { value: "" }, "all seats"), ...row.seats.map(
      (name, seat) => el("option", { value: seat }, `seat ${seat} ${name}`)));
    seats.dataset.seats = row.seats.join(" ");
    seats.value = state.viewer ?? "";
  }
  lookAs(state.viewer, at);
  redrawList(true);
}

/** Look at the deal as a seat, or as nobody, near a place of its actions. */
function lookAs(viewer, at) {
  state.viewer = viewer;
  state.steps = stepsOf(state.positions, viewer);
  goTo(at);
}

/** The last step that is not after a place of the actions. */
function goTo(at) {
  let step = 0;
  state.steps.forEach((place, number) => { if (state.positions[place].at <= at) step = number; });
  show(step);
}

function show(step) {
  state.step = Math.max(0, Math.min(step, state.steps.length - 1));
  const place = state.steps[state.step];
  const { index, row, deal, positions, viewer } = state;
  const scene = {
    index, row, deal, positions, viewer, position: positions[place],
    before: state.step ? positions[state.steps[state.step - 1]] : null,
    last: state.step === state.steps.length - 1,
  };
  if (viewer === null && place) scene.before = positions[place - 1];
  drawHeading(scene);
  drawFelt(scene);
  drawFacts(scene);
  drawSaid(scene);
  drawResult(scene);
  drawLog(scene, (at) => { pause(); goTo(at); });
  drawChart(scene);
  const slider = byId("slider");
  slider.max = state.steps.length - 1;
  slider.value = state.step;
  slider.setAttribute("aria-valuetext", byId("status").textContent);
  // Not `disabled`: a button that is pressed down to its end keeps the focus.
  for (const id of ["back", "to-start"]) byId(id).setAttribute("aria-disabled", state.step === 0);
  for (const id of ["forward", "to-end"]) byId(id).setAttribute("aria-disabled", scene.last);
  if (scene.last) pause();
  remember(scene);
}

function drawHeading({ row, deal, position, viewer, last }) {
  byId("deal-title").textContent = `Set ${row.set}, table ${row.table}, deal ${row.deal}`;
  byId("deal-facts").replaceChildren(...joined(row.seats.map((name, seat) => [
    `${seat} `, foreign(name), seat === row.dealer ? " (deals)" : ""])));
  const seen = viewer === null ? null : position.views[viewer].history;
  const told = viewer === null ? [position.actor, position.action] : seen[seen.length - 1];
  const what = told && told[1] !== null && told[1] !== undefined
    ? `${told[0]} ${row.seats[told[0]]} ${actionText(told[1])}.` : "The cards have been dealt.";
  const where = viewer === null ? `Action ${position.at} of ${deal.ms.length}` : `Step ${state.step} as seat ${viewer}`;
  byId("status").textContent = `${where}. ${what}${last ? " The deal is over." : ""}`;
}

/** The address names the position, so that it can be kept; once stepping rests, since browsers
 * refuse to be told too often. */
function remember({ row, position }) {
  clearTimeout(state.address);
  state.address = setTimeout(() => {
    try {
      history.replaceState(null, "", `#${row.set}.${row.table}.${row.deal}.${position.at}`);
    } catch {
      // A page without an address of its own stays as it is.
    }
  }, 250);
}

/** The line and place that the address names: set.table, then deal, then action. */
function addressed() {
  const [set, table, deal, at] = location.hash.slice(1).split(".").map(Number);
  const row = state.rows.find((r) => r.unplayed === null && r.set === set
    && r.table === (table || 0) && r.deal === (deal || 0));
  return row ? [row, at || 0] : null;
}

function redrawList(follow) {
  if (follow) {
    const place = state.shown.indexOf(state.row);
    if (place >= 0) state.start = Math.floor(place / LINES) * LINES;
  }
  drawList(state.index, state.shown, state.start, state.row, (row) => {
    pause();
    open(row).then(() => byId("deal-title").focus());
  });
}

function turnList(lines) {
  const start = state.start + lines;
  if (start < 0 || start >= state.shown.length) return;
  state.start = start;
  redrawList(false);
}

/** Show the lines that the filter describes; while it means nothing, those from before. */
function filter() {
  try {
    const shown = filtered(state.index, state.rows, byId("filter").value);
    Object.assign(state, { shown, start: 0 });
  } catch (error) {
    if (!(error instanceof WrongCondition)) throw error;
    byId("filter-said").textContent = error.message;
    return;
  }
  const played = state.shown.filter((row) => row.unplayed === null).length;
  byId("filter-said").textContent = counted(played, "deal");
  redrawList(true);
}

/** The next deal of the list in a direction that fits a test. */
function neighbour(direction, fits = () => true) {
  const here = state.shown.indexOf(state.row);
  let place = here < 0 && direction < 0 ? state.shown.length : here;
  for (place += direction; place >= 0 && place < state.shown.length; place += direction) {
    const row = state.shown[place];
    if (row.unplayed === null && fits(row)) return row;
  }
  return null;
}

async function turn(direction) {
  pause();
  const row = neighbour(direction);
  if (row) await open(row);
}

/** Go to the next fault that the viewer may know of, in this deal or a later one of the list. */
async function nextFault() {
  pause();
  const mine = (seat) => state.viewer === null || seat === state.viewer;
  const faultsOf = (deal) => Object.keys(deal.blame).map(Number)
    .filter((at) => deal.blame[at].some((fault) => mine(fault.seat)));
  const now = state.positions[state.steps[state.step]].at;
  const here = faultsOf(state.deal).filter((at) => at + 1 > now);
  if (here.length) {
    goTo(Math.min(...here) + 1);
    return;
  }
  const row = neighbour(1, (one) => one.faults.some(([, seat]) => mine(seat)));
  if (!row) {
    byId("status").textContent = "There is no fault after this.";
    return;
  }
  await open(row);
  const there = faultsOf(state.deal);
  if (there.length) goTo(Math.min(...there) + 1);
  else show(state.steps.length - 1);
}

function pause() {
  clearInterval(state.timer);
  state.timer = null;
  byId("play").textContent = "Play";
}

function playOrPause() {
  if (state.timer !== null) {
    pause();
    return;
  }
  if (state.step === state.steps.length - 1) show(0);
  byId("play").textContent = "Pause";
  state.timer = setInterval(() => show(state.step + 1), Number(byId("pace").value));
}

function stepBy(number) {
  pause();
  show(state.step + number);
}

const KEYS = {
  ArrowRight: () => stepBy(1), ArrowLeft: () => stepBy(-1), " ": playOrPause,
  Home: () => stepBy(-Infinity), End: () => stepBy(Infinity),
  n: () => turn(1), p: () => turn(-1), f: nextFault,
};

/** Keys move the deal, except where the element with the focus has its own use for them. */
function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(KEYS, event.key)) return;
  const at = event.target;
  if (at.matches("input[type=text], select")) return;
  if (event.key.length === 1 && event.key !== " " && !byId("letters").checked) return;
  if (event.key === " " && at.matches("button, a, input[type=checkbox]")) return;
  if (event.key.length > 1 && at.matches("input[type=range]")) return;
  event.preventDefault();
  KEYS[event.key]();
}

function listen() {
  const clicks = {
    "to-start": () => stepBy(-Infinity), back: () => stepBy(-1), play: playOrPause,
    forward: () => stepBy(1), "to-end": () => stepBy(Infinity), "deal-before": () => turn(-1),
    "deal-after": () => turn(1), "next-fault": nextFault,
    "list-before": () => turnList(-LINES), "list-after": () => turnList(LINES),
  };
  for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", act);
  byId("slider").addEventListener("input", (event) => { pause(); show(Number(event.target.value)); });
  byId("viewer").addEventListener("change", (event) => {
    const at = state.positions[state.steps[state.step]].at;
    lookAs(event.target.value === "" ? null : Number(event.target.value), at);
  });
  byId("pace").addEventListener("change", () => {
    if (state.timer !== null) { pause(); playOrPause(); }
  });
  byId("filter").addEventListener("input", filter);
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", () => {
    const found = addressed();
    if (found) open(...found);
  });
}

async function begin() {
  const index = await unpacked("index");
  state.index = index;
  let played = 0;
  state.rows = index.rows.map((values) => {
    const row = named(index.row, values);
    row.place = row.unplayed === null ? played++ : null;
    return row;
  });
  state.shown = state.rows;
  byId("title").textContent = index.title;
  byId("points-head").title = index.entrants.join(" : ");
  const aside = index.set_aside ? `; ${index.set_aside} lines of an incomplete set set aside` : "";
  byId("about").replaceChildren(
    `${counted(played, "deal")}${aside}. Points and nets in the order `, foreign(index.entrants.join(" : ")), ".");
  byId("filter-said").textContent = counted(played, "deal");
  listen();
  const [row, at] = addressed() || [state.rows.find((one) => one.unplayed === null), 0];
  if (row) await open(row, at);
  else {
    byId("deal").hidden = true;
    redrawList(false);
  }
  document.documentElement.dataset.ready = "yes";
  performance.mark("first deal");
}

begin();
