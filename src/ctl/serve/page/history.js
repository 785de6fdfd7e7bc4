// The history of one fabric in frames. Each frame is computed from two successive states (see
// state.h): rates are differences of counters, divided by the time on the switch's own clock.
'use strict';

const FRAMES_MAX = 600; // kept while live, or as many as the server remembered
const PORT_VALUES = ['out', 'in', 'octets', 'load', 'inLoad', 'queue', 'slowed'];
const WORDS = ['unknown', 'running', 'up']; // states of switches and ports by number; reported ones are added
const SLOWED = 0.01; // share of time lost: a link with less counts as sending at its rate
const UNKNOWN = 0, RUNNING = 1, UP = 2;

function wordNumber(word) {
  const at = WORDS.indexOf(word);
  return at >= 0 ? at : WORDS.push(word) - 1;
}

// Parses a rate such as "500pps" or "10Mbit" into packets or bits per second; value 0: no rate.
function capacityOf(rate) {
  const m = /^([\d.]+) ?([kmg]?)(pps|bit)/i.exec(rate);
  if (!m) return {value: 0, packets: false};
  return {value: m[1] * {'': 1, k: 1e3, m: 1e6, g: 1e9}[m[2].toLowerCase()], packets: m[3].toLowerCase() === 'pps'};
}

// A counter of a port; NaN if its switch, which has another version, does not report it.
function countOf(port, at) {
  const count = port.count[at];
  return count === null || count === undefined ? NaN : count;
}

class Frame {
  constructor(tree, state) {
    this.unixMs = state.unix_ms;
    this.state = state; // null once it was dropped to save memory
    for (const value of PORT_VALUES) this[value] = new Float32Array(tree.ports);
    this.word = new Uint8Array(tree.ports); // number of the port's state
    this.usable = new Uint8Array(tree.ports);
    this.switchWord = new Uint8Array(tree.switches); // number of the switch's state
    this.how = new Array(tree.switches); // more about this state
    this.told = new Uint8Array(tree.switches); // it told its counters
    this.redirected = new Float32Array(tree.switches).fill(NaN); // share of the packets sent up
    this.dropped = new Float32Array(tree.switches); // dropped packets per second
    this.scheme = new Array(tree.switches);
    this.trouble = new Array(tree.switches);
    this.capturing = new Uint8Array(tree.switches); // a capture of its packets runs
    this.rated = false; // some link has a rate
    // Sums over the fabric: packets per second, dropped packets per second, share redirected.
    this.delivered = this.drops = this.share = 0;
    this.answering = 0;
  }
}

class History {
  constructor(name) {
    this.name = name;
    this.tree = null; // null until a switch answers
    this.frames = [];
    this.events = []; // {unixMs, text, kind, where}
    this.busiest = 1; // bytes per second of the busiest link so far
    this.before = new Map(); // switch name -> its last report
    this.dropping = new Set(); // "s1-0 queue_full" in the last frame
    this.looked = false; // this tree has had a state; rates need two, so the first makes no frame
  }

  get last() { return this.frames[this.frames.length - 1]; }

  // most: frames that are kept; Infinity: all, with their states
  add(state, most) {
    const mine = state.switches.filter((s) => s.fabric === this.name);
    const size = state.fabrics.find((f) => f.fabric === this.name);
    if (!this.tree && !size) return;
    if (!this.tree || (size && (size.layers !== this.tree.layers || size.arity !== this.tree.arity ||
      size.uplinks !== this.tree.uplinks))) {
      this.tree = new Tree(size);
      this.frames = [];
      this.before.clear();
      this.looked = false;
    }
    this.keys = Object.fromEntries(state.port_counters.map((key, i) => [key, i]));
    const frame = new Frame(this.tree, state);
    const first = !this.looked;
    this.looked = true;
    // The states of switches first: they cause those of ports.
    for (const s of mine) this.takeState(frame, s, first);
    for (const s of mine) this.take(frame, s);
    if (first) return;
    this.sum(frame);
    this.frames.push(frame);
    if (most < Infinity && this.frames.length > 5 && this.tree.switches > 100) this.frames.at(-5).state = null;
    if (this.frames.length > most) this.frames.shift();
    if (this.events.length > 2000) this.events.splice(0, 500);
  }

  event(frame, kind, where, text) { this.events.push({unixMs: frame.unixMs, kind, where, text}); }

  takeState(frame, s, first) {
    const at = this.tree.index(s.layer, s.label);
    const before = this.before.get(s.name);
    s.state ||= s.up ? WORDS[RUNNING] : WORDS[UNKNOWN]; // recordings up to 0.3.0 have none
    frame.switchWord[at] = wordNumber(s.state);
    frame.how[at] = s.how || '';
    frame.told[at] = s.up ? 1 : 0;
    if (before ? before.state !== s.state : !first) {
      this.event(frame, s.up ? 'good' : 'bad', s.name, `${s.name} ${s.state}${before ? ` (was ${before.state})` : ''}`);
    }
  }

  take(frame, s) {
    const at = this.tree.index(s.layer, s.label);
    const before = this.before.get(s.name);
    this.before.set(s.name, s);
    if (!s.up) {
      const begin = this.tree.port(s.layer, s.label, false, 0);
      frame.word.fill(frame.switchWord[at], begin, begin + 2 * this.tree.arity);
      return;
    }
    frame.answering++;
    frame.scheme[at] = s.scheme;
    frame.trouble[at] = s.trouble;
    frame.capturing[at] = s.capturing ? 1 : 0;
    const same = before && before.up && before.pid === s.pid && s.time_ns > before.time_ns ? before : null;
    if (before && before.up && before.pid !== s.pid) this.event(frame, 'note', s.name, `${s.name} was started again`);
    if (before && Boolean(before.capturing) !== Boolean(s.capturing)) {
      this.event(frame, 'note', s.name, `${s.name}: a capture ${s.capturing ? 'begins' : 'ends'}`);
    }
    if (same && same.scheme !== s.scheme) this.event(frame, 'note', s.name, `${s.name}: scheme ${s.scheme}`);
    const seconds = same ? (s.time_ns - same.time_ns) / 1e9 : 0;
    for (const p of s.ports) this.takePort(frame, s, p, same, seconds);
    this.takeSums(frame, at, s, same, seconds);
  }

