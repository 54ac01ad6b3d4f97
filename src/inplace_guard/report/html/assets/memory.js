"use strict";
// The lifetime chart and, on the same time axis, the memory curve.
const memoryPanel = (() => {
  const LABEL = innerWidth < 1000 ? 170 : 250, RIGHT = 16, BAR = 11, HEAD = 14, GROUP = 26, BAND = 18, CURVE = 118;
  const steps = tape.forward + tape.backward;
  const root = moduleTree(tape.bars, (bar) => (tape.nodes.get(bar.born) || {}).module, 5);
  const open = firstOpen(root, 90);
  const bad = tape.bars.filter((bar) => bar.bad);
  if (bad.length <= 12) openAround(root, open, (bar) => bar.bad);
  const end = (bar) => (bar.died === null ? steps : tape.forward + bar.died);
  const readAt = (number) => (tape.ran.has(number) ? tape.forward + tape.ran.get(number) - 0.5 : null);

  function rows() {
    const found = [];
    const visit = (group, depth, base) => {
      const entries = [
        ...group.items.map((bar) => ({ kind: "bar", bar, born: bar.born, base })),
        ...group.groups.map((child) => ({ group: child, born: d3.min(child.all, (bar) => bar.born) })),
      ].sort((a, b) => a.born - b.born || (a.bar ? a.bar.storage.number : 0) - (b.bar ? b.bar.storage.number : 0));
      for (const entry of entries) {
        if (entry.kind === "bar") found.push({ ...entry, depth, height: BAR });
        else if (open.has(entry.group.path)) {
          found.push({ kind: "head", group: entry.group, depth, base, height: HEAD });
          visit(entry.group, depth + 1, entry.group.path);
        } else found.push({ kind: "group", group: entry.group, depth, base, height: GROUP });
      }
    };
    visit(root, 0, "");
    let y = 0;
    for (const row of found) { row.y = y; y += row.height; }
    found.height = y;
    return found;
  }

  function label(row) {
    if (row.kind !== "bar") {
      const held = d3.sum(row.group.all, (bar) => (bar.storage.parameter ? 0 : bar.storage.bytes));
      const sign = row.kind === "head" ? "\u25be" : "\u25b8";
      return `${sign} ${named(row.group.path, row.base)} \u00b7 ${row.group.count} \u00b7 ${tape.size(held)}`;
    }
    const save = row.bar.saves[0], node = tape.nodes.get(row.bar.born);
    if (!save || !node) return `#${row.bar.born} \u00b7 ${tape.size(row.bar.storage.bytes)}`;
    const inside = relative(node.module, row.base);
    return `${inside ? inside + " " : ""}${tape.short(node)}.${save.name} \u00b7 ${tape.size(row.bar.storage.bytes)}`;
  }

  function heldBy(group) {
    const change = new Array(steps + 2).fill(0);
    for (const bar of group.all.filter((each) => !each.storage.parameter)) {
      change[bar.born - 1] += bar.storage.bytes;
      change[Math.ceil(end(bar))] -= bar.died === null ? 0 : bar.storage.bytes;
    }
    let held = 0;
    return change.slice(0, steps + 1).map((by) => (held += by));
  }

  function bands(width, x) {
    let groups = [moduleTree(tape.inner, (node) => node.module, 1)];
    for (;;) {
      const big = groups.find((group) => group.groups.length && group.count > 0.6 * tape.inner.length);
      if (!big) break;
      groups = groups.flatMap((group) => (group === big ? group.groups : [group]));
    }
    const owner = new Map(groups.flatMap((group) => group.all.map((node) => [node.number, group.path])));
    const runs = [];
    const add = (number, at) => {
      const path = owner.get(number), last = runs[runs.length - 1];
      if (last && last.path === path && last.to === at) last.to = at + 1;
      else runs.push({ path, from: at, to: at + 1 });
    };
    tape.inner.forEach((node) => add(node.number, node.number - 1));
    for (const [number, step] of tape.ran) add(number, tape.forward + step - 1);
    return runs.filter((run) => run.path).map((run) => ({ ...run, left: x(run.from), wide: x(run.to) - x(run.from) }));
  }

  function draw() {
    const host = document.querySelector("#memory .scroll");
    const width = Math.max(host.clientWidth, 420);
    const x = d3.scaleLinear([0, steps], [LABEL, width - RIGHT]);
    const listed = rows();
    const top = d3.select("#memory .bands").attr("width", width).attr("height", BAND);
    top.selectAll("*").remove();
    const shown = bands(width, x);
    const band = top.selectAll("g").data(shown).join("g").attr("transform", (run) => `translate(${run.left},0)`);
    band.append("rect").attr("class", (run, index) => `band${index % 2 ? " odd" : ""}`).attr("width", (run) => run.wide)
      .attr("height", BAND);
    band.append("title").text((run) => run.path);
    band.filter((run) => run.wide > 4 + 5.6 * run.path.split(".").slice(-2).join(".").length).append("text")
      .attr("class", "soft").attr("x", 4).attr("y", 12).text((run) => run.path.split(".").slice(-2).join("."));
    top.append("text").attr("class", "soft").attr("x", 16).attr("y", 12).text("module");

    const svg = d3.select("#memory .bars").attr("width", width).attr("height", listed.height + 4);
    svg.selectAll("*").remove();
    turn(svg, x, listed.height);
    const row = svg.selectAll("g.any").data(listed).join("g").attr("class", "any")
      .attr("transform", (entry) => `translate(0,${entry.y})`);
    row.append("text").attr("x", (entry) => 16 + 10 * entry.depth)
      .attr("y", (entry) => (entry.kind === "group" ? 16 : entry.height - 2.5))
      .attr("class", (entry) => (entry.kind === "bar" ? "" : "head")).text(label)
      .each(function () { shorten(this, LABEL - 8 - this.getAttribute("x")); });
    clickable(row.filter((entry) => entry.kind !== "bar"), (entry) => {
      if (!open.delete(entry.group.path)) open.add(entry.group.path);
      draw();
    });
    const folded = row.filter((entry) => entry.kind === "group");
    folded.each(function (entry) {
      const held = heldBy(entry.group), y = d3.scaleLinear([0, d3.max(held) || 1], [GROUP - 3, 3]);
      const broken = entry.group.all.filter((bar) => bar.bad).length;
      d3.select(this).append("path").attr("class", `held${broken ? " bad" : ""}`).attr("d", d3.area()
        .x((_, step) => x(step)).y0(y(0)).y1((bytes) => y(bytes)).curve(d3.curveStepAfter)(held));
      if (broken) d3.select(this).append("text").attr("class", "bad").attr("x", LABEL + 4).attr("y", 16)
        .style("fill", "var(--red)").text(`${broken} overwritten`);
    });
    drawBars(row.filter((entry) => entry.kind === "bar"), x, width);
    drawCurve(width, x);
    mark();
  }

  function drawBars(row, x, width) {
    row.attr("class", "any row").attr("data-storage", (entry) => entry.bar.storage.number);
    row.insert("rect", "text").attr("class", "hit").attr("x", 8).attr("width", width - 16).attr("height", BAR);
    clickable(row, (entry) => choose("save", entry.bar.storage.number));
    row.append("rect").attr("class", (entry) => `bar${entry.bar.bad ? " bad" : entry.bar.storage.name ? " owned" : ""}`)
      .attr("x", (entry) => x(entry.bar.born - 0.5)).attr("y", 2).attr("height", BAR - 4).attr("rx", 1.5)
      .attr("width", (entry) => Math.max(1, x(entry.bar.died === null && entry.bar.read !== null
        ? tape.forward + entry.bar.read : end(entry.bar)) - x(entry.bar.born - 0.5)));
    row.filter((entry) => entry.bar.died === null && entry.bar.read !== null).append("line").attr("class", "beyond")
      .attr("x1", (entry) => x(tape.forward + entry.bar.read))
      .attr("x2", x(steps)).attr("y1", BAR / 2).attr("y2", BAR / 2);
    row.selectAll("line.read").data((entry) => entry.bar.storage.savers.map(readAt).filter((at) => at !== null))
      .join("line").attr("class", "read").attr("x1", (at) => x(at)).attr("x2", (at) => x(at)).attr("y1", 1).attr("y2", BAR - 1);
    row.selectAll("path.write").data((entry) => entry.bar.storage.writes).join("path")
      .attr("class", (write) => `write${write.broke.length ? " bad" : ""}`)
      .attr("d", d3.symbol(d3.symbolTriangle, 34))
      .attr("transform", (write) => `translate(${x(write.step + 0.5)},${BAR / 2}) rotate(180)`)
      .append("title").text((write) => `written: ${tape.place(write.site)} ${write.site.source || write.site.op}`);
  }

  function turn(svg, x, height) {
    svg.append("line").attr("class", "turn").attr("x1", x(tape.forward)).attr("x2", x(tape.forward)).attr("y2", height);
    if (tape.doc.lifetimes.error !== null) svg.append("line").attr("class", "stop").attr("x1", x(steps) - 1)
      .attr("x2", x(steps) - 1).attr("y2", height);
  }

  function drawCurve(width, x) {
    const curve = tape.doc.lifetimes.curve, bottom = CURVE - 20;
    const svg = d3.select("#memory .curve").attr("width", width).attr("height", CURVE);
    svg.selectAll("*").remove();
    const peak = d3.max(curve) || 0;
    const unit = peak >= 2 * 1048576 ? [1048576, "MiB"] : peak >= 2048 ? [1024, "KiB"] : [1, "B"];
    const y = d3.scaleLinear([0, (peak || 1) / unit[0]], [bottom, 14]);
    turn(svg, x, bottom);
    svg.append("path").attr("class", "held").attr("d", d3.area()
      .x((_, index) => x(Math.min(index * tape.stride, steps))).y0(bottom).y1((bytes) => y(bytes / unit[0]))
      .curve(d3.curveStepAfter)(curve));
    svg.append("g").attr("class", "axis").attr("transform", `translate(${LABEL},0)`).call(d3.axisLeft(y).ticks(4));
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`).call(d3.axisBottom(x)
      .tickValues([...ticks(tape.forward, 0), ...ticks(tape.backward, tape.forward)])
      .tickFormat((step) => (step > tape.forward ? step - tape.forward : step)));
    svg.append("text").attr("x", 16).attr("y", 24).text("Saved activations held");
    svg.append("text").attr("class", "soft").attr("x", 16).attr("y", 38).text(`in ${unit[1]}; peak ${tape.size(peak)}`);
    svg.append("text").attr("class", "soft").attr("x", x(tape.forward) - 6).attr("y", bottom - 4).attr("text-anchor", "end")
      .text("forward, node by node");
    const narrow = x(steps) - x(tape.forward) < 180;
    svg.append("text").attr("class", "soft").attr("x", narrow ? x(steps) - 6 : x(tape.forward) + 6)
      .attr("y", narrow ? bottom - 18 : bottom - 4).attr("text-anchor", narrow ? "end" : "start").text(tape.doc.lifetimes.measured ? "backward, as it ran" : "backward, as the engine will run it");
    const guide = svg.append("line").attr("class", "guide").attr("y2", bottom).style("display", "none");
    const tip = document.getElementById("tip");
    svg.on("pointermove", (event) => {
      const step = Math.floor(x.invert(d3.pointer(event)[0]));
      if (step < 0 || step >= steps) return;
      const isForward = step < tape.forward;
      const number = isForward ? step + 1 : tape.ranAt.get(step - tape.forward + 1), node = tape.nodes.get(number);
      guide.style("display", null).attr("x1", x(step + 0.5)).attr("x2", x(step + 0.5));
      tip.textContent = `${isForward ? "forward" : "backward"} of #${number || "?"}${node ? " " + tape.short(node) : ""}` +
        `${node && node.module ? ` in ${node.module}` : ""}: ${tape.size(curve[Math.floor(step / tape.stride)])}`;
      tip.style.display = "block";
      tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${event.clientY - 28}px`;
    }).on("pointerleave", () => { guide.style("display", "none"); tip.style.display = "none"; });
  }

  const ticks = (count, from) => d3.ticks(1, Math.max(count, 1), 5).filter(Number.isInteger).map((step) => from + step);

  function shorten(text, room) {
    if (text.getComputedTextLength() <= room) return;
    const whole = text.textContent;
    let keep = Math.floor(whole.length * room / text.getComputedTextLength()) - 1;
    text.textContent = `${whole.slice(0, keep)}\u2026`;
    d3.select(text).append("title").text(whole);
  }

  function mark() {
    const chosen = chosenNow();
    d3.selectAll("#memory .row").classed("chosen", (entry) =>
      (chosen.kind === "save" && entry.bar.storage.number === chosen.number) ||
      (chosen.kind === "node" && entry.bar.storage.savers.includes(chosen.number)));
  }

  function show(number) {
    openAround(root, open, (bar) => bar.storage.number === number);
    draw();
    const row = document.querySelector(`#memory [data-storage="${number}"]`);
    if (row) row.scrollIntoView({ block: "nearest" });
  }

  const fold = (all) => { open.clear(); (all ? [root.path] : allPaths(root)).forEach((path) => open.add(path)); draw(); };
  return { draw, mark, show, fold };
})();
