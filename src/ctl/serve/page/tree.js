// The fat-tree F(l,d) by its formulas: labels, codes, wiring, paths. The same as src/core/fabric, which the
// tests compare it with (drbctl path).
'use strict';

class Tree {
  constructor(layers, arity) {
    this.layers = layers;
    this.arity = arity;
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
    this.podSize = layers > 1 ? arity ** (layers - 2) : 1; // switches of each layer of a pod
    this.groups = layers > 1 ? this.podSize : 1; // of core switches with the same neighbours below
  }

  count(layer) { return (layer === this.layers ? 1 : 2) * this.arity ** (this.layers - 1); }

  downPorts(layer) { return layer === this.layers ? 2 * this.arity : this.arity; }

  upPorts(layer) { return layer === this.layers ? 0 : this.arity; }

  // Digit i >= 1 of a label with this many digits; the top one is not reduced.
  digit(label, i, digits) {
    const high = Math.floor(label / this.arity ** (i - 1));
    return i === digits ? high : high % this.arity;
  }

  withDigit(label, i, digit) {
    return label + (digit - this.digit(label, i, this.layers - 1)) * this.arity ** (i - 1);
  }

  code(layer, label) { // "(2,1)", top component first
    const digits = layer === 0 ? this.layers : this.layers - 1;
    return `(${Array.from({length: digits}, (_, i) => this.digit(label, digits - i, digits)).join(',')})`;
  }

  name(layer, label) { return layer === 0 ? `h${label}` : `s${layer}-${label}`; }

  parse(name) { // {layer, label} of "s2-5" or "h3"; null
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

  upPeer(layer, label, port) { // up-port u leads to the switch above whose component m is u
    return {layer: layer + 1, label: this.withDigit(label, layer, port),
      port: this.digit(label, layer, this.layers - 1), up: false};
  }

  downPeer(layer, label, port) {
    if (layer === 1) return {layer: 0, label: label * this.arity + port, port: 0, up: true};
    return {layer: layer - 1, label: this.withDigit(label, layer - 1, port),
      port: this.digit(label, layer - 1, this.layers - 1), up: true};
  }

  hostPeer(host) {
    if (this.layers === 1) return {layer: 1, label: 0, port: host, up: false};
    return {layer: 1, label: Math.floor(host / this.arity), port: host % this.arity, up: false};
  }

  peer(layer, label, up, port) { return up ? this.upPeer(layer, label, port) : this.downPeer(layer, label, port); }

  isBelow(layer, label, host) {
    if (layer === this.layers) return true;
    const span = this.arity ** layer;
    return Math.floor(host / span) === Math.floor(label / this.arity ** (layer - 1));
  }

  // h_m: the only down-port for a host below, the default (D-mod-k) uplink for any other.
  hostDigit(layer, host) { return this.digit(host, layer, this.layers); }

  // [{layer, label, up, port}]: the switches of the default way and the ports by which it leaves them.
  path(from, to) {
    const way = [];
    for (let at = this.hostPeer(from); at.layer > 0;) {
      const up = !this.isBelow(at.layer, at.label, to);
      const hop = {layer: at.layer, label: at.label, up, port: this.hostDigit(at.layer, to)};
      way.push(hop);
      at = this.peer(hop.layer, hop.label, hop.up, hop.port);
    }
    return way;
  }

  pod(layer, label) { // -1: a core switch
    return layer === this.layers ? -1 : Math.floor(label / this.podSize);
  }

  group(label) { return label % this.groups; } // of a core switch
}
if (typeof module !== 'undefined') module.exports = {Tree};
