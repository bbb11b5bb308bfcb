
"use strict";
/* Unpacking, and the positions of a deal as each seat saw them. */

/** The value packed in an element of the page: base64 of deflated JSON. */
async function unpacked(id) {
  const letters = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function isCard(action) {
  return action.length === 2 && "SHDC".includes(action[1]);
}

/** The values of a view after an action, by its text alone; what else changed is in the data. */
function expected(places, values, viewer, actor, action) {
  const after = values.slice();
  after[places.history] = [...values[places.history], [actor, action]];
  if (isCard(action)) {
    if (viewer === actor) after[places.hand] = values[places.hand].filter((c) => c !== action);
    after[places.counts] = values[places.counts].map((n, seat) => (seat === actor ? n - 1 : n));
    after[places.trick] = [...values[places.trick], [actor, action]];
    after[places.leader] = after[places.trick][0][0];
  }
  return after;
}

/** Values with changes: [value], or of a list [how many items stay, the items after them]. */
function changed(values, changes) {
  if (!changes) return values;
  const after = values.slice();
  for (const [place, change] of Object.entries(changes)) {
    after[place] = change.length === 1
      ? change[0] : [...values[place].slice(0, change[0]), ...change[1]];
  }
  return after;
}

function named(fields, values) {
  return Object.fromEntries(fields.map((field, place) => [field, values[place]]));
}

/**
 * Every position of a deal in order: {dealing, at, actor, action, toAct, views}. `at` counts the
 * actions so far, `actor` and `action` are the last one with these cards (null right after they
 * were dealt), `views` has the view of every seat.
 */
function positionsOf(deal, fields) {
  const places = Object.fromEntries(fields.map((field, place) => [field, place]));
  const found = [];
  let at = 0;
  deal.dealings.forEach((dealing, number) => {
    const [first, ...others] = dealing.views;
    let values = [first, ...others.map((changes) => changed(first, changes))];
    const put = (turn, actor, action) => {
      const wanted = dealing.to_act[turn];
      found.push({
        dealing: number, at, actor, action, toAct: wanted === "-" ? null : Number(wanted),
        views: values.map((one) => named(fields, one)),
      });
    };
    put(0, null, null);
    dealing.actions.forEach((action, turn) => {
      const actor = Number(dealing.to_act[turn]);
      const changes = dealing.changes[turn] || [];
      values = values.map((before, seat) => changed(
        expected(places, before, seat, actor, action), changes[changes.length > 1 ? seat : 0]));
      at += 1;
      put(turn + 1, actor, action);
    });
  });
  return found;
}

/**
 * The positions that a viewer can tell apart (all of them for null): a seat's view changed, or the
 * seat is asked. What is hidden from a seat makes no step for it either.
 */
function stepsOf(positions, viewer) {
  const steps = [];
  let before = "";
  positions.forEach((position, place) => {
    if (viewer !== null) {
      const seen = JSON.stringify(position.views[viewer]) + (position.toAct === viewer);
      if (seen === before) return;
      before = seen;
    }
    steps.push(place);
  });
  return steps;
}
