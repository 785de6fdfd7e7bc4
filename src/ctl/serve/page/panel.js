// The panel: counters, history and formulas of the selected switch or port, and the path between
// two hosts.
'use strict';

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function tableOf(titles, rows, onRow) {
  const table = make('table', {});
  table.append(make('thead', {}, make('tr', {}, ...titles.map((t) => make('th', {scope: 'col'}, t)))));
  const body = make('tbody', {});
  rows.forEach((cells, i) => {
    const row = make('tr', {}, ...cells.map((c) => make('td', {}, c)));
    if (onRow) onRow(row, i);
    body.append(row);
  });
  table.append(body);
  return table;
}

class Panel {
  constructor(element, choose) {
    this.element = element;
    this.choose = choose; // (switch, port)
    this.canvases = [];
  }

  // Writes the whole panel anew, but keeps the scroll position and the focus.
  show(history, frame, chosen) {
    const {element} = this, focus = document.activeElement && document.activeElement.dataset.key;
    const top = element.scrollTop;
    this.canvases = [];
    const parts = chosen.from !== null ? this.way(history, frame, chosen)
      : chosen.name ? this.node(history, frame, chosen) : this.overview(history, frame);
    element.replaceChildren(...parts.filter(Boolean));
    element.scrollTop = top;
    if (focus) element.querySelector(`[data-key="${focus}"]`)?.focus();
    for (const draw of this.canvases) draw();
  }

  // A curve of values, one for each frame.
  history(title, values, unit, most) {
    const canvas = make('canvas', {class: 'history', role: 'img', 'aria-label': title});
    this.canvases.push(() => {
      const {context, width, height} = prepare(canvas);
      plot(context, values, {x: 0, y: 2, width, height: height - 3}, {colour: colourOf('--delivered'), fill: true, most});
    });
    const last = values.at(-1);
    return make('figure', {}, make('figcaption', {}, `${title}: ${Number.isNaN(last) ? '–' : counted(last)} ${unit}`), canvas);
  }

  upTo(history, frame) {
    return history.frames.slice(Math.max(0, history.frames.indexOf(frame) - 300), history.frames.indexOf(frame) + 1);
  }

  overview(history, frame) {
    const {tree} = history, frames = this.upTo(history, frame);
    const busy = [];
    for (let m = 1; m <= tree.layers; m++) {
      for (let s = 0; s < tree.count(m); s++) {
        for (let p = 0; p < tree.portsOf(m); p++) {
          const up = p >= tree.downPorts(m), number = up ? p - tree.downPorts(m) : p;
          busy.push({m, s, up, number, i: tree.port(m, s, up, number)});
        }
      }
    }
    // Slowed links, which queue packets but send less than their rate, precede the others.
    const slow = (i) => frame.slowed[i] >= SLOWED && frame.queue[i] > 1;
    busy.sort((a, b) => slow(b.i) - slow(a.i) || (slow(a.i) ? frame.queue[b.i] - frame.queue[a.i] : 0) ||
      frame.load[b.i] - frame.load[a.i] || frame.queue[b.i] - frame.queue[a.i]);
    // Under the pointer or the focus, the rows stay those that they are.
    const held = this.hot && this.hot.tree === tree && this.element.querySelector('.hot tbody:hover, .hot :focus');
    const hot = held ? this.hot.ports : busy.slice(0, 8);
    this.hot = {tree, ports: hot};
    const rows = hot.map(({m, s, up, number, i}) => [`${tree.name(m, s)}.${tree.portName(up, number)}`,
      `${loadText(frame.load[i])}${frame.slowed[i] >= SLOWED ? ' (slowed)' : ''}`, counted(frame.out[i]), counted(frame.queue[i])]);
    const hotTable = tableOf(['port', 'load', 'packets/s', 'queue'], rows, (row, k) => {
      const b = hot[k];
      this.link(row, tree.name(b.m, b.s), tree.portName(b.up, b.number));
    });
    hotTable.className = 'hot';
    return [make('h2', {}, tree.text),
      make('p', {class: 'dim'}, `${tree.switches} switches, ${tree.hosts} hosts. Choose a switch or a link for its counters; ` +
        'choose one host, then another, for the paths between them.'),
      this.history('delivered to hosts', frames.map((f) => f.delivered), 'packets/s'),
      this.history('redirected', frames.map((f) => f.share * 100), '%', 100),
      make('h3', {}, 'Hot spots'),
      busy.some(({i}) => slow(i)) && make('p', {class: 'bad'}, 'Slowed: packets waited, but the switch got no CPU time to send them.'),
      hotTable];
  }

