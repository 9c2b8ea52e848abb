/* SPDX-License-Identifier: Apache-2.0 */
/* Page built from its data: the output of `fairlead replay --json` with fewer digits. */
const data = JSON.parse(document.getElementById("data").textContent);
const policies = data.policies, at = (id) => document.getElementById(id), ROWS = 50;
const colours = ["--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7"].map((name) => `var(${name})`);
let next = 0;
for (const p of policies) p.colour = p.recorded ? "var(--recorded)" : colours[next++ % colours.length];

function policyHead(p, attributes) {
  const mark = element("i", {});
  mark.style.background = p.colour;
  return element("th", attributes || {}, mark, p.name);
}

/* Heading */

function showBeginning() {
  const t = data.trace, jobs = policies[policies.length - 1].jobs;
  document.title = "Replay of " + t.name;
  at("title").textContent = (data.partial ? "Part of a replay of " : "Replay of ") + t.name;
  at("about").textContent = [t.installation || t.computer, count(jobs) + " jobs of " + count(t.users) + " users",
    date(t.submit_first, false) + " to " + date(t.submit_last, false), count(policies[policies.length - 1].utilisation.slots) + " slots"].filter(Boolean).join(" \u00b7 ");
  at("command").textContent = data.command;
  for (const sentence of data.findings) at("findings").firstChild.append(element("li", {}, sentence));
}

/* Summary: name, value, format, and which value is better (-1 less, 1 more, 0 neither) */

/* Format a share. A star marks a value measured by the promises of another policy. */
const measured = (part, p) => percent(part) + (p.shares.promised_by !== p.name ? "*" : "");

const sums = [
  ["jobs that started", (p) => p.started, count, 0], ["still waiting at the end", (p) => p.waiting, count, 0, true],
  ["with no place in the cell", (p) => p.recorded ? null : p.refused, count, 0, true],
  ["utilisation", (p) => p.utilisation.used, percent, 1], ["without the ends of the trace", (p) => p.utilisation_inner.used, percent, 1, true],
  ["waiting time, mean", (p) => p.wait && p.wait.mean, duration, -1], ["median", (p) => p.wait && p.wait.median, duration, -1, true],
  ["95 % wait less than", (p) => p.wait && p.wait.p95, duration, -1, true], ["longest", (p) => p.wait && p.wait.max, duration, -1, true],
  ["bounded slowdown, mean", (p) => p.slowdown && p.slowdown.mean, factor, -1], ["median", (p) => p.slowdown && p.slowdown.median, factor, -1, true],
  ["95 % have less than", (p) => p.slowdown && p.slowdown.p95, factor, -1, true], ["jobs that starve", (p) => p.starving, count, -1],
  ["started by backfill", (p) => p.recorded || !p.started ? null : p.backfilled / p.started, percent, 0],
  ["overtaken by later submissions", (p) => p.overtaken / p.jobs, percent, 0],
  ["jobs vacated", (p) => p.recorded || !policies.some((q) => q.vacated) ? null : p.vacated, count, -1],
  ["slot hours lost by that", (p) => p.recorded || !policies.some((q) => q.vacated) ? null : p.lost_slot_s / 3600, count, -1, true],
  ["kept from users who waited", (p) => p.shares.users && p.shares.users.unmet, measured, -1],
  ["from projects", (p) => p.shares.projects && p.shares.projects.unmet, measured, -1, true],
  ["away from promised shares, users", (p) => p.shares.users && p.shares.users.distance, measured, 0],
  ["projects", (p) => p.shares.projects && p.shares.projects.distance, measured, 0, true],
];

function showSum() {
  const table = element("table", {}, element("thead", {}, element("tr", {}, element("th", {}), ...policies.map((p) => policyHead(p)))));
  const body = element("tbody", {});
  for (const [name, valueOf, write, better, more] of sums) {
    const values = policies.map(valueOf), own = values.filter((v, k) => v !== null && v !== undefined && !policies[k].recorded);
    const best = better && own.length > 1 && own.some((v) => write(v, policies[0]) !== write(own[0], policies[0])) ? (better > 0 ? Math.max(...own) : Math.min(...own)) : null;
    if (values.every((v) => v === null || v === undefined)) continue;
    body.append(element("tr", more ? { class: "more" } : {}, element("td", {}, name),
      ...values.map((v, k) => element("td", v === best && !policies[k].recorded ? { class: "best" } : {}, v === null || v === undefined ? "" : write(v, policies[k])))));
  }
  table.append(body);
  at("sum").append(table);
  const by = policies.find((p) => p.shares.promised_by !== p.name);
  if (by) at("sum").append(element("p", { class: "note" }, "* by what is promised in the replay of " + by.shares.promised_by));
}

