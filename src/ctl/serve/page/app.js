// The live map. State comes as server-sent events (see state.h); rates are differences of counters over
// each switch's own clock. The tree is drawn from its formula: layer m of F(l,d) from the bottom up.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const byId = (id) => document.getElementById(id);
let before = null;   // the previous state
let now = null;      // the state shown
let fabric = null;   // name of the fabric shown
let selected = null; // name of the switch in the side panel
let drawn = '';      // what the map was drawn for
const links = new Map();    // "s1-0.u0" -> {line, queue}
const switches = new Map(); // name -> group

function svg(tag, attributes, parent) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

const of = (state) => state.switches.filter((s) => s.fabric === fabric);
const counter = (state, port, key) => port.count[state.port_counters.indexOf(key)];
const counted = (n) => n.toLocaleString('en', {maximumFractionDigits: n < 10 ? 2 : 0});

function rates(s) { // port name -> {packets, octets, drops} a second
  const old = before && of(before).find((o) => o.name === s.name);
  const result = new Map();
  if (!old || !old.up || !s.up || old.pid !== s.pid || s.time_ns <= old.time_ns) return result;
  const seconds = (s.time_ns - old.time_ns) / 1e9;
  for (const port of s.ports) {
    const then = old.ports.find((p) => p.name === port.name);
    if (!then) continue;
    const rate = (key) => (counter(now, port, key) - counter(before, then, key)) / seconds;
    result.set(port.name, {packets: rate('out_packets'), octets: rate('out_octets'), incoming: rate('in_packets'),
      drops: rate('out_discards') + rate('in_discards')});
  }
  return result;
}

// Packets or bits a second of a rate such as "500pps" or "10Mbit"; 0: no rate.
function capacity(rate) {
  const m = /^([\d.]+)(pps|Kpps|Mpps|bit|Kbit|Mbit|Gbit)$/i.exec(rate);
  if (!m) return {value: 0, packets: false};
  const scale = {pps: 1, kpps: 1e3, mpps: 1e6, bit: 1, kbit: 1e3, mbit: 1e6, gbit: 1e9}[m[2].toLowerCase()];
  return {value: m[1] * scale, packets: m[2].toLowerCase().endsWith('pps')};
}

function draw(list, layers) {
  const map = byId('map');
  const widest = Math.max(...layers.map((m) => list.filter((s) => s.layer === m).length));
  const width = Math.max(600, widest * 56), height = layers.length * 150;
  map.replaceChildren();
  map.setAttribute('viewBox', `0 0 ${width} ${height}`);
  links.clear();
  switches.clear();
  const wires = svg('g', {}, map);
  const place = new Map();
  for (const m of layers) {
    const row = list.filter((s) => s.layer === m).sort((a, b) => a.label - b.label);
    row.forEach((s, i) => place.set(s.name, [(i + 0.5) * width / row.length,
      height - 60 - (m - layers[0]) * 130]));
  }
  for (const s of list) {
    for (const port of s.ports || []) {
      const peer = port.peer.split('.')[0];
      if (!port.name.startsWith('u') || !place.has(peer)) continue;
      const [x1, y1] = place.get(s.name), [x2, y2] = place.get(peer);
      // Two strokes side by side: upwards on the left, downwards on the right.
      for (const [end, dx] of [[`${s.name}.${port.name}`, -2.5], [port.peer, 2.5]]) {
        const line = svg('line', {class: 'link', x1: x1 + dx, y1, x2: x2 + dx, y2}, wires);
        links.set(end, {line});
      }
    }
  }
  for (const s of list) {
    const [x, y] = place.get(s.name);
    const group = svg('g', {class: 'switch', tabindex: 0, role: 'button', 'aria-label': s.name,
      transform: `translate(${x - 24},${y - 14})`}, map);
    svg('rect', {width: 48, height: 28, rx: 4}, group);
    svg('text', {x: 24, y: 18}, group).textContent = s.name;
    const choose = () => { selected = s.name; show(); };
    group.addEventListener('click', choose);
    group.addEventListener('keydown', (e) => { if (e.key === 'Enter' || e.key === ' ') choose(); });
    switches.set(s.name, group);
  }
}

function paintLink(s, port, rate) {
  const link = links.get(`${s.name}.${port.name}`);
  if (!link) return;
  const dead = !s.up || !port.usable;
  const limit = capacity(port.rate);
  const flow = rate ? (limit.packets ? rate.packets : rate.octets * 8) : 0;
  const load = limit.value ? Math.min(1, flow / limit.value) : flow > 0 ? Math.min(1, Math.log10(1 + flow) / 10) : 0;
  link.line.classList.toggle('dead', dead);
  link.line.style.stroke = `hsl(${210 - 210 * load} 70% ${50 + 0 * load}%)`;
  link.line.style.strokeWidth = 0.8 + 4 * load;
  link.line.dataset.load = load.toFixed(4);
  link.line.dataset.packets = rate ? rate.packets.toFixed(2) : '';
}