  link(row, name, port) {
    row.tabIndex = 0;
    row.className = 'choice';
    row.dataset.key = `${name}.${port}`;
    row.addEventListener('click', () => this.choose(name, port));
    row.addEventListener('keydown', (e) => { if (e.key === 'Enter') this.choose(name, port); });
  }

  close() {
    const button = make('button', {class: 'close', 'aria-label': 'close', 'data-key': 'close'}, '×');
    button.addEventListener('click', () => this.choose(null, null));
    return button;
  }

  node(history, frame, chosen) {
    const {tree} = history, end = tree.parse(chosen.name);
    if (!end || !end.layer) return this.overview(history, frame);
    const i = tree.index(end.layer, end.label);
    const good = frame.switchWord[i] === RUNNING && !frame.trouble[i], more = frame.trouble[i] || frame.how[i];
    const head = [this.close(), make('h2', {}, chosen.name + (chosen.port ? `.${chosen.port}` : '')),
      make('p', {class: good ? 'dim' : 'bad'}, good ? `layer ${end.layer}, code ${tree.code(end.layer, end.label)}${frame.capturing[i] ? `, ${CAPTURING}` : ''}`
        : `${WORDS[frame.switchWord[i]]}${more ? `: ${more}` : ''}`)];
    return head.concat(chosen.port ? this.port(history, frame, chosen, end) : this.ofSwitch(history, frame, end, i));
  }

  ofSwitch(history, frame, end, i) {
    const {tree} = history, frames = this.upTo(history, frame), name = tree.name(end.layer, end.label);
    const told = frame.state && frame.state.switches.find((s) => s.fabric === history.name && s.name === name && s.up);
    const ports = Array.from({length: tree.portsOf(end.layer)}, (_, p) => {
      const up = p >= tree.downPorts(end.layer), number = up ? p - tree.downPorts(end.layer) : p;
      const peer = tree.peer(end.layer, end.label, up, number), k = tree.port(end.layer, end.label, up, number);
      return {name: tree.portName(up, number), cells: [tree.portName(up, number), tree.name(peer.layer, peer.label),
        WORDS[frame.word[k]], counted(frame.in[k]), counted(frame.out[k]), loadText(frame.load[k]), counted(frame.queue[k])]};
    });
    const parts = [make('h3', {}, 'Ports'), tableOf(['port', 'peer', 'state', 'in/s', 'out/s', 'load', 'queue'], ports.map((p) => p.cells),
      (row, k) => this.link(row, name, ports[k].name))];
    if (end.layer < tree.layers) {
      parts.push(make('h3', {}, 'Routing'), make('p', {}, `${frame.scheme[i] || ''}${told ? `, unit ${told.unit}, T ${told.threshold}` : ''}`),
        this.history('redirected', frames.map((f) => f.redirected[i] * 100), '% of packets up', 100));
    }
    const begin = tree.port(end.layer, end.label, false, 0);
    parts.push(this.history('packets in', frames.map((f) => f.in.subarray(begin, begin + 2 * tree.arity).reduce((a, b) => a + b, 0)), '/s'));
    if (told) {
      const counters = Object.entries(told.routing).filter(([, v]) => v).map(([k, v]) => [k, counted(v)])
        .concat(Object.entries(told.drops).map(([k, v]) => [`dropped: ${k}`, counted(v)]));
      parts.push(make('h3', {}, 'Counters'), tableOf(['counter', 'value'], counters));
    }
    const m = end.layer;
    parts.push(make('h3', {}, 'Formula'), make('p', {class: 'formula'}, m === tree.layers
      ? `Every host is below. Host h goes down by d(h${m}), its digit ${m}.`
      : `Hosts ${Math.floor(end.label / tree.place(m, m)) * tree.arity ** m} to ` +
        `${(Math.floor(end.label / tree.place(m, m)) + 1) * tree.arity ** m - 1} are below: down by d(h${m}), their digit ${m}. ` +
        `For all others the default is u(h${m}${tree.upPorts(m) < tree.arity ? ` mod ${tree.uplinks}` : ''}).`));
    return parts;
  }

