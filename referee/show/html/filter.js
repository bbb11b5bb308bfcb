
/* Which lines are wanted: the conditions of `referee replay --where`, and plain words besides. */

const CONDITION = /^([^<>=]*)(<=|>=|=|<|>)(.*)$/;
const RANGE = /^(-?\d+(?:\.\d+)?)(?:-(-?\d+(?:\.\d+)?))?$/;
const ORDERS = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b };
const CONTRACTS = ["rami", "nolo", "sooli", "high", "low"];

class WrongCondition extends Error {}

function refuse(expected) {
  throw new WrongCondition(`expected ${expected}`);
}

/** The test of a number: `<5`, or one of several numbers and ranges such as `3-7,9`. */
function numbers(sign, value) {
  const ranges = value.split(",").map((part) => RANGE.exec(part) || refuse("a number or a range such as 3-7"));
  if (sign !== "=") {
    if (ranges.length > 1 || ranges[0][2] !== undefined) refuse(`one number after ${sign}`);
    return (number) => typeof number === "number" && ORDERS[sign](number, Number(ranges[0][1]));
  }
  return (number) => typeof number === "number" && ranges.some(
    ([, low, high]) => number >= Number(low) && number <= Number(high ?? low));
}

function oneOf(value, known) {
  const values = value.split(",");
  if (!values.every((one) => known.includes(one))) refuse(known.join(", "));
  return values;
}

/** A test of (row, seats): whether one of these seats did something; `any` or `none` of it. */
function happened(conditions, value, known, which) {
  const values = oneOf(value, [...known, "any", "none"]);
  const found = (row, seats) => which(row).filter(([seat]) => seats.includes(seat)).map(([, what]) => what);
  if (values.includes("none")) conditions.whole.push((row, seats) => found(row, seats).length === 0);
  else if (values.includes("any")) conditions.side.push((row, seats) => found(row, seats).length > 0);
  else conditions.side.push((row, seats) => found(row, seats).some((what) => values.includes(what)));
}

function plays(row, seats) {
  return row.contract !== null && seats.includes(row.declarer);
}

/** Who a value names: seats by number, where no entrant is called so, and entrants. */
function people(index, value, seated) {
  const values = value.split(",");
  const numbered = seated ? index.sides.map((_, seat) => String(seat)) : [];
  oneOf(value, [...index.entrants, ...numbered]);
  return (seat, name) => values.includes(name)
    || (values.includes(numbered[seat]) && !index.entrants.includes(numbered[seat]));
}

const TAKERS = {
  seat: (to, index, sign, value) => to.who.push(people(index, value, true)),
  entrant: (to, index, sign, value) => to.who.push(people(index, value, false)),
  set: (to, index, sign, value) => { const holds = numbers(sign, value); to.whole.push((row) => holds(row.set)); },
  table: (to, index, sign, value) => { const holds = numbers(sign, value); to.whole.push((row) => holds(row.table)); },
  deal: (to, index, sign, value) => { const holds = numbers(sign, value); to.whole.push((row) => holds(row.deal)); },
  dealer: (to, index, sign, value) => {
    const wanted = people(index, value, true);
    to.whole.push((row) => row.dealer !== null && wanted(row.dealer, row.seats[row.dealer]));
  },
  contract: (to, index, sign, value) => {
    if (value === "none") to.whole.push((row, seats) => row.deal !== null && !plays(row, seats));
    else if (value === "any") to.side.push(plays);
    else if (value.split(",").every((one) => CONTRACTS.includes(one)) && sign === "=") {
      to.side.push((row, seats) => plays(row, seats) && value.split(",").includes(row.contract));
    } else {
      const holds = numbers(sign, value);
      to.side.push((row, seats) => plays(row, seats) && holds(row.contract));
    }
  },
  made: (to, index, sign, value) => {
    const values = oneOf(value, ["yes", "no"]);
    to.side.push((row, seats) => plays(row, seats) && row.made !== null && values.includes(row.made ? "yes" : "no"));
  },
  declared: (to, index, sign, value) => happened(
    to, value.replace(/\b[shdc]\b/g, (suit) => suit.toUpperCase()), ["S", "H", "D", "C"], (row) => row.declared),
  fault: (to, index, sign, value) => happened(
    to, value, index.kinds, (row) => row.faults.map(([kind, seat]) => [seat, kind])),
  points: (to, index, sign, value) => {
    const holds = numbers(sign, value);
    to.side.push((row, seats) => row.points !== null && holds(row.points[index.sides[seats[0]]]));
  },
  net: (to, index, sign, value) => {
    const holds = numbers(sign, value);
    to.side.push((row, seats) => row.nets !== null && holds(row.nets[index.sides[seats[0]]]));
  },
  ms: (to, index, sign, value) => {
    const holds = numbers(sign, value);
    to.side.push((row, seats) => seats.some((seat) => row.worst_ms.length > 0 && holds(row.worst_ms[seat])));
  },
};
const ORDERED = ["set", "table", "deal", "contract", "points", "net", "ms"];

/** The lines that a text describes; raises WrongCondition, naming the word, where it means nothing. */
function filtered(index, rows, text) {
  const to = { who: [], whole: [], side: [] };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const found = CONDITION.exec(word);
    try {
      if (!found) to.whole.push((row) => lineText(row).includes(word));
      else if (!Object.hasOwn(TAKERS, found[1])) refuse(`one of ${Object.keys(TAKERS).join(", ")}`);
      else if (found[2] !== "=" && !ORDERED.includes(found[1])) refuse(`${found[1]}=`);
      else TAKERS[found[1]](to, index, found[2], found[3]);
    } catch (error) {
      if (error instanceof WrongCondition) error.message = `${word}: ${error.message}`;
      throw error;
    }
  }
  return rows.filter((row) => fits(index, to, row));
}

/** Whether a line fulfils conditions: those of a side must all hold for one side of those looked at. */
function fits(index, to, row) {
  const looked = row.seats.flatMap((name, seat) => (to.who.every((wanted) => wanted(seat, name)) ? [seat] : []));
  if (!looked.length || !to.whole.every((test) => test(row, looked))) return false;
  return [...new Set(index.sides)].some((side) => {
    const group = looked.filter((seat) => index.sides[seat] === side);
    return group.length > 0 && to.side.every((test) => test(row, group));
  });
}
