"use strict";
// Hover, zoom and copy for the report. All data is in the page; without this file the page is complete but still.
(() => {
  const data = JSON.parse(document.getElementById("npuscope-data").textContent);
  const map = document.getElementById("map");
  document.documentElement.classList.add("js");

  for (const button of document.querySelectorAll(".command button")) {
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("code");
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "selected";
      }
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
  }
  if (!map || !data.picture) return;

  const picture = data.picture;
  const rows = picture.names.length;
  const [first, last] = [picture.edges[0], picture.edges[picture.edges.length - 1]];
  const SVG = "http://www.w3.org/2000/svg";
  const { top, row: height, label } = Object.fromEntries(Object.entries(map.dataset).map(([k, v]) => [k, +v]));
  const plot = 1000 - label;
  let view = [first, last];

  // Times: as in views/units.py, with more digits where those are needed to tell times `step` ns apart.
  const duration = (ns, step = Infinity) => {
    const size = Math.abs(ns);
    if (data.time_unit !== "ns") return Math.round(ns).toLocaleString("en-US") + ` ${data.time_unit}s`;
    for (const [least, unit, name] of [[1e10, 1e9, "s"], [1e6, 1e6, "ms"], [1e3, 1e3, "us"]]) {
      if (size >= least) return (ns / unit).toFixed(Math.max(3, Math.ceil(Math.log10(unit / step)))) + " " + name;
    }
    return (Number.isInteger(ns) || size >= 10 ? Math.round(ns) : ns.toFixed(1)) + " ns";
  };
  const percent = (part, whole) => {
    const share = 100 * part / whole;
    if (share > 0 && share < 0.05) return "<0.1 %";
    if (share < 100 - 1e-9 && share >= 99.95) return ">99.9 %";
    return share.toFixed(1) + " %";
  };

  // ns of [from, to) inside a sorted flat list of [start, end, start, end, ...].
  const below = (list, time) => { // intervals that start before `time`
    let low = 0, high = list.length / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[2 * middle] < time) low = middle + 1; else high = middle;
    }
    return low;
  };
  const inside = (list, from, to) => {
    let sum = 0;
    for (let i = below(list, to) - 1; i >= 0 && list[2 * i + 1] > from; i--) {
      sum += Math.min(to, list[2 * i + 1]) - Math.max(from, list[2 * i]);
    }
    return sum;
  };
  const columnAt = (edges, time) => { // the one that `time` lies in
    let low = 0, high = edges.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (edges[middle] <= time) low = middle; else high = middle - 1;
    }
    return low;
  };
  // The same from the drawn columns, when the page does not hold the intervals themselves.
  const unpacked = {};
  const columns = (state) => unpacked[state] ??= picture.columns[state].map((packed) => {
    const cells = [];
    for (let i = 0; i < packed.length; i += 2) for (let n = 0; n < packed[i + 1]; n++) cells.push(packed[i]);
    return cells;
  });
  const fromColumns = (cells, from, to) => {
    let sum = 0;
    for (let i = columnAt(picture.edges, from); i < cells.length && picture.edges[i] < to; i++) {
      const [low, high] = [picture.edges[i], picture.edges[i + 1]];
      sum += cells[i] * (Math.min(to, high) - Math.max(from, low)) / (high - low);
    }
    return sum;
  };
  const time = (state, row, from, to) => picture.intervals
    ? inside(picture.intervals[state][row], from, to) : fromColumns(columns(state)[row], from, to);
  const exact = Boolean(picture.intervals);

  const draw = () => {
    const [start, end] = view;
    const whole = start === first && end === last;
    // The times between columns: of one unit each, or those of the page where it knows no finer ones.
    const units = Math.max(1, Math.min(plot, Math.floor(end - start)));
    const bounds = exact ? Array.from({ length: units + 1 }, (_, i) => start + (end - start) * i / units)
      : [start, ...picture.edges.filter((edge) => edge > start && edge < end), end];
    const x = (i) => label + (bounds[i] - start) / (end - start) * plot;
    const paths = new Map();
    const add = (name, y, left, w) => paths.set(name, (paths.get(name) ?? "") + `M${left.toFixed(2)} ${y}h${w.toFixed(2)}`);
    for (let row = 0; row < rows; row++) {
      let open = {};
      const put = (slot, name, column, place) => {
        const old = open[slot];
        if (old && old.name === name) return;
        if (old && old.name) {
          add(old.name, top + (row + place) * height, x(old.at), x(column) - x(old.at));
        }
        open[slot] = { name, at: column };
      };
      for (let column = 0; column < bounds.length; column++) {
        const [from, to] = [bounds[column], bounds[column + 1]];
        const last = to === undefined;
        const hot = last ? 0 : time("hot", row, from, to), span = to - from;
        put("hot", hot > 0 ? "h" + Math.min(6, Math.ceil(6 * hot / span - 1e-9)) : "", column, 0.5);
        put("dry", !last && 2 * time("dry", row, from, to) >= span ? "dry" : "", column, 0.88);
        put("unknown", !last && time("unknown", row, from, to) > 0 ? "unknown" : "", column, 0.5);
      }
    }
    for (const path of map.querySelectorAll(".cells path")) {
      path.setAttribute("d", paths.get(path.getAttribute("class")) ?? "");
    }
    drawAxis(map.querySelector(".axis"), start, end);
    if (lanes) drawAxis(lanes.querySelector(".axis"), start, end);
    drawLanes(start, end);
    drawLosses(start, end);
    drawArrows(start, end);
    document.getElementById("range").textContent =
      `${duration(start, (end - start) / 9)} .. ${duration(end, (end - start) / 9)}` + (whole || exact ? "" : " (columns as drawn; see the command below)");
    const command = document.getElementById("range-command");
    if (command) command.textContent = `${data.command.show} --window ${Math.floor(start)}ns..${Math.ceil(end)}ns`;
  };
  const lanes = document.getElementById("events");
  const drawLanes = (start, end) => {
    if (!lanes) return;
    const { columns, height } = lanes.dataset;
    const place = (t) => (t - first) / (last - first) * columns;
    lanes.querySelector(".plot").setAttribute("viewBox", `${place(start)} 0 ${place(end) - place(start)} ${height}`);
  };
  const drawAxis = (axis, start, end) => {
    axis.replaceChildren();
    let step = 1;
    while ((end - start) / step > 8) step = String(step)[0] === "2" ? step * 2.5 : step * 2;
    for (let tick = Math.ceil(start / step) * step; tick <= end; tick += step) {
      const x = label + (tick - start) / (end - start) * plot;
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M${x} ${top - 4}v4`);
      const text = document.createElementNS(SVG, "text");
      text.setAttribute("x", x);
      text.setAttribute("y", top - 7);
      if (end - tick < step / 3) text.setAttribute("text-anchor", "end");
      text.textContent = duration(tick, step).replace(/\.?0+ /, (m) => m.startsWith(".") ? " " : m.replace(/0+ $/, " "));
      axis.append(path, text);
    }
  };
  const drawLosses = (start, end) => {
    const lane = map.querySelector(".losses");
    if (!lane) return;
    lane.replaceChildren();
    let stop = -1;
    for (const [low, high] of picture.losses) {
      if (high < start || low > end) continue;
      const x = (t) => label + (Math.min(Math.max(t, start), end) - start) / (end - start) * plot;
      const left = Math.max(x(low), stop), right = Math.max(x(high), left + 2);
      const rect = document.createElementNS(SVG, "rect");
      for (const [k, v] of Object.entries({ x: left, y: top + rows * height + 4, width: right - left, height: 10 })) {
        rect.setAttribute(k, v);
      }
      lane.append(rect);
      stop = right;
    }
  };
  const drawArrows = (start, end) => { // as in views/svg.py
    const group = map.querySelector(".arrows"), list = picture.arrows, lines = [];
    group.replaceChildren();
    const x = (t) => label + (Math.min(Math.max(t, start), end) - start) / (end - start) * plot;
    for (let i = 0; i < list.length && lines.length <= 150; i += 4) {
      if (list[i + 2] < start || list[i + 2] >= end) continue;
      const a = x(list[i]), b = top + (list[i + 1] + 0.5) * height, c = x(list[i + 2]), d = top + (list[i + 3] + 0.5) * height;
      const size = Math.max(1e-9, Math.hypot(c - a, d - b)), u = 4 * (c - a) / size, v = 4 * (d - b) / size;
      lines.push(`M${a} ${b}L${c} ${d}M${c - u - v / 2} ${d - v + u / 2}L${c} ${d}L${c - u + v / 2} ${d - v - u / 2}`);
    }
    if (!lines.length || lines.length > 150) return;
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", lines.join(""));
    group.append(path);
  };
  const show = (start, end) => {
    const least = Math.min(10, last - first);
    let span = Math.min(last - first, Math.max(least, end - start));
    start = Math.min(Math.max(first, start), last - span);
    view = [start, start + span];
    draw();
  };

  // Where the pointer is, in row and time.
  const locate = (event) => {
    const box = map.getBoundingClientRect();
    const scale = 1000 / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    return { time: view[0] + (x - label) / plot * (view[1] - view[0]), row: Math.floor((y - top) / height), x };
  };
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  let drag = null;
  map.addEventListener("pointermove", (event) => {
    const at = locate(event);
    if (drag) {
      const x = Math.min(Math.max(at.x, label), 1000);
      drag.box.setAttribute("x", Math.min(x, drag.x));
      drag.box.setAttribute("width", Math.abs(x - drag.x));
    }
    if (at.row < 0 || at.row >= rows || at.x < label) { tip.hidden = true; return; }
    const span = exact ? (view[1] - view[0]) / plot : (last - first) / (picture.edges.length - 1);
    const from = first + Math.floor((at.time - first) / span) * span, to = from + span;
    const part = (state) => percent(time(state, at.row, from, to), span);
    tip.textContent = `${picture.names[at.row]}\n${duration(from, span)}, ${duration(span)} wide\n` +
      `full ${part("hot")}   empty ${part("dry")}   not known ${part("unknown")}\nbackpressure on ${part("bp")}`;
    tip.hidden = false;
    tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = event.clientY + 16 + "px";
  });
  // The numbers of one column of the lanes, as drawn.
  const fine = (value) => Math.abs(value) >= 2560000 ? duration(Math.round(value / 256)) : (value / 256).toFixed(3) + " ns";
  const severities = ["informational", "corrected", "recoverable", "fatal"];
  const describe = (i) => {
    const cells = data.events.lanes, has = (lane) => cells.present.includes(lane);
    const gone = (lane) => cells.unknown[lane].includes(i) ? ", records may be missing" : "";
    const lines = [`${duration(cells.edges[i])}, ${duration(cells.edges[i + 1] - cells.edges[i])} wide`];
    if (has("jitter")) {
      const good = cells.samples[i] - cells.invalid[i];
      lines.push((good ? `jitter ${fine(cells.low[i])} .. ${fine(cells.high[i])}, ${good} samples` : cells.samples[i] ? "no valid sample" : "no sync pulse") +
        (cells.invalid[i] ? `, ${cells.invalid[i]} not valid` : "") + gone("jitter"));
    }
    if (has("ras")) {
      lines.push((cells.ras[i] ? `RAS ${cells.ras[i]} records, worst ${severities[cells.severity[i]]}` : "RAS nothing told") +
        gone("ras"));
    }
    if (has("tokens")) {
      lines.push(`tokens ${cells.tokens[i]}, late ${cells.late[i]}, interrupts ${cells.interrupts[i]}, ` +
        `frozen ${duration(cells.frozen[i])}` + gone("tokens"));
    }
    return lines.join("\n");
  };
  if (lanes) {
    lanes.addEventListener("pointermove", (event) => {
      const box = lanes.getBoundingClientRect();
      const x = (event.clientX - box.left) * 1000 / box.width;
      if (x < label) { tip.hidden = true; return; }
      const t = view[0] + (x - label) / plot * (view[1] - view[0]);
      tip.textContent = describe(columnAt(data.events.lanes.edges, t));
      tip.hidden = false;
      tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
      tip.style.top = event.clientY + 16 + "px";
    });
    lanes.addEventListener("pointerleave", () => { tip.hidden = true; });
  }
  map.addEventListener("pointerleave", () => { tip.hidden = true; });
  map.addEventListener("pointerdown", (event) => {
    const at = locate(event);
    if (event.button !== 0 || at.x < label) return;
    const box = document.createElementNS(SVG, "rect");
    box.setAttribute("class", "drag");
    box.setAttribute("y", top);
    box.setAttribute("height", rows * height);
    map.append(box);
    drag = { x: at.x, time: at.time, box };
    map.setPointerCapture(event.pointerId);
  });
  const release = (event) => {
    if (!drag) return;
    const { time: from, x, box } = drag;
    const at = locate(event);
    box.remove();
    drag = null;
    if (Math.abs(at.x - x) > 4) show(Math.min(from, at.time), Math.max(from, at.time));
  };
  map.addEventListener("pointerup", release);
  map.addEventListener("pointercancel", release);
  map.addEventListener("dblclick", () => show(first, last));
  map.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // plain scrolling stays scrolling
    event.preventDefault();
    zoom(Math.exp(event.deltaY / 400), locate(event).time);
  }, { passive: false });
  const zoom = (factor, at) => show(at - (at - view[0]) * factor, at + (view[1] - at) * factor);
  const pan = (part) => show(view[0] + part * (view[1] - view[0]), view[1] + part * (view[1] - view[0]));
  const actions = {
    in: () => zoom(0.5, (view[0] + view[1]) / 2), out: () => zoom(2, (view[0] + view[1]) / 2),
    left: () => pan(-0.5), right: () => pan(0.5), all: () => show(first, last),
  };
  for (const button of document.querySelectorAll(".tools button")) {
    button.addEventListener("click", actions[button.dataset.do]);
  }
  for (const card of document.querySelectorAll(".card [data-from]")) {
    card.addEventListener("click", () => {
      const [from, to] = [+card.dataset.from, +card.dataset.to], margin = Math.max(to - from, 50);
      show(from - margin, to + margin);
      map.scrollIntoView({ behavior: "smooth", block: "center" });
    });
  }
  document.getElementById("range").textContent = `${duration(first)} .. ${duration(last)}`;
})();