  port(history, frame, chosen, end) {
    const {tree} = history, up = chosen.port[0] === 'u', number = Number(chosen.port.slice(1));
    const i = tree.port(end.layer, end.label, up, number), frames = this.upTo(history, frame);
    const peer = tree.peer(end.layer, end.label, up, number);
    const other = peer.layer ? `${tree.name(peer.layer, peer.label)}.${tree.portName(peer.up, peer.port)}` : tree.name(0, peer.label);
    const told = frame.state && frame.state.switches.find((s) => s.fabric === history.name && s.name === chosen.name && s.up);
    const raw = told && told.ports.find((p) => p.name === chosen.port), m = end.layer;
    const formula = up
      ? `Up-port u${number} of layer ${m}: component ${m} of the code ${tree.code(m, end.label)} becomes ${number}, so ${other}.`
      : m === 1 ? `Down-port d${number} of ${chosen.name}: host ${end.label} × ${tree.arity} + ${number} = ${other}.`
        : `Down-port d${number} of layer ${m}: component ${m - 1} of the code ${tree.code(m, end.label)} becomes ${number}, so ${other}.`;
    const back = make('button', {'data-key': 'back'}, `all of ${chosen.name}`);
    back.addEventListener('click', () => this.choose(chosen.name, null));
    return [back, make('p', {class: frame.word[i] === UP ? '' : 'bad'}, `to ${other}: ${WORDS[frame.word[i]]}`),
      this.history('sent', frames.map((f) => f.out[i]), 'packets/s'), this.history('received', frames.map((f) => f.in[i]), 'packets/s'),
      this.history('queue', frames.map((f) => f.queue[i]), 'packets'), this.history('load', frames.map((f) => f.load[i] * 100), '%', 100),
      frames.some((f) => f.slowed[i] >= SLOWED) && this.history('slowed: no CPU time to send', frames.map((f) => f.slowed[i] * 100), '% of the time', 100),
      make('h3', {}, 'Formula'), make('p', {class: 'formula'}, formula),
      raw && make('h3', {}, 'Counters'),
      raw && tableOf(['counter', 'value'], [...Object.keys(history.keys).map((key, k) => [key, counted(raw.count[k])]),
        ['rate', raw.rate || '–'], ['queue limit', counted(raw.queue)], ['neighbour', raw.neighbour || '–']])];
  }

  way(history, frame, chosen) {
    const {tree} = history, {from, to} = chosen, head = [this.close()];
    if (to === null || to === from) {
      return [...head, make('h2', {}, `h${from}`), make('p', {}, `Code ${tree.code(0, from)}, at ${tree.name(1, tree.hostPeer(from).label)}. ` +
        'Now point at another host, or choose it.')];
    }
    const taken = history.spread(frame, from, to);
    const rows = tree.path(from, to).map((h) => {
      const others = taken.filter((t) => t.layer === h.layer && t.up && h.up && t.label === h.label);
      const name = tree.portName(h.up, h.port), i = tree.port(h.layer, h.label, h.up, h.port);
      return [tree.name(h.layer, h.label), name, counted(frame.queue[i]), loadText(frame.load[i]),
        h.up ? others.map((o) => `u${o.port} ${percent(o.share / others.reduce((a, b) => a + b.share, 0))}`).join(', ') : 'only path'];
    });
    const table = tableOf(['switch', 'default', 'queue', 'load', 'taken now'], rows);
    table.id = 'way';
    return [...head, make('h2', {}, `h${from} → h${to}`),
      make('p', {class: 'dim'}, 'The line is the default path (D-mod-k): up by the digits of the receiver, then the only path down. Bands are ' +
        'the paths that the uplinks’ traffic takes now, by their rates.'), table];
  }
}