/* Over time */

function showMachine() {
  const time = policies[0].over_time, row = 104, height = policies.length * row + 24, readout = element("div", { class: "readout" });
  const picture = new TimePicture("Slots in use over time", height, time.begin, time.step, time.used.length);
  const most = Math.max(1, ...policies.flatMap((p) => p.over_time.slots), ...policies.flatMap((p) => p.over_time.used));
  policies.forEach((p, k) => {
    const top = k * row + 22, bottom = (k + 1) * row;
    picture.valueAxis(top, bottom, most, roundTicks(most, 3), count);
    picture.timeAxis(top, bottom, k === policies.length - 1);
    picture.area(p.over_time.used, top, bottom, most, { fill: p.colour, "fill-opacity": 0.75 });
    picture.line(p.over_time.slots, top, bottom, most, { class: "capacity" });
    picture.svg.append(shape("text", { class: "name", x: LEFT, y: top - 7 }, shorten(p.name, 60) + ", " + percent(p.utilisation.used)));
  });
  picture.follow(readout, (k) => policies.map((p) => `${shorten(p.name, 20)} ${count(p.over_time.used[k])}`).join(", ") + " slots in use");
  at("machine").append(picture.svg, readout);
}

function showQueue() {
  const time = policies[0].over_time, top = 8, height = 240, bottom = height - 24, readout = element("div", { class: "readout" });
  const picture = new TimePicture("Jobs that wait over time", height, time.begin, time.step, time.waiting.length);
  const most = Math.max(1, ...policies.flatMap((p) => p.over_time.waiting)) * 1.03;
  picture.valueAxis(top, bottom, most, roundTicks(most, 5), count);
  picture.timeAxis(top, bottom, true);
  for (const p of policies) picture.line(p.over_time.waiting, top, bottom, most, { stroke: p.colour, "stroke-width": 1.4 });
  picture.follow(readout, (k) => policies.map((p) => `${shorten(p.name, 20)} ${count(p.over_time.waiting[k])}`).join(", ") + " jobs wait");
  at("queue").append(legend(policies.map((p) => [p.name, p.colour])), picture.svg, readout);
}

/* Shares */

function sharesRow(figure, p, kind, promised) {
  const time = p.shares_over_time, of = time[kind], n = of.busy.length, height = 150;
  const picture = new TimePicture(`${promised ? "Promised" : "Received"} shares, ${p.name}`, height, time.begin, time.step, n), top = 22, bottom = height - 22;
  const layers = (promised ? of.promised : of.received).slice();
  const all = promised ? of.promised_all.map((v, k) => v * of.busy[k]) : of.busy, scale = (k) => (promised && all[k] > 1 ? 1 / all[k] : of.busy[k]);
  const readout = element("div", { class: "readout" });
  layers.forEach((layer, i) => { layers[i] = layer.map((v, k) => v * scale(k)); });
  layers.push(all.map((v, k) => Math.max(0, Math.min(1, v) - layers.reduce((sum, layer) => sum + (layer[k] || 0), 0))));
  picture.valueAxis(top, bottom, 1, [0, 0.5, 1], (v) => 100 * v + " %");
  picture.timeAxis(top, bottom, true);
  picture.stack(layers, top, bottom, sharers(of).map(([, colour]) => colour));
  picture.svg.append(shape("text", { class: "name", x: LEFT, y: top - 7 }, `${shorten(p.name, 60)}: ${promised ? "promised" : "received"}`));
  picture.follow(readout, (k) => sharers(of).map(([name], i) => `${shorten(name, 20)} ${percent(layers[i][k] || 0)}`).join(", "));
  figure.append(picture.svg, readout);
}

const sharers = (of) => of.names.map((name, i) => [name || "(none)", colours[i % colours.length]]).concat([["others", "var(--others)"]]);

function showShares(kind) {
  const figure = at("shares");
  figure.replaceChildren(legend(sharers(policies[0].shares_over_time[kind])));
  for (const p of policies)
    for (const promised of [true, false])
      if (!promised || p.shares_over_time[kind].promised) sharesRow(figure, p, kind, promised);
  for (const button of at("shares-choice").children) button.setAttribute("aria-pressed", button.value === kind);
}

