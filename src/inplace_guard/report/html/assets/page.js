"use strict";
// Which panel is seen and what is chosen is kept in the address: #memory, #graph, #save=12, #node=17, #finding=0.
const PANELS = ["memory", "graph"];
let panel = "memory";

function chosenNow() {
  const found = /^#(save|node|finding)=(\d+)$/.exec(location.hash);
  return found ? { kind: found[1], number: Number(found[2]) } : { kind: null, number: null };
}

function choose(kind, number) { location.hash = `#${kind}=${number}`; }

function header() {
  const { doc, size } = tape, { totals, lifetimes } = doc;
  document.querySelector("h1").textContent = doc.title || "Backward graph";
  const host = document.getElementById("totals");
  const say = (number, text) => {
    const bold = document.createElement("b");
    bold.textContent = number;
    host.append(host.childNodes.length ? " \u00b7 " : "", bold, ` ${text}`);
  };
  say(totals.nodes, `nodes (${totals.nodes + totals.accumulate_grad} with AccumulateGrad)`);
  say(size(totals.distinct_bytes), `activations saved`);
  say(size(totals.parameter_bytes), "parameters by reference");
  say(size(totals.peak_bytes), "peak");
  const notice = (text, bad, target) => {
    const line = document.createElement("p");
    line.className = bad ? "notice bad" : "notice";
    line.textContent = line.title = text;
    if (target) { line.style.cursor = "pointer"; line.onclick = () => { location.hash = target; }; }
    document.querySelector("header").insertBefore(line, document.querySelector("nav"));
  };
  doc.findings.slice(0, 3).forEach((found, index) => notice(`${found.code} ${found.message}`, true, `#finding=${index}`));
  if (doc.findings.length > 3) notice(`and ${doc.findings.length - 3} more hazards`, true, "#overview");
  if (lifetimes.error) notice(`backward raised at #${lifetimes.stopped_at}: ${lifetimes.error.split(" Hint:")[0]}`, true);
  doc.notices.forEach((text) => notice(text, false));
}

function address() {
  const name = location.hash.slice(1);
  if (PANELS.includes(name)) panel = name;
  const chosen = chosenNow();
  for (const each of PANELS) {
    document.getElementById(each).hidden = each !== panel;
    document.querySelector(`nav a[href="#${each}"]`).toggleAttribute("aria-current", each === panel);
    if (each === panel) document.querySelector(`nav a[href="#${each}"]`).setAttribute("aria-current", "page");
  }
  details.show(chosen);
  const shown = panel === "memory" ? memoryPanel : graphPanel;
  if (chosen.kind === "save" && panel === "memory") shown.show(chosen.number);
  else if (chosen.kind === "node" && panel === "graph" && tape.nodes.has(chosen.number) &&
    !document.querySelector(`#graph [data-node="${chosen.number}"]`)) shown.show(chosen.number);
  else if (drawn.has(panel)) shown.mark();
  if (!drawn.has(panel)) { drawn.add(panel); shown.draw(); }
  document.documentElement.dataset.ready = panel;
}

const drawn = new Set();
header();
for (const each of PANELS) {
  const shown = each === "memory" ? memoryPanel : graphPanel;
  document.querySelector(`#${each} .fold`).onclick = () => shown.fold(true);
  document.querySelector(`#${each} .unfold`).onclick = () => shown.fold(false);
}
addEventListener("hashchange", address);
addEventListener("resize", () => (panel === "memory" ? memoryPanel : graphPanel).draw());
address();