  takePort(frame, s, p, same, seconds) {
    const up = p.name[0] === 'u', number = Number(p.name.slice(1));
    const i = this.tree.port(s.layer, s.label, up, number);
    const old = same && same.ports.find((o) => o.name === p.name);
    frame.word[i] = wordNumber(p.state || WORDS[UNKNOWN]);
    frame.usable[i] = p.usable ? 1 : 0;
    frame.queue[i] = countOf(p, this.keys.queue_packets);
    if (old && old.state !== p.state) {
      this.event(frame, p.state === 'up' ? 'good' : 'bad', s.name, `${s.name}.${p.name} ${p.state} (was ${old.state})`);
    }
    if (!old || seconds <= 0) return;
    const rate = (key) => Math.max(0, countOf(p, this.keys[key]) - countOf(old, this.keys[key])) / seconds;
    const limit = capacityOf(p.rate);
    frame.out[i] = rate('out_packets');
    frame.in[i] = rate('in_packets');
    frame.octets[i] = rate('out_octets');
    frame.dropped[this.tree.index(s.layer, s.label)] += rate('in_missed');
    // Share of time that packets waited because the switch woke too late. Older recordings lack it.
    frame.slowed[i] = 'lost_credit_ns' in this.keys ? Math.min(1, rate('lost_credit_ns') / 1e9) || 0 : 0;
    const inOctets = rate('in_octets');
    this.busiest = Math.max(this.busiest, frame.octets[i] || 0, inOctets || 0);
    frame.rated ||= limit.value > 0;
    const load = (packets, octets) => (limit.value ? (limit.packets ? packets : octets * 8) / limit.value
      : octets / this.busiest);
    frame.load[i] = Math.min(1, load(frame.out[i], frame.octets[i]));
    frame.inLoad[i] = Math.min(1, load(frame.in[i], inOctets));
    if (s.layer === 1 && !up) frame.delivered += frame.out[i];
  }

  takeSums(frame, at, s, same, seconds) {
    if (!same || seconds <= 0) return;
    const grown = (key) => (s.routing[key] === null ? NaN : Math.max(0, s.routing[key] - same.routing[key]));
    const moved = grown('up_redirected'), stayed = grown('up_default');
    if (moved + stayed > 0) frame.redirected[at] = moved / (moved + stayed);
    frame.up = (frame.up || 0) + moved + stayed;
    frame.moved = (frame.moved || 0) + moved;
    for (const [reason, count] of Object.entries(s.drops)) {
      const more = count - (same.drops[reason] || 0), key = `${s.name} ${reason}`;
      if (more > 0 && reason !== 'multicast') { // which no switch answers: normal
        frame.dropped[at] += more / seconds;
        if (!this.dropping.has(key)) this.event(frame, 'bad', s.name, `${s.name} drops packets: ${reason}`);
        this.dropping.add(key);
      } else {
        this.dropping.delete(key);
      }
    }
  }

  sum(frame) {
    for (const d of frame.dropped) frame.drops += d;
    frame.share = frame.up ? frame.moved / frame.up : NaN;
  }

  // Load of the link at a port, in the direction away from the switch. If the switch does not
  // answer, it is computed from what the other end received.
  load(frame, layer, label, up, number) {
    const i = this.tree.port(layer, label, up, number);
    if (frame.told[this.tree.index(layer, label)]) return frame.load[i];
    const peer = this.tree.peer(layer, label, up, number);
    return peer.layer ? frame.inLoad[this.tree.port(peer.layer, peer.label, peer.up, peer.port)] : 0;
  }

  // The paths that packets between two hosts take now, as [{layer, label, up, port, share}]. The
  // shares are those of all traffic on the uplinks of each switch; without traffic, the default has
  // all.
  spread(frame, from, to) {
    const {tree} = this, way = [];
    let level = [{...tree.hostPeer(from), share: 1}];
    while (level.length && level[0].layer > 0) {
      const next = new Map();
      for (const at of level) {
        for (const {up, port, share} of this.exits(frame, at, to)) {
          way.push({layer: at.layer, label: at.label, up, port, share: at.share * share});
          const peer = tree.peer(at.layer, at.label, up, port), key = `${peer.layer}-${peer.label}`;
          const there = next.get(key) || {...peer, share: 0};
          there.share += at.share * share;
          next.set(key, there);
        }
      }
      level = [...next.values()];
    }
    return way;
  }

  exits(frame, at, to) {
    if (this.tree.isBelow(at.layer, at.label, to)) return [{up: false, port: this.tree.hostDigit(at.layer, to), share: 1}];
    const port = this.tree.defaultUplink(at.layer, to), rates = Array.from({length: this.tree.upPorts(at.layer)},
      (_, u) => frame.out[this.tree.port(at.layer, at.label, true, u)]);
    const sum = rates.reduce((a, b) => a + b, 0);
    if (!(sum > 0)) return [{up: true, port, share: 1}];
    return rates.map((r, u) => ({up: true, port: u, share: r / sum})).filter((e) => e.share > 0.005);
  }
}
