// The map: draws a layout once, then paints frame after frame on it.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

function svg(tag, attributes, parent) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (parent) parent.append(element);
  return element;
}

// These two change the document only if the value differs, which is faster.
function put(element, key, value) {
  const text = String(value);
  if (element.getAttribute(key) !== text) element.setAttribute(key, text);
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const loadText = (load) => (Number.isNaN(load) ? '–' : `${(load * 100).toFixed(0)} %`);
const CAPTURING = 'capturing';
const percent = (share) => (Number.isNaN(share) ? '' : `${Math.round(share * 100)} %`);

class FabricMap {
  // on: callbacks {choose(name, port), fold(pod), host(label, pick)}
  constructor(element, on) {
    this.element = element;
    this.on = on;
    this.viewport = new Viewport(element);
  }

  draw(tree, layout) {
    const {element} = this;
    this.tree = tree;
    this.layout = layout;
    element.replaceChildren();
    element.style.maxWidth = `${Math.max(layout.width * 1.5, 700)}px`;
    this.labels(svg('g', {class: 'layers'}, element));
    const wires = svg('g', {class: 'links'}, element);
    this.ways = svg('g', {class: 'ways'}, element);
    this.marks = new Marks(svg('g', {class: 'marks'}, element), layout);
    const boxes = svg('g', {class: 'nodes'}, element);
    this.links = layout.links().map((link) => this.drawLink(link, wires));
    this.nodes = new Map();
    for (const node of layout.nodes.values()) this.nodes.set(node.id, this.drawNode(node, boxes));
    this.viewport.reset(layout.width, layout.height, Math.min(layout.width * 0.62, 5000), this.nodes);
  }

  labels(parent) {
    const {tree, layout} = this;
    for (let m = 1; m <= tree.layers; m++) {
      const name = m === tree.layers ? 'core' : `layer ${m}`;
      svg('text', {x: 2, y: layout.y(m) + 3}, parent).textContent = name;
    }
  }

  // Two strokes side by side: up on the left, down on the right.
  drawLink(link, parent) {
    const {below, above} = link;
    const ends = link.ends.length;
    const group = svg('g', {class: `link${ends > 1 ? ' many' : ''}`, 'data-link': link.id}, parent);
    const y1 = below.kind === 'host' ? below.y : below.y - BOX.height / 2;
    const y2 = above.y + (above.kind === 'group' ? above.height - BOX.height / 2 : BOX.height / 2);
    const gap = below.kind === 'host' ? 1.5 : 2.6;
    const line = (dx, from) => svg('line', {x1: below.x + dx, y1, x2: above.x + dx, y2, class: 'l0', 'data-from': from}, group);
    const nearEnd = link.ends[0], peer = this.tree.peer(nearEnd.layer, nearEnd.label, nearEnd.up, nearEnd.port);
    const name = (e) => `${this.tree.name(e.layer, e.label)}.${this.tree.portName(e.up, e.port)}`;
    const toHost = !nearEnd.up;
    const drawn = {...link, group, gap, y1, y2, ends: link.ends,
      up: line(-gap, toHost ? below.id : name(nearEnd)), down: line(gap, toHost ? name(nearEnd) : name(peer))};
    group.addEventListener('click', () => this.on.choose(this.tree.name(nearEnd.layer, nearEnd.label),
      ends === 1 ? this.tree.portName(nearEnd.up, nearEnd.port) : null));
    this.tip(group, () => this.linkText(drawn));
    return drawn;
  }

  drawNode(node, parent) {
    if (node.kind === 'host') return this.drawHost(node, parent);
    if (node.kind !== 'switch') return this.drawFolded(node, parent);
    const group = this.button({class: 'switch', 'data-switch': node.id,
      transform: `translate(${node.x - BOX.width / 2},${node.y - BOX.height / 2})`}, parent, () => this.on.choose(node.id));
    svg('rect', {width: BOX.width, height: BOX.height, rx: 5, class: 'box'}, group);
    const bar = svg('rect', {x: 3, y: BOX.height - 5, width: 0, height: 2.5, rx: 1, class: 'share'}, group);
    const title = svg('text', {x: BOX.width / 2, y: 12.5, class: 'name'}, group);
    title.textContent = node.id;
    const note = svg('text', {x: BOX.width / 2, y: 22.5, class: 'note'}, group);
    const drop = svg('g', {class: 'drop', transform: `translate(${BOX.width - 2},2)`}, group);
    const pill = svg('rect', {y: -7, height: 14, rx: 7}, drop);
    const count = svg('text', {y: 2.5}, drop);
    this.tip(group, () => this.switchText(node));
    return {node, group, bar, note, drop, pill, count};
  }

  drawHost(node, parent) {
    const group = this.button({class: 'host', 'data-host': node.label, transform: `translate(${node.x},${node.y})`}, parent,
      () => this.on.host(node.label, true));
    svg('circle', {r: 4.2}, group);
    if (this.tree.hosts <= 64) svg('text', {y: 15}, group).textContent = node.id;
    group.addEventListener('pointerenter', () => this.on.host(node.label, false));
    group.addEventListener('focus', () => this.on.host(node.label, false));
    group.setAttribute('aria-label', `host ${node.id}`);
    this.tip(group, () => node.id);
    return {node, group};
  }

  // Draws a pod or a group of core switches: one cell for each switch, in rows by layer.
  drawFolded(node, parent) {
    const {tree} = this, pod = node.kind === 'pod';
    const group = this.button({class: 'folded', transform: `translate(${node.x - node.width / 2},${node.top})`,
      ...(pod ? {'data-pod': node.pod} : {'data-group': node.group})}, parent,
    () => (pod ? this.on.fold(node.pod) : this.on.fold(-1)));
    svg('rect', {width: node.width, height: node.height, rx: 7, class: 'box'}, group);
    const cells = [], columns = Math.min(pod ? tree.podSize(1) : tree.groupSize, 8);
    const cell = (layer, label, column, y) => cells.push({layer, label, rect: svg('rect', {
      x: (node.width - columns * CELL) / 2 + column * CELL + 1, y, width: CELL - 2, height: CELL - 2, rx: 1.5, class: 'cell'}, group)});
    if (pod) {
      for (let m = tree.layers - 1; m >= 1; m--) { // each row at the height of its layer
        const y = this.layout.y(m) - node.top - CELL / 2;
        for (let i = 0; i < tree.podSize(m); i++) {
          cell(m, node.pod * tree.podSize(m) + i, i % columns, y + Math.floor(i / columns) * CELL);
        }
      }
    } else {
      for (let i = 0; i < tree.groupSize; i++) {
        cell(tree.layers, i * tree.groups + node.group, i % columns, 6 + Math.floor(i / columns) * CELL);
      }
    }
    const note = svg('text', {x: node.width / 2, y: node.height - 15, class: 'note'}, group);
    const title = svg('text', {x: node.width / 2, y: node.height - 5, class: 'name'}, group);
    if (pod) title.textContent = `pod ${node.pod}`;
    else note.setAttribute('y', node.height - 5);
    this.tip(group, () => (pod ? `pod ${node.pod}: ${tree.podSize(1) + (tree.layers - 2) * tree.podSize(2)} switches, ` +
      `${tree.hosts / tree.pods} hosts; choose to unfold` : `${tree.groupSize} core switches with the same neighbours; choose to unfold`));
    return {node, group, cells, note};
  }

  button(attributes, parent, act) {
    const group = svg('g', {tabindex: -1, role: 'button', ...attributes}, parent);
    group.addEventListener('click', act);
    group.addEventListener('keydown', (e) => {
      if (e.key !== 'Enter' && e.key !== ' ') return;
      e.preventDefault();
      act();
    });
    return group;
  }

  // Shows a text beside the pointer, which is made when the pointer moves.
  tip(element, text) {
    const tip = document.getElementById('tip');
    element.addEventListener('pointermove', (e) => {
      tip.textContent = text();
      tip.hidden = false;
      tip.style.left = `${Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${e.clientY + 16}px`;
    });
    element.addEventListener('pointerleave', () => { tip.hidden = true; });
  }

  paint(history, frame, selected) {
    this.history = history;
    this.frame = frame;
    this.element.classList.toggle('unrated', !frame.rated);
    const marks = this.links.map((link) => this.paintLink(link));
    this.marks.show(marks);
    write(document.getElementById('slowed'), slowedText(marks.map((m) => m.slowed)));
    for (const node of this.nodes.values()) {
      if (node.node.kind === 'switch') this.paintSwitch(node, selected);
      else if (node.cells) this.paintFolded(node);
    }
  }

  // Measures both directions of all links that are drawn as one. Results are the busiest link's load,
  // packets per second, longest queue, largest share of time lost, and the states of links that are not up.
  measure(link) {
    const {history, frame, tree} = this, m = {up: 0, down: 0, upPackets: 0, downPackets: 0, upQueue: 0, downQueue: 0,
      upSlowed: 0, downSlowed: 0, words: []};
    for (const e of link.ends) {
      const i = tree.port(e.layer, e.label, e.up, e.port);
      if (e.up) {
        const peer = tree.peer(e.layer, e.label, true, e.port), k = tree.port(peer.layer, peer.label, false, peer.port);
        m.up = Math.max(m.up, history.load(frame, e.layer, e.label, true, e.port) || 0);
        m.down = Math.max(m.down, history.load(frame, peer.layer, peer.label, false, peer.port) || 0);
        m.upPackets += frame.out[i];
        m.downPackets += frame.out[k];
        m.upQueue = Math.max(m.upQueue, frame.queue[i]);
        m.downQueue = Math.max(m.downQueue, frame.queue[k]);
        m.upSlowed = Math.max(m.upSlowed, frame.slowed[i]);
        m.downSlowed = Math.max(m.downSlowed, frame.slowed[k]);
        const worst = [frame.word[i], frame.word[k]].find((w) => w !== UP);
        if (worst !== undefined) m.words.push(WORDS[worst]);
      } else {
        m.up = Math.max(m.up, frame.inLoad[i] || 0);
        m.down = Math.max(m.down, frame.load[i] || 0);
        m.upPackets += frame.in[i];
        m.downPackets += frame.out[i];
        m.downQueue = Math.max(m.downQueue, frame.queue[i]);
        m.downSlowed = Math.max(m.downSlowed, frame.slowed[i]);
        if (frame.word[i] !== UP) m.words.push(WORDS[frame.word[i]]);
      }
    }
    return m;
  }

  paintLink(link) {
    const m = this.measure(link), dead = m.words.length === link.ends.length && !m.words.some(isNeeded);
    const unused = m.words.every(isCalm) ? 'drained' : 'dead';
    link.measured = m;
    put(link.group, 'data-state', m.words[0] || 'up');
    for (const direction of ['up', 'down']) {
      const load = m[direction] || 0, line = link[direction];
      put(line, 'class', dead ? unused : `l${Math.round(load * 10)}`);
      put(line, 'stroke-width', dead ? 1.3 : (0.9 + Math.round(load * 20) / 20 * (link.below.kind === 'host' ? 2.6 : 4.4)).toFixed(2));
      put(line, 'data-load', load.toFixed(4));
      put(line, 'data-packets', m[`${direction}Packets`].toFixed(2));
      this.paintQueue(link, direction, m[`${direction}Queue`]);
    }
    const slowed = Math.max(m.upSlowed, m.downSlowed);
    put(link.group, 'data-slowed', slowed.toFixed(3));
    return {link, slowed, words: this.told(link) ? m.words.filter((w) => w !== WORDS[UNKNOWN]) : []};
  }

  // True if the switches at both ends of a link tell their states: a dead one says itself why its
  // links are dead.
  told({ends}) {
    const {frame, tree} = this, tells = (layer, label) => !layer || frame.told[tree.index(layer, label)];
    return ends.every((e) => {
      const peer = tree.peer(e.layer, e.label, e.up, e.port);
      return tells(e.layer, e.label) && tells(peer.layer, peer.label);
    });
  }

  // Paints a queue as a bar along the link, which begins at the queue's port and grows with the
  // logarithm of its length.
  paintQueue(link, direction, packets) {
    const key = `${direction}Bar`;
    if (packets < 1) {
      if (link[key]) link[key].remove();
      link[key] = null;
      return;
    }
    const {below, above, y1, y2, gap} = link, up = direction === 'up';
    const dx = above.x - below.x, dy = y2 - y1, length = Math.hypot(dx, dy);
    const part = Math.min(0.45, (4 + 5 * Math.log2(1 + packets)) / length);
    const side = up ? -gap - 2.6 : gap + 2.6, [t1, t2] = up ? [0.02, 0.02 + part] : [0.98, 0.98 - part];
    link[key] ||= svg('line', {class: 'queue'}, link.group);
    put(link[key], 'x1', (below.x + dx * t1 + side).toFixed(1));
    put(link[key], 'y1', (y1 + dy * t1).toFixed(1));
    put(link[key], 'x2', (below.x + dx * t2 + side).toFixed(1));
    put(link[key], 'y2', (y1 + dy * t2).toFixed(1));
    put(link[key], 'data-packets', packets);
  }

  paintSwitch({node, group, bar, note, drop, pill, count}, selected) {
    const {frame, tree} = this, i = tree.index(node.layer, node.label), word = WORDS[frame.switchWord[i]], up = frame.told[i];
    const share = frame.redirected[i], drops = frame.dropped[i], trouble = frame.trouble[i];
    put(group, 'class', `switch${up ? '' : ' down'}${trouble ? ' trouble' : ''}${node.id === selected ? ' selected' : ''}`);
    put(group, 'data-state', word);
    put(group, 'aria-label', `${node.id}: ${this.stateText(i)}`);
    write(note, this.noteText(i, node.layer));
    put(bar, 'width', up && share > 0 ? ((BOX.width - 6) * share).toFixed(1) : 0);
    put(drop, 'class', drops > 0 ? 'drop on' : 'drop');
    const text = drops < 999.5 ? String(Math.ceil(drops)) : drops < 99500 ? `${Math.round(drops / 1000)}k` : '!';
    const width = Math.max(14, 5 * text.length + 5);
    put(pill, 'x', -width / 2);
    put(pill, 'width', width);
    write(count, drops > 0 ? text : '');
  }

  // The line below the name of a switch: what is most notable about it.
  noteText(i, layer) {
    const {frame, tree} = this, word = WORDS[frame.switchWord[i]];
    if (word !== WORDS[RUNNING]) return word;
    if (frame.capturing[i]) return CAPTURING;
    return layer === tree.layers ? '' : `${frame.scheme[i] || ''} ${percent(frame.redirected[i])}`;
  }

  paintFolded({node, group, cells, note}) {
    const {frame, tree} = this;
    let worst = '', drops = 0, most = -1, capturing = false;
    for (const {layer, label, rect} of cells) {
      const i = tree.index(layer, label), begin = tree.port(layer, label, false, 0);
      let load = 0;
      for (let p = begin; p < begin + 2 * tree.arity; p++) load = Math.max(load, frame.load[p] || 0);
      put(rect, 'class', frame.told[i] ? `cell l${Math.round(load * 10)}${frame.trouble[i] ? ' trouble' : ''}` : 'cell dead');
      if (frame.switchWord[i] !== RUNNING) worst = WORDS[frame.switchWord[i]];
      else if (frame.trouble[i] && !worst) worst = 'trouble';
      drops += frame.dropped[i];
      capturing ||= frame.capturing[i] > 0;
      if (frame.redirected[i] > most) most = frame.redirected[i];
    }
    put(group, 'class', `folded${worst ? ' trouble' : ''}${drops > 0 ? ' dropping' : ''}`);
    put(group, 'aria-label', `${node.id}: ${worst || WORDS[RUNNING]}`);
    const calm = capturing ? CAPTURING : most > 0 ? `up to ${percent(most)}` : '';
    write(note, worst || (drops > 0 ? `${Math.ceil(drops)} drops/s` : calm));
  }

  linkText(link) {
    const m = link.measured, {below, above, ends} = link;
    const line = (arrow, load, packets, queue, slowed) => `${arrow} ${loadText(load)}, ${counted(packets)} packets/s` +
      (queue ? `, ${queue} queued` : '') + (slowed >= SLOWED ? `, slowed: ${Math.ceil(slowed * 100)} % of the time no CPU time to send` : '');
    const words = m.words.length ? `\n${[...new Set(m.words)].join(', ')}` : '';
    return `${below.id} – ${above.id}${ends.length > 1 ? ` (${ends.length} links)` : ''}\n` +
      `${line('▲', m.up, m.upPackets, m.upQueue, m.upSlowed)}\n${line('▼', m.down, m.downPackets, m.downQueue, m.downSlowed)}${words}`;
  }

  // The state of a switch, and more about it.
  stateText(i) {
    const {frame} = this, more = frame.trouble[i] || frame.how[i] || (frame.capturing[i] ? CAPTURING : '');
    return `${WORDS[frame.switchWord[i]]}${more ? `, ${more}` : ''}`;
  }

  switchText(node) {
    const {frame, tree} = this, i = tree.index(node.layer, node.label);
    if (!frame.told[i]) return `${node.id}: ${this.stateText(i)}`;
    const share = percent(frame.redirected[i]);
    return [`${node.id} ${tree.code(node.layer, node.label)}`, `${frame.scheme[i] || '–'}${share ? `, ${share} redirected` : ''}`,
      frame.capturing[i] && CAPTURING, frame.dropped[i] && `${counted(frame.dropped[i])} drops/s`, frame.trouble[i]].filter(Boolean).join('\n');
  }

  // Shows the paths between two hosts: the default as a line, and the paths taken now as broad
  // bands.
  showWays(from, to, taken, standard) {
    this.ways.replaceChildren();
    this.element.toggleAttribute('data-path', to !== null);
    for (const node of this.nodes.values()) {
      if (node.node.kind === 'host') put(node.group, 'class', `host${node.node.label === from || node.node.label === to ? ' chosen' : ''}`);
    }
    if (from === null) return;
    const line = (a, b, cls, width, opacity) => {
      if (a && b && a !== b) svg('line', {x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: cls, 'stroke-width': width, opacity}, this.ways);
    };
    const hops = (list, cls, width, opacity) => {
      for (const h of list) {
        const peer = this.tree.peer(h.layer, h.label, h.up, h.port);
        line(this.layout.node(h.layer, h.label), this.layout.node(peer.layer, peer.label), cls, width(h), opacity(h));
      }
    };
    const first = (host) => line(this.layout.node(0, host), this.layout.node(1, this.tree.hostPeer(host).label), 'taken', 14, 0.5);
    first(from);
    hops(taken, 'taken', (h) => 4 + 12 * h.share, (h) => 0.25 + 0.4 * h.share);
    line(this.layout.node(0, from), this.layout.node(1, this.tree.hostPeer(from).label), 'default', 1.6, 1);
    hops(standard, 'default', () => 1.6, () => 1);
  }
}
