/* SPDX-License-Identifier: Apache-2.0 */
/* Charts as SVG, 1000 units wide: axes with round ticks, areas, lines, boxes. User names are never parsed as HTML. */
"use strict";

const WIDTH = 1000, LEFT = 64, RIGHT = 12, SVG = "http://www.w3.org/2000/svg";

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  made.append(...children);
  return made;
}

function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
}

/* Numbers as text */

const count = (n) => Math.round(n).toLocaleString("en-US");
const percent = (part) => (100 * part).toFixed(1) + " %";

function duration(s) {
  const of = Math.abs(s);
  if (of < 59.5) return Math.round(s) + " s";
  if (of < 3570) return (of < 597 ? (s / 60).toFixed(1) : Math.round(s / 60)) + " min";
  if (of < 172800) return (s / 3600).toFixed(1) + " h";
  return (of < 8640000 ? (s / 86400).toFixed(1) : Math.round(s / 86400)) + " d";
}

function factor(n) {
  return n >= 1000 ? count(n) : n.toFixed(n < 10 ? 2 : 1);
}

const two = (n) => String(n).padStart(2, "0");

function date(s, withTime) {
  const d = new Date(1000 * s), day = d.getFullYear() + "-" + two(d.getMonth() + 1) + "-" + two(d.getDate());
  return withTime === false ? day : day + " " + two(d.getHours()) + ":" + two(d.getMinutes());
}

function shorten(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : letters.slice(0, most - 1).join("") + "\u2026";
}

/* Ticks */

function roundTicks(most, wanted) {
  const rough = most / wanted, power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough) || power;
  const ticks = [];
  for (let value = 0; value <= most * 1.0001; value += step) ticks.push(value);
  return ticks;
}

/* Return ticks at whole hours, days or months of the reader's time zone, each with its label. */
function timeTicks(begin, end) {
  const span = end - begin, ticks = [], d = new Date(1000 * begin);
  const hours = [1, 2, 3, 6, 12].find((h) => span / (3600 * h) <= 9), days = [1, 2, 7, 14].find((n) => span / (86400 * n) <= 10);
  const months = [1, 2, 3, 6, 12, 24, 60].find((m) => span / (2629746 * m) <= 13) || 120;
  d.setMinutes(0, 0, 0);
  if (!hours) d.setHours(0);
  if (!hours && !days) d.setDate(1);
  for (let guard = 0; d.getTime() / 1000 <= end && guard < 2000; guard++) {
    const at = d.getTime() / 1000, name = d.toLocaleString("en-US", { month: "short" });
    if (at >= begin && hours && d.getHours() % hours === 0) ticks.push([at, d.getHours() ? two(d.getHours()) + ":00" : name + " " + d.getDate()]);
    else if (at >= begin && !hours && days) ticks.push([at, name + " " + d.getDate()]);
    else if (at >= begin && !hours) ticks.push([at, d.getMonth() ? (months < 12 ? name : "") : String(d.getFullYear())]);
    if (hours) d.setHours(d.getHours() + 1);
    else if (days) d.setDate(d.getDate() + days);
    else d.setMonth(d.getMonth() + (months < 12 ? 1 : 12));
  }
  return hours || days || months >= 12 ? ticks : ticks.filter(([at]) => new Date(1000 * at).getMonth() % months === 0);
}

/* A chart with time from left to right */

