// Draws the timeline that the page contains: one lane per row and depth, the arrows of the selected
// slice, or all arrows if few are visible, and the details of the slice under the pointer.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const [START, LENGTH, DEPTH, KIND, NAME, DETAILS] = [0, 1, 2, 3, 4, 5];
const LANE = 20, GAP = 6, HEAD = 22, AXIS = 22, LABELS = 170, MAX_ARROWS = 400;
const canvas = document.getElementById("rows"), tip = document.getElementById("tip");
const search = document.getElementById("search"), pen = canvas.getContext("2d");
let from = 0, to = data.length, chosen = -1, wanted = "", drag = null;

// Rows and their places. A slice knows its row; slices of a row are in the order of their starts.
let height = AXIS, group = null;
const headings = [];
for (const row of data.rows) {
  if (row.id !== group) {
    headings.push({ text: row.group, y: height });
    height += HEAD;
    group = row.id;
  }
  row.y = height;
  height += row.depth * LANE + GAP;
}
const rowOf = (n) => data.rows.find((row) => n >= row.first && n < row.first + row.count);
const arrows = data.arrows.map(([a, b, kind]) => ({ a, b, kind, from: rowOf(a), to: rowOf(b) }));

const time = (ns) => {
  for (const [size, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]])
    if (ns >= size) return `${+(ns / size).toFixed(3)} ${unit}`;
  return `${ns} ns`;
};
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// Equal names have equal colours.
const hues = data.names.map((name) => {
  let hash = 7;
  for (const c of name) hash = (hash * 31 + c.codePointAt(0)) % 3600;
  return hash / 10;
});
const width = () => canvas.clientWidth - LABELS;
const x = (t) => LABELS + ((t - from) / (to - from)) * width();

// Calls `f` for the slices of a row that are visible. Many slices within a pixel are one.
function visible(row, f) {
  const pixel = (to - from) / width(), seen = new Array(row.depth).fill(-Infinity);
  for (let n = row.first; n < row.first + row.count; ++n) {
    const slice = data.slices[n];
    if (slice[START] > to) break;
    const end = slice[START] + slice[LENGTH];
    if (end < from || end < seen[slice[DEPTH]] + pixel) continue;
    seen[slice[DEPTH]] = end;
    f(n, slice, x(Math.max(slice[START], from)), x(Math.min(end, to)));
  }
}

function drawAxis(ink, line) {
  const rough = (to - from) / Math.max(1, width() / 110), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
  pen.fillStyle = ink;
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    pen.fillText(time(Math.round(t)), x(t) + 3, AXIS - 7);
    pen.fillStyle = line;
    pen.fillRect(x(t), 0, 1, height);
    pen.fillStyle = ink;
  }
}

function drawArrow(arrow) {
  const a = data.slices[arrow.a], b = data.slices[arrow.b];
  const [x1, x2] = [x(a[START] + a[LENGTH]), x(b[START])];
  // The thread of a submission continues while the command runs.
  const start = data.kinds[arrow.kind] === "submission" ? Math.min(x1, Math.max(x(a[START]), x2)) : x1;
  const y1 = arrow.from.y + (a[DEPTH] + 0.5) * LANE, y2 = arrow.to.y + (b[DEPTH] + 0.5) * LANE;
  const bend = Math.max(12, Math.abs(x2 - start) / 3);
  pen.beginPath();
  pen.moveTo(start, y1);
  pen.bezierCurveTo(start + bend, y1, x2 - bend, y2, x2, y2);
  pen.moveTo(x2 - 5, y2 - 3);
  pen.lineTo(x2, y2);
  pen.lineTo(x2 - 5, y2 + 3);
  pen.stroke();
}

function draw() {
  const scale = window.devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = canvas.clientWidth * scale;
  canvas.height = height * scale;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.font = "12px system-ui, sans-serif";
  const [ink, soft, line] = ["--ink", "--soft", "--line"].map(color), light = color("--light");
  drawAxis(soft, line);
  const shown = new Set();
  pen.save();
  pen.beginPath();
  pen.rect(LABELS, AXIS, width(), height);
  pen.clip();
  for (const row of data.rows)
    visible(row, (n, slice, left, right) => {
      const y = row.y + slice[DEPTH] * LANE, wide = Math.max(1, right - left);
      const name = data.names[slice[NAME]], isWanted = wanted && name.toLowerCase().includes(wanted);
      shown.add(n);
      pen.globalAlpha = wanted && !isWanted ? 0.25 : 1;
      pen.fillStyle = `hsl(${hues[slice[NAME]]} 55% ${light})`;
      pen.fillRect(left, y + 1, wide, LANE - 2);
      if (n === chosen) {
        pen.strokeStyle = ink;
        pen.lineWidth = 2;
        pen.strokeRect(left + 1, y + 2, Math.max(1, wide - 2), LANE - 4);
      }
      if (wide > 24) {
        pen.save();
        pen.beginPath();
        pen.rect(left, y, wide - 3, LANE);
        pen.clip();
        pen.fillStyle = ink;
        pen.fillText(name, left + 4, y + 14);
        pen.restore();
      }
      pen.globalAlpha = 1;
    });
  pen.strokeStyle = color("--arrow");
  pen.lineWidth = 1;
  const inView = arrows.filter((arrow) => shown.has(arrow.a) || shown.has(arrow.b));
  const drawn = inView.filter((arrow) =>
    chosen < 0 ? inView.length <= MAX_ARROWS : arrow.a === chosen || arrow.b === chosen);
  drawn.forEach(drawArrow);
  pen.restore();
  pen.fillStyle = ink;
  for (const row of data.rows) pen.fillText(row.name, 16, row.y + 14, LABELS - 22);
  pen.font = "bold 12px system-ui, sans-serif";
  for (const { text, y } of headings) pen.fillText(text, 6, y + 15);
  canvas.dataset.slices = shown.size;
  canvas.dataset.arrows = drawn.length;
}

