
/* The list of deals. */

const LINES = 100;

function placeText(row) {
  return `${row.set}.${row.table}${row.deal === null ? "" : `.${row.deal}`}`;
}

function declarerText(row) {
  return row.declarer === null ? "" : `${row.declarer} ${row.seats[row.declarer]}`;
}

function faultsText(row) {
  if (row.unplayed !== null) return row.unplayed;
  const kinds = row.faults.map(([kind]) => kind);
  return [...new Set(kinds)].map((kind) => `${kinds.filter((k) => k === kind).length} ${kind}`).join(", ");
}

function lineText(row) {
  return [placeText(row), declarerText(row), row.contract ?? "", faultsText(row)].join(" ");
}

/** Numbers by side, in the order of the pairing's entrants. */
function inOrder(index, row, numbers) {
  if (numbers === null) return "";
  return index.entrants.filter((name) => row.seats.includes(name))
    .map((name) => numbers[index.sides[row.seats.indexOf(name)]]).join(" : ");
}

/** Draw the lines from a place on; `choose` is called with the line whose deal is wanted. */
function drawList(index, rows, start, chosen, choose) {
  byId("list").replaceChildren(...rows.slice(start, start + LINES).map((row) => {
    const open = el("button", { type: "button", "aria-label": `Show deal ${placeText(row)}` }, placeText(row));
    open.addEventListener("click", () => choose(row));
    return el("tr", { "aria-current": row === chosen ? "true" : null },
      el("td", {}, row.unplayed === null ? open : placeText(row)),
      el("td", {}, foreign(declarerText(row))),
      el("td", {}, row.contract === null ? "" : `${row.contract}${row.made === null ? "" : row.made ? " made" : " lost"}`),
      el("td", {}, inOrder(index, row, row.points)),
      el("td", {}, inOrder(index, row, row.nets_shown)),
      el("td", { class: "many fault" }, foreign(faultsText(row))));
  }));
  byId("list-where").textContent = rows.length
    ? `lines ${start + 1} to ${Math.min(start + LINES, rows.length)} of ${rows.length}` : "no line fits";
  byId("list-before").setAttribute("aria-disabled", start === 0);
  byId("list-after").setAttribute("aria-disabled", start + LINES >= rows.length);
}
