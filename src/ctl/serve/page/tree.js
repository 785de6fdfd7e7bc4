// The fat-tree F(l,d). Labels, codes and default paths are computed by their formulas; the server
// sends the wiring.
'use strict';

class Tree {
  constructor({layers, arity, uplinks, links}) { // an element of "fabrics" (state.h)
    this.layers = layers;
    this.arity = arity;
    this.uplinks = uplinks;
    this.hosts = 2 * arity ** layers;
    this.base = []; // index of the first switch of each layer
    this.portBase = []; // index of the first port of each layer
    let switches = 0, ports = 0;
    for (let m = 1; m <= layers; m++) {
      this.base[m] = switches;
      this.portBase[m] = ports;
      switches += this.count(m);
      ports += this.count(m) * 2 * arity;
    }
    this.switches = switches;
    this.ports = ports;
    this.pods = layers > 1 ? 2 * arity : 1;
    // Groups of core switches with the same neighbours below.
    this.groups = layers > 1 ? this.place(layers, layers - 1) : 1;
    this.groupSize = this.count(layers) / this.groups;
    this.peers = new Map(); // "s1-0.u1" -> the other end of its link
    for (const [lower, upper] of links) {
      this.peers.set(lower, this.end(upper));
      this.peers.set(upper, this.end(lower));
    }
  }

  get text() { // "F(3,2)"
    return `F(${this.layers},${this.arity})${this.uplinks < this.arity ? `, ${this.uplinks} of ${this.arity} uplinks in layer 1` : ''}`;
  }

  // Number of values, and place value, of digit i of a label of this layer (0: hosts).
  values(layer, i) { return layer > 1 && i === 1 ? this.uplinks : this.arity; }

  place(layer, i) { return i === 1 ? 1 : this.values(layer, 1) * this.arity ** (i - 2); }

  count(layer) {
    const core = this.layers > 1 ? this.uplinks * this.arity ** (this.layers - 2) : 1;
    if (layer === this.layers) return core;
    return 2 * (layer === 1 ? this.arity ** (this.layers - 1) : core);
  }

  podSize(layer) { return this.count(layer) / this.pods; } // switches of this layer in a pod

  downPorts(layer) { return layer === this.layers ? 2 * this.arity : this.arity; }

  upPorts(layer) {
    if (layer === this.layers) return 0;
    return layer === 1 ? this.uplinks : this.arity;
  }

  portsOf(layer) { return this.downPorts(layer) + this.upPorts(layer); }

  // Digit i >= 1 of a label of this layer; the top digit is not reduced.
  digit(layer, label, i) {
    const high = Math.floor(label / this.place(layer, i));
    return i === (layer ? this.layers - 1 : this.layers) ? high : high % this.values(layer, i);
  }

  code(layer, label) { // "(2,1)", top component first
    const digits = layer === 0 ? this.layers : this.layers - 1;
    return `(${Array.from({length: digits}, (_, i) => this.digit(layer, label, digits - i)).join(',')})`;
  }

  name(layer, label) { return layer === 0 ? `h${label}` : `s${layer}-${label}`; }

  parse(name) { // {layer, label} of "s2-5" or "h3"; null for any other text
    const m = /^(?:h|s(\d+)-)(\d+)$/.exec(name);
    const end = m && {layer: Number(m[1] || 0), label: Number(m[2])};
    if (!end || end.layer > this.layers) return null;
    return end.label < (end.layer ? this.count(end.layer) : this.hosts) ? end : null;
  }

  index(layer, label) { return this.base[layer] + label; } // of a switch

  // Index of a port: down-ports first, then up-ports, of each switch in turn.
  port(layer, label, up, number) {
    return this.portBase[layer] + label * 2 * this.arity + (up ? this.downPorts(layer) : 0) + number;
  }

  portName(up, number) { return `${up ? 'u' : 'd'}${number}`; }

  end(text) { // "s2-0.d3", "h5.eth0"
    const [name, port] = text.split('.');
    return {...this.parse(name), up: port[0] !== 'd', port: Number(port.slice(1)) || 0};
  }

  peer(layer, label, up, port) {
    return this.peers.get(`${this.name(layer, label)}.${layer ? this.portName(up, port) : 'eth0'}`);
  }

  hostPeer(host) { return this.peer(0, host, true, 0); }

  isBelow(layer, label, host) {
    if (layer === this.layers) return true;
    const span = this.arity ** layer;
    return Math.floor(host / span) === Math.floor(label / this.place(layer, layer));
  }

  // h_m, the only down-port that leads to a host below.
  hostDigit(layer, host) { return this.digit(0, host, layer); }

  // The default uplink (D-mod-k) towards any other host.
  defaultUplink(layer, host) { return this.hostDigit(layer, host) % this.upPorts(layer); }

  // The switches on the default path and the ports by which it leaves them: [{layer, label, up,
  // port}].
  path(from, to) {
    const way = [];
    for (let at = this.hostPeer(from); at.layer > 0;) {
      const up = !this.isBelow(at.layer, at.label, to);
      const port = up ? this.defaultUplink(at.layer, to) : this.hostDigit(at.layer, to);
      const hop = {layer: at.layer, label: at.label, up, port};
      way.push(hop);
      at = this.peer(hop.layer, hop.label, hop.up, hop.port);
    }
    return way;
  }

  pod(layer, label) { // -1: a core switch
    return layer === this.layers ? -1 : Math.floor(label / this.podSize(layer));
  }

  group(label) { return label % this.groups; } // of a core switch
}
if (typeof module !== 'undefined') module.exports = {Tree};
