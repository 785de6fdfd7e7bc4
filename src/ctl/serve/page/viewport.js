// The part of the map that is seen, and the node that the keyboard is at. The map is one stop of
// the Tab key; arrows move between its nodes.
'use strict';

const ZOOM_STEP = 1.4, ZOOM_MOST = 16, DRAG_LEAST = 4;

// The node that a key leads to from a node, in rows of nodes by height; null: none. Rows are
// circles, and a page is the root of the length of its row, so any node is few keys away.
function nextNode(nodes, from, key) {
  const heights = [...new Set(nodes.map((n) => n.y))].sort((a, b) => a - b);
  const row = (y) => nodes.filter((n) => n.y === y).sort((a, b) => a.x - b.x);
  const mine = row(from.y), at = mine.indexOf(from), page = Math.max(1, Math.round(Math.sqrt(mine.length)));
  const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -page, PageDown: page}[key];
  if (step) return mine[(at + step + mine.length) % mine.length];
  if (key === 'Home') return mine[0];
  if (key === 'End') return mine.at(-1);
  const other = heights[heights.indexOf(from.y) + ({ArrowUp: -1, ArrowDown: 1}[key] || NaN)];
  if (other === undefined) return null;
  return row(other).reduce((a, b) => (Math.abs(b.x - from.x) < Math.abs(a.x - from.x) ? b : a));
}

class Viewport {
  constructor(element) {
    this.element = element; // an SVG
    this.nodes = new Map(); // id -> {node, group}
    this.at = null; // id of the node that Tab leads to
    element.addEventListener('keydown', (e) => this.key(e));
    element.addEventListener('focusin', (e) => this.enter(e.target));
    element.addEventListener('wheel', (e) => this.wheel(e), {passive: false});
    element.addEventListener('pointerdown', (e) => this.press(e));
    element.addEventListener('click', (e) => { if (this.dragged) e.stopPropagation(); }, true);
  }

  // Begins with the whole of a map of this size, which scrolls aside below so many readable pixels.
  reset(width, height, readable, nodes) {
    this.whole = {x: 0, y: 0, width, height};
    this.readable = readable;
    this.nodes = nodes;
    const first = nodes.get(this.at) || [...nodes.values()][0];
    this.at = first.node.id;
    for (const {group} of nodes.values()) group.setAttribute('tabindex', group === first.group ? 0 : -1);
    this.show(this.whole, true);
  }

  show(part, scrolls) {
    this.part = part;
    this.scrolls = scrolls;
    this.element.setAttribute('viewBox', `${part.x} ${part.y} ${part.width} ${part.height}`);
    this.element.style.minWidth = scrolls ? `${this.readable}px` : '0';
    this.element.classList.toggle('zoomed', part.width < this.whole.width);
  }

  fit() { this.show(this.whole, false); }

  // Zooms by a factor about a point of the map, which stays where it is.
  zoom(factor, centre) {
    if (this.scrolls) { // aside; the whole map is narrower
      const {clientWidth} = this.element;
      this.fit();
      factor *= clientWidth / this.element.clientWidth;
    }
    const {part, whole} = this, most = whole.width, width = Math.min(most, Math.max(most / ZOOM_MOST, part.width / factor));
    const {x, y} = centre || {x: part.x + part.width / 2, y: part.y + part.height / 2}, share = width / part.width;
    this.move({x: x - (x - part.x) * share, y: y - (y - part.y) * share, width, height: width * whole.height / whole.width});
  }

  move({x, y, width, height}) { // the part stays within the whole
    const within = (v, most) => Math.max(0, Math.min(most, v));
    this.show({x: within(x, this.whole.width - width), y: within(y, this.whole.height - height), width, height}, false);
  }

  point(e) {
    const box = this.element.getBoundingClientRect(), {part} = this;
    return {x: part.x + (e.clientX - box.left) / box.width * part.width, y: part.y + (e.clientY - box.top) / box.height * part.height};
  }

  wheel(e) { // without Ctrl, the wheel scrolls the page
    if (!e.ctrlKey) return;
    e.preventDefault();
    this.zoom(e.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, this.point(e));
  }

  press(e) {
    this.dragged = false;
    if (e.button || this.part.width >= this.whole.width) return;
    const begin = this.part, box = this.element.getBoundingClientRect();
    const drag = (m) => {
      const dx = m.clientX - e.clientX, dy = m.clientY - e.clientY;
      this.dragged ||= Math.hypot(dx, dy) >= DRAG_LEAST;
      if (this.dragged) this.move({...begin, x: begin.x - dx / box.width * begin.width, y: begin.y - dy / box.height * begin.height});
    };
    addEventListener('pointermove', drag);
    addEventListener('pointerup', () => removeEventListener('pointermove', drag), {once: true});
  }

  enter(group) {
    const found = [...this.nodes.values()].find((n) => n.group === group);
    if (!found || !this.nodes.has(this.at)) return;
    this.nodes.get(this.at).group.setAttribute('tabindex', -1);
    group.setAttribute('tabindex', 0);
    this.at = found.node.id;
    this.reveal(found.node);
  }

  reveal({x, y}) { // a node that is outside the part comes to its middle
    const {part} = this;
    if (x >= part.x && x <= part.x + part.width && y >= part.y && y <= part.y + part.height) return;
    this.move({...part, x: x - part.width / 2, y: y - part.height / 2});
  }

  key(e) {
    const nodes = [...this.nodes.values()], from = nodes.find((n) => n.group === e.target);
    const next = from && !e.ctrlKey && !e.altKey && nextNode(nodes.map((n) => n.node), from.node, e.key);
    if (!next) return;
    e.preventDefault();
    this.nodes.get(next.id).group.focus();
  }
}
if (typeof module !== 'undefined') module.exports = {nextNode};
