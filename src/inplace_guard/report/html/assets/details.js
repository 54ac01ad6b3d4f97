"use strict";
// The panel on the right: everything known of what was clicked, in text.
const details = (() => {
  const host = document.querySelector("aside");
  const make = (tag, text, name) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    if (name) element.className = name;
    return element;
  };
  const add = (...elements) => host.append(...elements);
  const link = (kind, number, text) => {
    const element = make("a", text);
    element.href = `#${kind}=${number}`;
    return element;
  };
  const nodeLink = (number) => {
    const node = tape.nodes.get(number);
    return link("node", number, `#${number}${node ? ` ${node.leaf || node.kind}` : ""}`);
  };
  const item = (...parts) => { const element = make("li"); element.append(...parts); return element; };
  const list = (title, items) => {
    if (!items.length) return;
    add(make("h3", title));
    const element = make("ul");
    element.append(...items);
    add(element);
  };

  function site(role, where, extra) {
    const box = make("div", null, `site ${role}`);
    const head = make("div");
    head.append(make("span", role, "role"));
    if (extra) head.append(" ", ...[extra].flat());
    box.append(head);
    if (where) {
      const at = make("div", `${near(where)}${where.module ? ` in ${where.module}` : ""}`, "path");
      at.title = where.path;
      box.append(at);
      if (where.source || where.op) box.append(make("code", where.source || where.op));
    } else box.append(make("div", "line not known", "path"));
    return box;
  }

  const near = (at) => `${at.path.split(/[\\/]/).slice(-2).join("/")}:${at.line}`;
  const kind = (storage) => (storage.parameter ? "parameter" : "buffer");

  function save(number) {
    const storage = tape.storages.get(number), bar = tape.barOf.get(number);
    if (!storage) return overview();
    add(make("h2", storage.name ? `${kind(storage)} ${storage.name}` : `Saved memory ${number}`));
    add(make("p", tape.size(storage.bytes)));
    const savers = storage.savers.filter((by) => tape.nodes.has(by)).map((by) => tape.nodes.get(by));
    const clobbered = savers.filter((node) => node.saved.some((s) => s.storage === number && s.clobbered));
    if (clobbered.length) {
      add(make("p", "Overwritten after it was saved, before backward read it.", "bad"));
      const hit = d3.least(clobbered, (node) => tape.ran.get(node.number) || Infinity) || clobbered[0];
      const writes = storage.writes.filter((write) => write.broke.includes(hit.number));
      for (const write of writes) add(site("wrote", write.site));
      if (!writes.length) add(site("wrote", null, "by a call that the guard did not see"));
      add(site("saved", hit.site, nodeLink(hit.number)));
      const ran = tape.ran.get(hit.number);
      const needed = tape.doc.findings.map((finding) => finding.needed).find(Boolean);
      add(site("needed", needed, [nodeLink(hit.number), ran ? `, backward step ${ran}` : ", not reached"]));
    }
    if (bar) add(make("p", life(bar)));
    list("Saved by", savers.flatMap((node) => node.saved.filter((s) => s.storage === number).map((s) =>
      item(nodeLink(node.number), ` as ${s.name} (${s.role}) ${tape.shape(s.shape)} ${s.dtype}`,
        s.clobbered ? make("span", " overwritten", "bad") : "", where(node)))));
    list("Written", storage.writes.map((write) => item(make("code", write.site.source || write.site.op), make("div",
      `${near(write.site)}, ${write.step ? `after #${write.step}` : "before the first node"}`, "path"),
      write.broke.length ? make("span", `broke the save of ${write.broke.map((by) => `#${by}`).join(", ")}`, "bad") : "")));
    list("Read in backward", savers.map((node) => item(nodeLink(node.number),
      tape.ran.has(node.number) ? `, step ${tape.ran.get(node.number)}` : ", not reached")));
  }

  const where = (node) => {
    const text = [node.module, node.site ? tape.place(node.site) : null].filter(Boolean).join(" \u00b7 ");
    return make("div", text, "path");
  };

  function life(bar) {
    const measured = tape.doc.lifetimes.measured;
    const freed = bar.died !== null ? `${measured ? "Freed" : "Will be freed"} in backward step ${bar.died}.`
      : bar.read !== null ? `Read in backward step ${bar.read}, and kept: something else holds it.`
        : "Not freed: the backward did not get to it.";
    return `Kept from forward step ${bar.born}. ${freed}`;
  }

  function node(number) {
    const entry = tape.nodes.get(number);
    if (!entry) return overview();
    add(make("h2", `#${number} ${entry.leaf ? `AccumulateGrad of ${entry.leaf}` : entry.name}`));
    if (entry.module) add(make("p", `in ${entry.module}`));
    if (entry.shapes.length) add(make("p", `result ${entry.shapes.map(tape.shape).join(" ")}`));
    if (tape.ran.has(number)) add(make("p", `backward step ${tape.ran.get(number)} of ${tape.backward}`));
    if (entry.leaf === null) add(site("made", entry.site));
    if (entry.freed) add(make("p", "A backward has run it: what it saved is gone."));
    list("Saves", entry.saved.map((s) => item(
      s.storage === null ? make("span", s.name) : link("save", s.storage, s.name),
      ` ${s.role}${s.source ? ` from #${s.source}` : ""} ${tape.shape(s.shape)} ${s.dtype} ${tape.size(s.bytes)}`,
      s.storage !== null && tape.storages.get(s.storage).name ? ` = ${tape.storages.get(s.storage).name}` : "",
      s.clobbered ? make("span", " overwritten", "bad") : "")));
    list("Its gradients go to", entry.inputs.map((below) => item(nodeLink(below))));
    list("Gets its gradient from", (tape.consumers.get(number) || []).map((above) => item(nodeLink(above))));
  }

  function finding(index) {
    const found = tape.doc.findings[index];
    if (!found) return overview();
    add(make("h2", `${found.code} ${found.rule}`), make("p", found.message));
    for (const [role, at] of [["wrote", found.write], ["saved", found.saved], ["needed", found.needed]]) {
      if (at) add(site(role, at));
    }
    list("Notes", (found.details || []).map((text) => item(text)));
    add(make("p", `inplace-guard explain ${found.code}`));
  }

  function overview() {
    const { totals, lifetimes } = tape.doc;
    if (tape.doc.findings.length) {
      list("Hazards", tape.doc.findings.map((found, index) => item(link("finding", index, found.code), ` ${found.message}`)));
    }
    add(make("h3", "How to read this"));
    add(make("p", tape.doc.nodes.length ? "One bar is one piece of memory: from the op that saved it to the backward that " +
      "freed it. Ticks are the backwards that read it, triangles are writes. Click a bar, a node or a module."
      : "No graph was left to show: only the hazards."));
    list("Totals", [
      item(`${totals.nodes} nodes, ${totals.nodes + totals.accumulate_grad} with AccumulateGrad`),
      item(`${totals.saves} saved tensors`),
      item(`${tape.size(totals.distinct_bytes)} of activations; ${tape.size(totals.each_bytes)} if shared memory is counted each time`),
      item(`${tape.size(totals.parameter_bytes)} of parameters by reference`),
      item(`peak ${tape.size(totals.peak_bytes)}, ${lifetimes.measured ? "measured" : "predicted"}`),
    ]);
    list("Nodes by kind", Object.entries(totals.kinds).map(([name, count]) => item(`${count} ${name}`)));
  }

  function show({ kind: what, number }) {
    host.replaceChildren();
    host.scrollTop = 0;
    ({ save, node, finding }[what] || overview)(number);
  }
  return { show };
})();
