// Positions of everything on the map. A switch is drawn alone, or as a cell of its folded pod or of
// its group of core switches. Each drawn object is a node; links between the same two nodes become
// one.
'use strict';

const STEP = 118, TOP = 34, LEFT = 40, BOX = {width: 50, height: 30}, CELL = 9, HOST_STEP = 12;

class Layout {
  // folded: numbers of the folded pods; coreFolded: core switches are drawn as groups.
  constructor(tree, folded, coreFolded) {
    this.tree = tree;
    this.folded = folded;
    this.nodes = new Map(); // id -> node
    this.hosts = [];
    const widths = Array.from({length: tree.pods}, (_, p) => this.podWidth(p));
    const below = widths.reduce((a, b) => a + b, 0);
    const cores = coreFolded ? tree.groups : tree.count(tree.layers);
    const coreStep = coreFolded ? 30 + CELL * Math.min(tree.groupSize, 8) : BOX.width + 6;
    this.inner = Math.max(below, cores * coreStep, 300);
    this.width = this.inner + LEFT;
    this.coreFolded = coreFolded;
    this.height = TOP + (tree.layers - 1) * STEP + 74;
    let x = LEFT + (this.inner - below) / 2;
    if (tree.layers > 1) {
      for (let p = 0; p < tree.pods; p++) {
        this.placePod(p, x, widths[p]);
        x += widths[p];
      }
    }
    this.placeCore(cores, coreFolded);
    this.placeHosts();
  }

  static widthUnfolded(tree) {
    return tree.layers > 1 ? tree.pods * tree.podSize(1) * Layout.column(tree) : 300;
  }

  static column(tree) { return Math.max(BOX.width + 8, (tree.layers > 1 ? tree.arity : 2) * HOST_STEP + 8); }

  y(layer) { return TOP + (this.tree.layers - layer) * STEP; }

  podWidth(p) {
    if (this.tree.layers === 1) return 300;
    if (!this.folded.has(p)) return this.tree.podSize(1) * Layout.column(this.tree) + 8;
    return Math.max(60, Math.min(this.tree.podSize(1), 8) * CELL + 24);
  }

  placePod(p, x, width) {
    const {tree} = this;
    if (this.folded.has(p)) {
      const top = this.y(tree.layers - 1) - BOX.height / 2;
      this.nodes.set(`p${p}`, {id: `p${p}`, kind: 'pod', pod: p, x: x + width / 2, y: this.y(tree.layers - 1),
        width: width - 8, top, height: this.y(1) + BOX.height / 2 - top + 24});
      return;
    }
    for (let m = 1; m < tree.layers; m++) {
      const size = tree.podSize(m), step = (width - 8) / size;
      for (let i = 0; i < size; i++) {
        this.addSwitch(m, p * size + i, x + 4 + (i + 0.5) * step);
      }
    }
  }

  placeCore(count, folded) {
    const {tree} = this, step = this.inner / count;
    for (let i = 0; i < count; i++) {
      const x = LEFT + (i + 0.5) * step;
      if (folded) {
        const columns = Math.min(tree.groupSize, 8), rows = Math.ceil(tree.groupSize / columns);
        this.nodes.set(`g${i}`, {id: `g${i}`, kind: 'group', group: i, x, y: this.y(tree.layers),
          width: columns * CELL + 12, top: this.y(tree.layers) - BOX.height / 2, height: Math.max(BOX.height, rows * CELL + 12)});
      } else {
        this.addSwitch(tree.layers, i, x);
      }
    }
  }

  addSwitch(layer, label, x) {
    const id = this.tree.name(layer, label);
    this.nodes.set(id, {id, kind: 'switch', layer, label, x, y: this.y(layer)});
  }

  placeHosts() {
    const {tree} = this;
    for (let h = 0; h < tree.hosts; h++) {
      const peer = tree.hostPeer(h), at = this.nodes.get(tree.name(1, peer.label));
      if (!at) continue;
      const count = tree.downPorts(1), step = Math.min(HOST_STEP * 1.6, Math.max(HOST_STEP, (BOX.width + 8) / count));
      const node = {id: `h${h}`, kind: 'host', layer: 0, label: h, x: at.x + (peer.port - (count - 1) / 2) * step,
        y: at.y + 46};
      this.nodes.set(node.id, node);
      this.hosts.push(node);
    }
  }

  // The node that represents a switch or host. A host of a folded pod is represented by the pod.
  node(layer, label) {
    const {tree} = this;
    if (layer === 0) {
      return this.nodes.get(`h${label}`) || this.node(1, tree.hostPeer(label).label);
    }
    if (layer === tree.layers && this.coreFolded) return this.nodes.get(`g${tree.group(label)}`);
    const pod = tree.pod(layer, label);
    return this.nodes.get(pod >= 0 && this.folded.has(pod) ? `p${pod}` : tree.name(layer, label));
  }

  // Links as drawn: {id, below, above, ends: [{layer, label, up, port}]}. The ends are the up-ports
  // at the lower ends of the links. The end of a host's link is the down-port of its switch.
  links() {
    const {tree} = this, found = new Map();
    const add = (below, above, end, id) => {
      if (!below || !above || below === above) return;
      const key = `${below.id}|${above.id}`;
      if (!found.has(key)) found.set(key, {id, below, above, ends: []});
      found.get(key).ends.push(end);
    };
    for (let m = 1; m < tree.layers; m++) {
      for (let s = 0; s < tree.count(m); s++) {
        for (let u = 0; u < tree.upPorts(m); u++) {
          const peer = tree.peer(m, s, true, u);
          add(this.node(m, s), this.node(peer.layer, peer.label), {layer: m, label: s, up: true, port: u},
            `${tree.name(m, s)}.u${u}`);
        }
      }
    }
    for (const host of this.hosts) {
      const peer = tree.hostPeer(host.label);
      add(host, this.node(1, peer.label), {layer: 1, label: peer.label, up: false, port: peer.port}, host.id);
    }
    return [...found.values()];
  }
}
