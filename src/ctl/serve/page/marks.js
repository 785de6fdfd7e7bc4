// The words beside links. None covers another or a node: what finds no room is left to the tip.
'use strict';

const MARK = {height: 11, letter: 5.4, room: 2}, PLACES = [0.28, 0.5, 0.72, 0.39, 0.61];
const isCalm = (word) => word.startsWith('drained'); // a state that somebody ordered
const isNeeded = (word) => word.endsWith('still needed'); // a state in which the link carries packets
const SLOWED_MARKED = 0.1, SLOWED_WORST = 3; // links that lose less time are not marked, nor are others than the worst

class Marks {
  constructor(parent, layout) {
    this.parent = parent;
    this.nodes = [...layout.nodes.values()].map((n) => {
      const half = {x: (n.kind === 'host' ? 12 : n.width || BOX.width) / 2, y: BOX.height / 2};
      return {left: n.x - half.x, right: n.x + half.x, top: n.top ?? n.y - half.y, bottom: n.top === undefined ? n.y + half.y : n.top + n.height};
    });
  }

  // links: [{link, words (states that are not up), slowed (share of the time)}]
  show(links) {
    const states = links.filter((l) => l.words.length).map(({link, words}) => ({link,
      calm: words.every(isCalm), text: words.length > 1 ? `${words.length} ${words[0]}` : words[0]}));
    const slowed = links.filter((l) => !l.words.length && l.slowed >= SLOWED_MARKED).sort((a, b) => b.slowed - a.slowed)
      .slice(0, SLOWED_WORST).map(({link, slowed}) => ({link, text: `slowed ${Math.ceil(slowed * 100)} %`}));
    const taken = [...this.nodes];
    let shown = 0;
    for (const mark of [...states, ...slowed]) {
      const place = this.place(mark, taken);
      if (!place) continue;
      taken.push(place.box);
      const text = this.parent.children[shown++] || svg('text', {}, this.parent);
      put(text, 'x', place.x.toFixed(1));
      put(text, 'y', (place.y + 3).toFixed(1));
      put(text, 'class', mark.calm ? 'calm' : '');
      write(text, mark.text);
    }
    while (this.parent.childElementCount > shown) this.parent.lastElementChild.remove();
  }

  place({link, text}, taken) {
    const width = text.length * MARK.letter / 2 + MARK.room, height = MARK.height / 2;
    for (const t of PLACES) {
      const x = link.below.x * (1 - t) + link.above.x * t, y = link.y1 * (1 - t) + link.y2 * t;
      const box = {left: x - width, right: x + width, top: y - height, bottom: y + height};
      if (taken.every((o) => box.right < o.left || box.left > o.right || box.bottom < o.top || box.top > o.bottom)) return {x, y, box};
    }
    return null;
  }
}

// Returns the line above the map: how much time links lose if most of them lose some, else ''.
function slowedText(shares) {
  const some = shares.filter((s) => s >= SLOWED).map((s) => Math.ceil(s * 100));
  if (!some.length || some.length < shares.length / 2) return '';
  const least = Math.min(...some), most = Math.max(...some);
  return `${some.length === shares.length ? 'all' : 'most'} links slowed ${least < most ? `${least} to ` : ''}${most} %: the machine is busy`;
}
if (typeof module !== 'undefined') module.exports = {slowedText};