function at(event) {
  const box = canvas.getBoundingClientRect(), [px, py] = [event.clientX - box.left, event.clientY - box.top];
  const row = data.rows.find((row) => py >= row.y && py < row.y + row.depth * LANE);
  if (!row || px < LABELS) return -1;
  const depth = Math.floor((py - row.y) / LANE);
  let found = -1;
  visible(row, (n, slice, left, right) => {
    if (slice[DEPTH] === depth && px >= left - 1 && px <= Math.max(right, left + 1) + 1) found = n;
  });
  return found;
}

function describe(n) {
  const slice = data.slices[n];
  const lines = [data.names[slice[NAME]], `${data.kinds[slice[KIND]]}, ${time(slice[LENGTH])}, at ${time(slice[START])}`];
  for (const [name, value] of Object.entries(slice[DETAILS] || {})) lines.push(`${name}: ${value}`);
  return lines.join("\n");
}

function zoom(factor, center) {
  const length = Math.min(data.length, Math.max(20, (to - from) * factor));
  const part = (center - from) / (to - from);
  from = Math.max(0, Math.min(data.length - length, center - part * length));
  to = from + length;
  draw();
}

function move(by) {
  const shift = Math.max(-from, Math.min(data.length - to, by));
  from += shift;
  to += shift;
  draw();
}

canvas.addEventListener("wheel", (event) => {
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    return move(((event.deltaX || event.deltaY) / width()) * (to - from));
  }
  event.preventDefault();
  const px = event.clientX - canvas.getBoundingClientRect().left;
  zoom(1.0015 ** event.deltaY, from + ((px - LABELS) / width()) * (to - from));
}, { passive: false });
canvas.addEventListener("pointerdown", (event) => (drag = { x: event.clientX, from, moved: false }));
window.addEventListener("pointerup", (event) => {
  if (drag && !drag.moved && event.target === canvas) {
    chosen = at(event);
    draw();
  }
  drag = null;
});
canvas.addEventListener("pointermove", (event) => {
  if (drag) {
    drag.moved ||= Math.abs(event.clientX - drag.x) > 3;
    if (drag.moved) move(drag.from - from - ((event.clientX - drag.x) / width()) * (to - from));
    return;
  }
  const n = at(event), box = canvas.getBoundingClientRect();
  tip.hidden = n < 0;
  if (n >= 0) {
    tip.textContent = describe(n);
    tip.style.left = `${Math.min(event.clientX - box.left + 14, Math.max(0, box.width - 300))}px`;
    tip.style.top = `${event.clientY - box.top + 16}px`;
  }
});
canvas.addEventListener("pointerleave", () => (tip.hidden = true));
window.addEventListener("keydown", (event) => {
  if (event.target === search) return;
  const middle = (from + to) / 2, step = (to - from) / 5;
  const actions = { w: () => zoom(0.7, middle), s: () => zoom(1.4, middle), a: () => move(-step), d: () => move(step),
    0: () => zoom(Infinity, middle) };
  actions[event.key.toLowerCase()]?.();
});
search.addEventListener("input", () => {
  wanted = search.value.toLowerCase();
  draw();
});
window.addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

// `#1000-5000` shows the time from 1000 to 5000 ns.
function open() {
  const [start, end] = location.hash.slice(1).split("-").map(Number);
  if (start >= 0 && end > start && start < data.length) {
    from = start;
    to = Math.min(end, data.length);
    draw();
  }
}
window.addEventListener("hashchange", open);

const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
document.getElementById("about").textContent =
  `${count(data.slices.length, "slice")} in ${count(data.rows.length, "row")}, ${count(data.arrows.length, "arrow")}, ` +
  `${time(data.length)}${data.complete ? "" : "; the end of the timeline is missing"}`;
draw();
open();