function paint() {
  const list = of(now);
  let drops = 0, packets = 0;
  for (const s of list) {
    const group = switches.get(s.name);
    group.classList.toggle('down', !s.up);
    group.classList.toggle('trouble', Boolean(s.up && s.trouble));
    group.classList.toggle('selected', s.name === selected);
    const each = rates(s);
    for (const port of s.ports || []) {
      const rate = each.get(port.name);
      paintLink(s, port, rate);
      if (rate) { drops += rate.drops; if (port.name.startsWith('d') && port.peer.startsWith('h')) packets += rate.packets; }
    }
    if (!s.up) for (const [end, link] of links) if (end.startsWith(`${s.name}.`)) link.line.classList.add('dead');
  }
  const up = list.filter((s) => s.up);
  byId('summary').textContent = `${up.length} of ${list.length} switches up, ${up[0] ? up[0].scheme : ''}, ` +
    `${counted(packets)} packets/s to hosts, ${counted(drops)} drops/s`;
}

function row(table, cells, tag = 'td') {
  const tr = table.insertRow();
  for (const cell of cells) {
    const td = document.createElement(tag);
    td.textContent = cell;
    tr.append(td);
  }
}

function showDetails() {
  const panel = byId('details');
  const s = of(now).find((o) => o.name === selected);
  panel.replaceChildren();
  if (!s) { panel.textContent = 'Choose a switch to see its counters.'; return; }
  const title = document.createElement('h2');
  title.textContent = s.up ? `${s.name}: ${s.scheme}, T ${s.threshold}` : `${s.name} does not answer`;
  panel.append(title);
  if (!s.up) return;
  if (s.trouble) { const p = document.createElement('p'); p.className = 'bad'; p.textContent = s.trouble; panel.append(p); }
  const each = rates(s), table = document.createElement('table');
  row(table, ['port', 'peer', 'state', 'in/s', 'out/s', 'queue', 'drops'], 'th');
  for (const port of s.ports) {
    const rate = each.get(port.name);
    row(table, [port.name, port.peer, port.state, rate ? counted(rate.incoming) : '', rate ? counted(rate.packets) : '',
      counter(now, port, 'queue_packets'), counter(now, port, 'out_discards') + counter(now, port, 'in_discards')]);
  }
  panel.append(table);
  const rest = document.createElement('table');
  for (const [key, value] of Object.entries(s.routing)) if (value) row(rest, [key, counted(value)]);
  for (const [key, value] of Object.entries(s.drops)) row(rest, [`dropped: ${key}`, counted(value)]);
  panel.append(rest);
}

function event(text) {
  const item = document.createElement('li');
  item.textContent = `${new Date(now.unix_ms).toLocaleTimeString()} ${text}`;
  byId('events').prepend(item);
  while (byId('events').childElementCount > 200) byId('events').lastElementChild.remove();
}

function compare() {
  if (!before) return;
  const old = new Map(of(before).map((s) => [s.name, s]));
  for (const s of of(now)) {
    const o = old.get(s.name);
    if (!o) { event(`${s.name} appeared`); continue; }
    if (o.up !== s.up) event(`${s.name} ${s.up ? 'answers again' : 'does not answer'}`);
    if (!o.up || !s.up) continue;
    if (o.pid !== s.pid) event(`${s.name} was restarted`);
    for (const port of s.ports) {
      const then = o.ports.find((p) => p.name === port.name);
      if (then && then.state !== port.state) event(`${s.name}.${port.name} ${port.state} (was ${then.state})`);
    }
    for (const [reason, count] of Object.entries(s.drops)) {
      if (count > 0 && !o.drops[reason]) event(`${s.name} drops packets: ${reason}`);
    }
  }
}

function chooseFabric() {
  const names = [...new Set(now.switches.map((s) => s.fabric))];
  const select = byId('fabric');
  if (names.join() !== [...select.options].map((o) => o.value).join()) {
    select.replaceChildren(...names.map((n) => new Option(n, n)));
    if (!names.includes(fabric)) fabric = names[0] || null;
    select.value = fabric;
  }
}

function show() {
  const list = of(now);
  // A switch that is gone has no ports: its links are drawn from what was known of it.
  const shape = list.map((s) => s.name).join();
  if (shape !== drawn && list.every((s) => s.up)) {
    draw(list, [...new Set(list.map((s) => s.layer))].sort((a, b) => a - b));
    drawn = shape;
  }
  if (switches.size === list.length) paint();
  showDetails();
}

byId('fabric').addEventListener('change', (e) => { fabric = e.target.value; drawn = ''; before = null; show(); });
const source = new EventSource('/events');
source.onmessage = (message) => {
  before = now;
  now = JSON.parse(message.data);
  byId('connection').textContent = 'live';
  byId('connection').classList.remove('lost');
  chooseFabric();
  compare();
  show();
};
source.onerror = () => {
  byId('connection').textContent = 'connection lost, trying again';
  byId('connection').classList.add('lost');
};