function showShareChoice() {
  const kinds = ["projects", "users"].filter((kind) => policies[0].shares_over_time[kind]), isPromised = (kind) => policies.some((p) => p.shares_over_time[kind].promised);
  for (const kind of kinds) {
    const button = element("button", { type: "button", value: kind }, kind);
    button.addEventListener("click", () => showShares(kind));
    at("shares-choice").append(button);
  }
  if (kinds.length) showShares(kinds.find(isPromised) || kinds[0]);
  else at("shares-section").remove();
}

/* Classes */

function showClasses(id, key, title) {
  const names = [...new Set(policies.flatMap((p) => p[key].map((g) => g.name)))], order = (name) => policies.map((p) => p[key].findIndex((g) => g.name === name)).find((k) => k >= 0);
  const find = (p, name) => p[key].find((g) => g.name === name), last = policies[policies.length - 1];
  names.sort((a, b) => order(a) - order(b));
  const classes = names.map((name) => ({ name, jobs: (find(last, name) || find(policies[0], name)).jobs }));
  at(id).append(legend(policies.map((p) => [p.name, p.colour])),
    boxPicture(title, classes, policies.map((p) => names.map((name) => (find(p, name) || {}).wait)), policies.map((p) => p.colour)));
}

/* Users: a row for each, columns for each policy */

const userColumns = [["received", "received", (g) => g.received, percent], ["promised", "promised", (g) => g.promised, percent],
  ["wait", "wait", (g) => g.wait && g.wait.median, duration], ["wait95", "95 %", (g) => g.wait && g.wait.p95, duration],
  ["slowdown", "slowdown", (g) => g.slowdown && g.slowdown.median, factor]];
const columns = [["name", "user", (u) => u.name || "(none)", String], ["jobs", "jobs", (u) => u.jobs, count], ["hours", "slot hours", (u) => u.hours, count]];
const users = new Map(), sorted = { column: 2, up: false, all: false };

/* If all jobs have run, users received the same under every policy. */
const received = (p, name) => (p.users.find((g) => g.name === name) || { received: 0 }).received;

function gatherUsers() {
  const last = policies[policies.length - 1], alike = last.users.slice(0, 20).every((g) => policies.every((p) => Math.abs(received(p, g.name) - g.received) < 0.0005));
  if (alike) columns.push(["received", "received", (u) => u.received, percent]);
  policies.forEach((p, k) => {
    for (const g of p.users) {
      if (!users.has(g.name)) users.set(g.name, { name: g.name, by: [] });
      const u = users.get(g.name);
      u.by[k] = g;
      u.jobs = g.jobs;
      u.hours = g.slot_s / 3600;
      u.received = g.received;
    }
    for (const [id, title, valueOf, write] of userColumns)
      if (!(id === "received" && alike) && p.users.some((g) => valueOf(g) !== undefined && valueOf(g) !== null))
        columns.push([id + k, title, (u) => u.by[k] ? valueOf(u.by[k]) : undefined, write, p, columns.every((c) => c[4] !== p)]);
  });
}

function showUsersHead() {
  const head = at("users").tHead, first = element("tr", {}, element("th", { colspan: columns.filter((c) => !c[4]).length })), second = element("tr", {});
  for (const p of policies) first.append(policyHead(p, { class: "group", colspan: columns.filter((c) => c[4] === p).length }));
  columns.forEach(([id, title, , , , begins], k) => {
    const button = element("button", { type: "button" }, title);
    button.addEventListener("click", () => {
      sorted.up = sorted.column === k ? !sorted.up : k === 0;
      sorted.column = k;
      showUsers();
    });
    second.append(element("th", { "data-column": id, scope: "col", ...(begins ? { class: "first" } : {}) }, button));
  });
  head.append(first, second);
}

const isMissing = (v) => v === undefined || v === null;

function compareUsers(a, b) {
  const x = columns[sorted.column][2](a), y = columns[sorted.column][2](b), up = sorted.up ? 1 : -1;
  if (isMissing(x) || isMissing(y)) return isMissing(x) - isMissing(y);	/* sorted last in both directions */
  return up * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y) || a.name.localeCompare(b.name, "en", { numeric: true });
}