class TimePicture {
  constructor(title, height, begin, step, n) {
    this.svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title });
    this.height = height;
    this.begin = begin;
    this.step = step;
    this.n = n;
    this.left = LEFT;
    this.right = WIDTH - RIGHT;
  }

  x(k) {
    return this.left + (this.right - this.left) * k / this.n;
  }

  timeAxis(top, bottom, named) {
    for (const [at, name] of timeTicks(this.begin, this.begin + this.n * this.step)) {
      const x = this.x((at - this.begin) / this.step).toFixed(1);
      this.svg.append(shape("line", { class: "grid", x1: x, x2: x, y1: top, y2: bottom }));
      if (named && x < this.right - 14) this.svg.append(shape("text", { x, y: bottom + 15, "text-anchor": "middle" }, name));
    }
    this.svg.append(shape("line", { class: "axis", x1: this.left, x2: this.right, y1: bottom, y2: bottom }));
  }

  valueAxis(top, bottom, most, ticks, write) {
    for (const value of ticks) {
      const y = bottom - (bottom - top) * value / most;
      this.svg.append(shape("line", { class: "grid", x1: this.left, x2: this.right, y1: y.toFixed(1), y2: y.toFixed(1) }),
        shape("text", { x: this.left - 8, y: (y + 4).toFixed(1), "text-anchor": "end" }, write(value)));
    }
  }

  /* Draw steps from one bound to the next. */
  steps(values, top, bottom, most) {
    let path = "";
    values.forEach((value, k) => {
      const y = (bottom - (bottom - top) * Math.min(value, most) / most).toFixed(1);
      path += `${k ? "L" : "M"}${this.x(k).toFixed(1)},${y}L${this.x(k + 1).toFixed(1)},${y}`;
    });
    return path;
  }

  line(values, top, bottom, most, attributes) {
    this.svg.append(shape("path", { d: this.steps(values, top, bottom, most), fill: "none", "stroke-linejoin": "round", ...attributes }));
  }

  area(values, top, bottom, most, attributes) {
    this.svg.append(shape("path", { d: `${this.steps(values, top, bottom, most)}L${this.right},${bottom}L${this.left},${bottom}Z`, ...attributes }));
  }

  /* Draw stacked areas from the bottom upwards. Each of `layers` is an array of values. */
  stack(layers, top, bottom, colours) {
    const below = new Array(this.n).fill(0);
    layers.forEach((layer, i) => {
      let up = "", down = "";
      for (let k = 0; k < this.n; k++) {
        const y0 = bottom - (bottom - top) * Math.min(below[k], 1), y1 = bottom - (bottom - top) * Math.min(below[k] + (layer[k] || 0), 1);
        up += `${k ? "L" : "M"}${this.x(k).toFixed(1)},${y1.toFixed(1)}L${this.x(k + 1).toFixed(1)},${y1.toFixed(1)}`;
        down = `L${this.x(k + 1).toFixed(1)},${y0.toFixed(1)}L${this.x(k).toFixed(1)},${y0.toFixed(1)}` + down;
        below[k] += layer[k] || 0;
      }
      this.svg.append(shape("path", { d: up + down + "Z", fill: colours[i] }));
    });
  }

  /* Show the values at the pointer as text. */
  follow(readout, write) {
    const cursor = shape("line", { class: "cursor", y1: 0, y2: this.height });
    this.svg.append(cursor);
    this.svg.addEventListener("pointermove", (event) => {
      const box = this.svg.getBoundingClientRect(), x = (event.clientX - box.left) * WIDTH / box.width;
      const k = Math.floor((x - this.left) / (this.right - this.left) * this.n);
      if (k < 0 || k >= this.n) return;
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.style.visibility = "visible";
      readout.textContent = date(this.begin + k * this.step) + ": " + write(k);
    });
    this.svg.addEventListener("pointerleave", () => {
      cursor.style.visibility = "hidden";
      readout.textContent = "";
    });
  }
}

/* Boxes of distributions, side by side in each class */

const WAITS = [0, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000, 31536000, 315360000];
const waitNames = ["0", "10 s", "1 min", "10 min", "1 h", "6 h", "1 d", "7 d", "30 d", "1 y", "10 y"];
const logWait = (s) => Math.log10(1 + s / 5);

function boxPicture(title, classes, series, colours) {
  const height = 320, top = 10, bottom = height - 44, svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title });
  const longest = Math.max(1, ...series.flat().filter(Boolean).map((d) => d.max)), most = logWait(longest) * 1.02;
  const y = (s) => (bottom - (bottom - top) * logWait(s) / most).toFixed(1), room = (WIDTH - LEFT - RIGHT) / classes.length;
  const width = Math.min(30, room * 0.8 / series.length);
  WAITS.forEach((s, k) => {
    if (logWait(s) <= most) svg.append(shape("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(s), y2: y(s) }),
      shape("text", { x: LEFT - 8, y: +y(s) + 4, "text-anchor": "end" }, waitNames[k]));
  });
  svg.append(shape("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: bottom, y2: bottom }));
  classes.forEach((name, c) => {
    const middle = LEFT + room * (c + 0.5);
    svg.append(shape("text", { x: middle, y: bottom + 17, "text-anchor": "middle" }, name.name),
      shape("text", { x: middle, y: bottom + 32, "text-anchor": "middle" }, count(name.jobs) + (name.jobs === 1 ? " job" : " jobs")));
    series.forEach((of, i) => {
      const d = of[c], x = middle + (i - series.length / 2) * width + width * 0.12, wide = width * 0.76;
      if (!d) return;
      const mid = x + wide / 2, group = shape("g", { class: "box", stroke: colours[i], fill: colours[i] });
      group.append(shape("title", {}, `median ${duration(d.median)}, half of all ${duration(d.p25)} to ${duration(d.p75)}, 5 to 95 % ${duration(d.p5)} to ${duration(d.p95)}, longest ${duration(d.max)}`),
        shape("line", { x1: mid, x2: mid, y1: y(d.p5), y2: y(d.p95), "stroke-width": 1.5 }),
        shape("rect", { x, width: wide, y: y(d.p75), height: Math.max(1, y(d.p25) - y(d.p75)), "fill-opacity": 0.35, "stroke-width": 1.5 }),
        shape("line", { x1: x, x2: x + wide, y1: y(d.median), y2: y(d.median), "stroke-width": 3 }),
        shape("circle", { cx: mid, cy: y(d.max), r: 2.2, stroke: "none" }));
      svg.append(group);
    });
  });
  return svg;
}

function legend(entries) {
  const made = element("div", { class: "legend" });
  for (const [name, colour] of entries) {
    const mark = element("i", {});
    mark.style.background = colour;
    made.append(element("span", {}, mark, name));
  }
  return made;
}
