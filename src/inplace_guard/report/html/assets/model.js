"use strict";
// The document that the page shows, with what the panels ask of it.
const tape = (() => {
  const doc = JSON.parse(document.getElementById("tape").textContent);
  const sites = doc.sites;
  const siteOf = (index) => (index === null ? null : sites[index]);
  const nodes = new Map(doc.nodes.map((node) => [node.number, { ...node, site: siteOf(node.site) }]));
  const storages = new Map(doc.storages.map((storage) => [storage.number, {
    ...storage,
    writes: storage.writes.map((write) => ({ ...write, site: siteOf(write.site) })),
  }]));
  const inner = [...nodes.values()].filter((node) => node.leaf === null).sort((a, b) => a.number - b.number);
  const { forward, backward, stride } = doc.steps;
  const ran = new Map(doc.lifetimes.order); // number of a node -> the step of backward in which it ran
  const ranAt = new Map(doc.lifetimes.order.map(([number, step]) => [step, number]));
  const consumers = new Map();
  for (const node of nodes.values()) {
    for (const below of node.inputs) (consumers.get(below) || consumers.set(below, []).get(below)).push(node.number);
  }
  const bars = doc.lifetimes.bars.map((bar) => {
    const storage = storages.get(bar.storage);
    const saves = storage.savers.filter((number) => nodes.has(number)).flatMap((number) =>
      nodes.get(number).saved.filter((save) => save.storage === bar.storage).map((save) => ({ ...save, by: number })));
    return { ...bar, storage, saves, bad: saves.some((save) => save.clobbered) };
  });
  const barOf = new Map(bars.map((bar) => [bar.storage.number, bar]));

  const size = (bytes) => bytes < 1024 ? `${bytes} B` : bytes < 1048576
    ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`;
  const shape = (dims) => (dims === null ? "?" : `(${dims.join(", ")})`);
  const short = (node) => node.leaf || node.kind.replace(/Backward\d*$/, "") || node.kind;
  const place = (site) => `${site.path.split(/[\\/]/).pop()}:${site.line}`;
  return { doc, nodes, storages, inner, forward, backward, stride, ran, ranAt, consumers, bars, barOf, size, shape, short, place };
})();

// Modules as a tree whose groups fold. An item belongs to the module at its path; groups of fewer than `least` items
// are dissolved into the one around them, and so are containers in which nothing runs but their children.
function moduleTree(items, pathOf, least) {
  const make = (path) => ({ path, name: path, children: new Map(), items: [], count: 0, entries: [] });
  const root = make("");
  for (const item of items) {
    let group = root;
    const parts = pathOf(item) ? pathOf(item).split(".") : [];
    parts.forEach((part, depth) => {
      if (!group.children.has(part)) group.children.set(part, make(parts.slice(0, depth + 1).join(".")));
      group = group.children.get(part);
    });
    group.items.push(item);
  }
  const settle = (group) => {
    const children = [...group.children.values()].map(settle);
    group.groups = [];
    for (const child of children) {
      if (child.count < least) group.items.push(...child.all);
      else group.groups.push(...(child.items.length ? [child] : child.groups));
    }
    group.all = [...group.items, ...group.groups.flatMap((child) => child.all)];
    group.count = group.all.length;
    return group;
  };
  return settle(root);
}

// Which groups are open at first: level by level while all that is then seen stays within `budget`.
function firstOpen(root, budget) {
  const open = new Set([root.path]);
  let level = root.groups, seen = root.items.length + root.groups.length;
  while (level.length) {
    const more = level.reduce((sum, group) => sum + group.items.length + group.groups.length, 0);
    if (seen + more > budget) break;
    level.forEach((group) => open.add(group.path));
    seen += more;
    level = level.flatMap((group) => group.groups);
  }
  return open;
}

function openAround(root, open, wanted) {
  const visit = (group) => {
    if (!group.all.some(wanted)) return;
    open.add(group.path);
    group.groups.forEach(visit);
  };
  visit(root);
}

const allPaths = (root) => [root.path, ...root.groups.flatMap(allPaths)];
const relative = (path, base) => (!path ? "" : base && path.startsWith(base + ".") ? path.slice(base.length + 1)
  : path === base ? "" : path);

// `blocks.0`, not `0`: a number alone names nothing.
function named(path, base) {
  const inside = relative(path, base);
  return /^\d/.test(inside) && base ? `${base.split(".").pop()}.${inside}` : inside;
}

function clickable(selection, act) {
  return selection.attr("tabindex", 0).attr("role", "button").on("click", (event, datum) => act(datum))
    .on("keydown", (event, datum) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(datum); }
    });
}