function showUsers() {
  const wanted = at("users-find").value.toLowerCase(), found = [...users.values()].filter((u) => u.name.toLowerCase().includes(wanted)).sort(compareUsers);
  const shown = sorted.all ? found : found.slice(0, ROWS), note = at("users-shown");
  [...at("users").tHead.rows[1].cells].forEach((cell, k) => cell.setAttribute("aria-sort", k !== sorted.column ? "none" : sorted.up ? "ascending" : "descending"));
  at("users").tBodies[0].replaceChildren(...shown.map((u) => element("tr", {}, ...columns.map(([, , valueOf, write, , begins]) => {
    const value = valueOf(u);
    return element("td", begins ? { class: "first" } : {}, isMissing(value) ? "" : write(value));
  }))));
  note.textContent = `${count(shown.length)} of ${count(users.size)} `;
  if (found.length > ROWS) {
    const button = element("button", { type: "button" }, sorted.all ? `only ${ROWS}` : "all");
    button.addEventListener("click", () => { sorted.all = !sorted.all; showUsers(); });
    note.append(button);
  }
}

function showUserTable() {
  const most = 1000;	/* as many as the page contains */
  gatherUsers();
  showUsersHead();
  showUsers();
  at("users-note").textContent = "Click a column to sort by it. Received and promised are parts of what the machine did; wait and slowdown are medians, and 95 % wait less than the time beside them." +
    (users.size >= most ? ` Of ${count(data.trace.users)} users, here are the ${count(most)} with most slot hours.` : "");
  at("users-find").addEventListener("input", showUsers);
}

/* Remaining parts */

function plainTable(titles, rows) {
  return element("table", {}, element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", {}, title)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))))));
}

function showLongest() {
  const rows = policies.filter((p) => !p.recorded).flatMap((p) => p.longest.slice(0, 5).map((w) => [p.name, duration(w.wait) + (w.started ? "" : ", still waits"),
    String(w.job), w.user, count(w.slots), date(w.submit), count(w.line)]));
  at("longest").append(plainTable(["policy", "wait", "job", "user", "slots", "submitted", "line of the trace"], rows));
}

function showDistances() {
  const rows = data.distances.map((d) => [`${d.b} against ${d.a}`, percent(d.earlier), percent(d.later), duration(d.mean_absolute_s), duration(d.median_absolute_s), percent(d.users)]);
  if (rows.length) at("distances").append(plainTable(["", "start earlier", "later", "apart, mean", "median", "slot hours of other users"], rows));
  else at("distances-section").remove();
}

const oddity = (o) => (o.jobs === null ? o.text : `${count(o.jobs)} ${o.jobs === 1 ? "job" : "jobs"} ${o.text}`);

function showTrace() {
  const t = data.trace, list = element("dl", {});
  const facts = [["computer", t.computer], ["installation", t.installation], ["acknowledge", t.acknowledge], ["information", t.information], ["format", t.format],
    ["processors", t.max_procs ? count(t.max_procs) : null], ["records", count(t.records)], ["replayed", count(t.jobs) + " jobs"],
    ...t.left_out.map((o) => ["left out", oddity(o)]), ...t.odd.map((o) => ["odd", oddity(o)]),
    ...policies.filter((p) => p.refused).map((p) => ["no place", `${count(p.refused)} jobs under ${p.name}; the first: ${p.refused_why}`]),
    ...policies.filter((p) => !p.recorded).map((p) => ["policy", `${p.name}: cell ${p.cell}, algorithm ${p.algorithm}, ${count(p.runs)} scheduling runs`])];
  for (const [name, value] of facts) if (value) list.append(element("dt", {}, name), element("dd", {}, value));
  at("trace").append(list);
  at("footer").textContent = "Waiting time is from submission to the first start. Bounded slowdown is (waiting + run time) / run time, where the run time counts as 10 s if it is shorter, and is at least 1. " +
    "Kept from who waited: what they were promised beyond what they received, as far as they waited for it. A job starves when it waits more than 10 times the median of jobs of like size and run time, and more than an hour. Away from promised shares: half the sum of the differences between what was promised and " +
    "received, averaged over intervals by what the machine did in them. Times are those of your time zone. Made by fairlead " + data.fairlead + ".";
}

showBeginning();
showSum();
showMachine();
showQueue();
showShareChoice();
showClasses("sizes", "sizes", "Waiting time by number of slots");
showClasses("run-times", "run_times", "Waiting time by run time");
showUserTable();
showLongest();
showDistances();
showTrace();
