"use strict";
// The graph, laid out by dagre, in the direction of the forward. Folded modules are one box.
const graphPanel = (() => {
  const HEIGHT = 22, MOST = 900, MOST_OF_GROUP = 120;
  const root = moduleTree(tape.inner, (node) => node.module, 3);
  const open = firstOpen(root, 30);
  const wanted = (node) => node.saved.some((save) => save.clobbered);
  if (tape.inner.filter(wanted).length <= 8 && tape.inner.length <= 400) openAround(root, open, wanted);
  let zoom = null;

  function visible() {
    const boxes = [], clusters = [], holder = new Map();
    const visit = (group, base) => {
      const shown = shownOf(group), older = group.items.length - shown.length;
      if (older) {
        const id = `m${group.path}`;
        group.items.forEach((node) => holder.set(node.number, id));
        boxes.push({ id, older: true, cluster: base, text: `\u2026 ${older} more nodes` });
      }
      for (const node of shown) {
        const id = `n${node.number}`;
        holder.set(node.number, id);
        boxes.push({ id, node, cluster: base, text: nodeText(node, group.path) });
      }
      for (const child of group.groups) {
        const id = `g${child.path}`;
        if (open.has(child.path)) {
          clusters.push({ id, group: child, cluster: base, text: `\u25be ${named(child.path, group.path)}` });
          visit(child, id);
        } else {
          child.all.forEach((node) => holder.set(node.number, id));
          const held = d3.sum(new Set(child.all.flatMap((node) => node.saved).filter((save) => save.storage !== null)
            .filter((save) => !tape.storages.get(save.storage).parameter).map((save) => save.storage)),
            (number) => tape.storages.get(number).bytes);
          boxes.push({ id, group: child, cluster: base,
            text: `\u25b8 ${named(child.path, group.path)} \u00b7 ${child.count} nodes \u00b7 ${tape.size(held)}` });
        }
      }
    };
    visit(root, null);
    const edges = new Map();
    for (const node of tape.inner) {
      for (const below of node.inputs) {
        const from = holder.get(below), to = holder.get(node.number);
        if (from && to && from !== to) edges.set(`${from}>${to}`, { from, to });
      }
    }
    return { boxes, clusters, edges: [...edges.values()] };
  }

  // Of very many nodes in one module: what was overwritten, then the newest.
  function shownOf(group) {
    if (group.items.length <= MOST_OF_GROUP) return group.items;
    return d3.sort(group.items, (node) => !wanted(node), (node) => -node.number).slice(0, MOST_OF_GROUP);
  }

  function nodeText(node, base) {
    const inside = relative(node.module, base);
    const held = d3.sum(node.saved.filter((save) => save.storage === null || !tape.storages.get(save.storage).parameter),
      (save) => save.bytes);
    return `#${node.number} ${inside ? inside + " " : ""}${tape.short(node)} ${node.shapes.map(tape.shape).join(" ")}` +
      (held ? ` \u00b7 saves ${tape.size(held)}` : "");
  }

  function draw(keepView) {
    const shown = visible();
    const svg = d3.select("#graph svg");
    svg.selectAll("*").remove();
    if (!shown.boxes.length) {
      svg.append("text").attr("x", 20).attr("y", 30).text("No graph was left to show.");
      return;
    }
    if (shown.boxes.length > MOST) {
      svg.append("text").attr("x", 20).attr("y", 30)
        .text(`${shown.boxes.length} boxes are too many to lay out; fold modules until at most ${MOST} are left`);
      return;
    }
    const graph = new dagre.graphlib.Graph({ compound: true })
      .setGraph({ rankdir: "TB", nodesep: 14, ranksep: 14, marginx: 12, marginy: 12 }).setDefaultEdgeLabel(() => ({}));
    for (const cluster of shown.clusters) graph.setNode(cluster.id, {});
    for (const box of shown.boxes) graph.setNode(box.id, { width: 16 + 6.1 * box.text.length, height: HEIGHT });
    for (const entry of [...shown.clusters, ...shown.boxes]) if (entry.cluster) graph.setParent(entry.id, entry.cluster);
    for (const edge of shown.edges) graph.setEdge(edge.from, edge.to);
    dagre.layout(graph);

    svg.append("defs").append("marker").attr("id", "arrow").attr("viewBox", "0 0 8 8").attr("refX", 7).attr("refY", 4)
      .attr("markerWidth", 6).attr("markerHeight", 6).attr("orient", "auto").append("path").attr("class", "arrow")
      .attr("d", "M0,0L8,4L0,8z");
    const sheet = svg.append("g").attr("class", "sheet");
    const cluster = sheet.selectAll("g.cluster").data(shown.clusters).join("g").attr("class", "cluster");
    cluster.append("rect").each(function (entry) { frame(this, graph.node(entry.id)); });
    clickable(cluster.append("text").attr("class", "head")
      .attr("x", (entry) => graph.node(entry.id).x - graph.node(entry.id).width / 2 + 5)
      .attr("y", (entry) => graph.node(entry.id).y - graph.node(entry.id).height / 2 - 3)
      .text((entry) => entry.text), (entry) => toggle(entry.group));
    sheet.selectAll("path.edge").data(shown.edges).join("path").attr("class", "edge").attr("marker-end", "url(#arrow)")
      .attr("d", (edge) => d3.line((point) => point.x, (point) => point.y).curve(d3.curveBasis)(
        graph.edge(edge.from, edge.to).points));
    const box = sheet.selectAll("g.node").data(shown.boxes).join("g").attr("class", look)
      .attr("data-node", (entry) => (entry.node ? entry.node.number : null))
      .attr("data-group", (entry) => (entry.group ? entry.group.path : null))
      .attr("transform", (entry) => `translate(${graph.node(entry.id).x},${graph.node(entry.id).y})`);
    box.append("rect").attr("x", (entry) => -graph.node(entry.id).width / 2).attr("y", -HEIGHT / 2).attr("rx", 4)
      .attr("width", (entry) => graph.node(entry.id).width).attr("height", HEIGHT);
    box.append("text").attr("text-anchor", "middle").attr("y", 4).text((entry) => entry.text);
    clickable(box.filter((entry) => !entry.older), (entry) => (entry.node ? choose("node", entry.node.number) : toggle(entry.group)));
    view(svg, sheet, graph.graph(), keepView);
    mark();
  }

  function look(entry) {
    if (entry.older) return "node";
    const nodes = entry.node ? [entry.node] : entry.group.all;
    return ["node", entry.group ? "group" : "", nodes.some(wanted) ? "bad" : "",
      nodes.some((node) => node.saved.length) ? "saves" : ""].filter(Boolean).join(" ");
  }

  function frame(rect, at) {
    d3.select(rect).attr("x", at.x - at.width / 2).attr("y", at.y - at.height / 2).attr("width", at.width)
      .attr("height", at.height).attr("rx", 5);
  }

  function view(svg, sheet, size, keepView) {
    const before = zoom && keepView ? d3.zoomTransform(svg.node()) : null;
    zoom = d3.zoom().scaleExtent([0.05, 3]).on("zoom", (event) => sheet.attr("transform", event.transform));
    svg.call(zoom).on("dblclick.zoom", null);
    const { clientWidth: wide, clientHeight: high } = svg.node();
    const scale = Math.max(0.45, Math.min(1.15, wide / size.width, high / size.height));
    svg.call(zoom.transform, before || d3.zoomIdentity
      .translate(Math.max((wide - scale * size.width) / 2, 0), 0).scale(scale));
  }

  function toggle(group) {
    if (!open.delete(group.path)) open.add(group.path);
    draw(false);
  }

  function mark() {
    const chosen = chosenNow();
    const numbers = chosen.kind === "node" ? [chosen.number] : chosen.kind === "save" && tape.storages.has(chosen.number)
      ? tape.storages.get(chosen.number).savers : [];
    d3.selectAll("#graph .node").classed("chosen", (entry) => Boolean(entry.node) && numbers.includes(entry.node.number));
  }

  function show(number) {
    openAround(root, open, (node) => node.number === number);
    draw(false);
    const box = d3.select(`#graph [data-node="${number}"]`);
    if (!box.empty()) {
      const [, x, y] = /translate\(([^,]+),([^)]+)\)/.exec(box.attr("transform"));
      d3.select("#graph svg").call(zoom.translateTo, Number(x), Number(y));
    }
  }

  const fold = (all) => { open.clear(); (all ? [root.path] : allPaths(root)).forEach((path) => open.add(path)); draw(); };
  return { draw, mark, show, fold };
})();
