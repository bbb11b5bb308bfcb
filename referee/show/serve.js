/* Keeps the page as new as the report: asks for its version, and puts a new one in its place. */

const PAUSE_MS = 2000;
const report = document.getElementById("report");
const live = document.getElementById("live");
let version = null;

/** Say how things stand; what is said already is not said again to readers of screens. */
function say(text) {
  if (live.textContent !== text) live.textContent = text;
}

/** Elements by what they are and say, so that they are found again in a new report. */
function named(root, selector) {
  const found = new Map();
  for (const one of root.querySelectorAll(selector)) {
    const mark = one.getAttribute("href") ?? one.getAttribute("aria-label") ?? "";
    const text = one.querySelector("summary") ?? one;
    const name = `${one.localName} ${mark} ${mark ? "" : text.textContent}`;
    let number = 0;
    while (found.has(`${name} ${number}`)) number += 1;
    found.set(`${name} ${number}`, one);
  }
  return found;
}

/** Put a new report in the place of the old one; what was open stays open, the focus stays. */
function put(page) {
  const opened = [...named(report, "details")].filter(([, one]) => one.open);
  const rolled = [...report.querySelectorAll(".long, .across")].map(
    (one) => [one.scrollLeft, one.scrollTop]);
  const reached = [...named(report, "a, summary, [tabindex]")]
    .find(([, one]) => one === document.activeElement);
  const [left, top] = [window.scrollX, window.scrollY];
  document.title = page.title;
  report.replaceChildren(...page.querySelector("main").childNodes);
  const folds = named(report, "details");
  for (const [name] of opened) if (folds.has(name)) folds.get(name).open = true;
  [...report.querySelectorAll(".long, .across")].forEach((one, place) => {
    [one.scrollLeft, one.scrollTop] = rolled[place] ?? [0, 0];
  });
  if (reached) {
    named(report, "a, summary, [tabindex]").get(reached[0])?.focus({ preventScroll: true });
  }
  window.scrollTo(left, top);
}

async function look() {
  try {
    const said = await (await fetch("/version", { cache: "no-store" })).json();
    if (said.version !== version) {
      const answer = await fetch("/report", { cache: "no-cache" });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      put(new DOMParser().parseFromString(text, "text/html"));
      // A place in the page can be gone to once it is there.
      if (version === null && location.hash) location.replace(location.hash);
      version = answer.headers.get("ETag").replaceAll('"', "");
    }
    say(said.trouble
      ? `The newest logs cannot be read: ${said.trouble}`
      : "Live: new results appear by themselves, set by set.");
  } catch {
    say("The referee that serves this page does not answer; what is shown may be old.");
  }
  setTimeout(look, PAUSE_MS);
}

look();
