// The time line of the last minutes, or of the whole recording: packets delivered, share
// redirected, drops, and a mark for each event. The slider below it selects a frame.
'use strict';

// null and NaN: the switch, which has another version, does not report the value.
const counted = (n) => (n === null || Number.isNaN(n) ? '–' : n.toLocaleString('en', {maximumFractionDigits: n < 10 ? 1 : 0}));
const EVENT_COLOURS = {bad: '--bad', good: '--good', note: '--accent'};

// Plots values as a curve into a box of a canvas; used for the time line and for curves of the
// panel.
function plot(context, values, box, style) {
  const most = style.most || Math.max(...values.filter((v) => !Number.isNaN(v)), 1e-9);
  const x = (i) => box.x + (style.at ? style.at(i) : values.length > 1 ? i / (values.length - 1) : 1) * box.width;
  const y = (v) => box.y + box.height * (1 - Math.min(1, v / most));
  context.beginPath();
  let open = false;
  values.forEach((v, i) => {
    if (Number.isNaN(v)) { open = false; return; }
    if (open) context.lineTo(x(i), y(v));
    else context.moveTo(x(i), y(v));
    open = true;
  });
  context.strokeStyle = style.colour;
  context.lineWidth = 1.5;
  context.stroke();
  if (!style.fill) return;
  context.lineTo(x(values.length - 1), box.y + box.height);
  context.lineTo(x(0), box.y + box.height);
  context.globalAlpha = 0.18;
  context.fillStyle = style.colour;
  context.fill();
  context.globalAlpha = 1;
}

// Clears a canvas and sets its resolution to that of the screen. Returns {context, width, height}
// in CSS pixels.
function prepare(canvas) {
  const width = canvas.clientWidth, height = canvas.clientHeight, scale = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return {context, width, height};
}

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

class Timeline {
  constructor(canvas, slider, choose) {
    this.canvas = canvas;
    this.slider = slider;
    slider.addEventListener('input', () => choose(this.frameAt(Number(slider.value))));
  }

  // The frame nearest to a position of the slider. A step to a side reaches the next frame there.
  frameAt(ms) {
    const {frames} = this, wanted = frames[0].unixMs + ms, was = frames[this.index].unixMs;
    let found = frames.findIndex((f) => f.unixMs >= wanted);
    if (found < 0) found = frames.length - 1;
    if (found > 0 && wanted - frames[found - 1].unixMs < frames[found].unixMs - wanted) found--;
    if (found === this.index && wanted !== was) found += Math.sign(wanted - was);
    return Math.max(0, Math.min(frames.length - 1, found));
  }

  draw(history, index) {
    const {context, width, height} = prepare(this.canvas), {frames} = history;
    if (!frames.length || !width) return;
    this.frames = frames;
    this.index = index;
    const first = frames[0].unixMs, span = frames.at(-1).unixMs - first;
    const at = (i) => (span ? (frames[i].unixMs - first) / span : 1); // the share of the time that is before
    const box = {x: 0, y: 14, width, height: height - 30};
    const most = Math.max(...frames.map((f) => f.delivered || 0), 1);
    plot(context, frames.map((f) => f.delivered), box, {colour: colourOf('--delivered'), fill: true, most, at});
    plot(context, frames.map((f) => f.share), box, {colour: colourOf('--redirected'), most: 1, at});
    this.drops(context, frames, box, at);
    this.events(context, history, box);
    const x = box.x + at(index) * width;
    context.fillStyle = colourOf('--fg');
    context.fillRect(Math.min(x, width - 1.5) - 0.75, 10, 1.5, box.height + 6);
    this.captions(context, frames, width, height, most);
    this.slider.max = span;
    this.slider.step = 1;
    this.slider.value = frames[index].unixMs - first;
    this.slider.setAttribute('aria-valuetext', new Date(frames[index].unixMs).toLocaleTimeString());
  }

  drops(context, frames, box, at) {
    const most = Math.max(...frames.map((f) => f.drops || 0));
    if (most <= 0) return;
    context.fillStyle = colourOf('--bad');
    frames.forEach((f, i) => {
      if (!(f.drops > 0)) return;
      const h = 3 + (box.height / 2 - 3) * f.drops / most;
      context.fillRect(box.x + at(i) * box.width - 1.5, box.y + box.height - h, 3, h);
    });
  }

  events(context, history, box) {
    const {frames} = history, first = frames[0].unixMs, span = frames.at(-1).unixMs - first || 1;
    for (const e of history.events) {
      if (e.unixMs < first) continue;
      const x = Math.max(4, Math.min(box.width - 4, (e.unixMs - first) / span * box.width));
      context.fillStyle = colourOf(EVENT_COLOURS[e.kind]);
      context.beginPath();
      context.moveTo(x - 4, 1);
      context.lineTo(x + 4, 1);
      context.lineTo(x, 9);
      context.fill();
    }
  }

  captions(context, frames, width, height, most) {
    context.fillStyle = colourOf('--dim');
    context.font = '10px system-ui, sans-serif';
    const time = (f) => new Date(f.unixMs).toLocaleTimeString();
    context.fillText(time(frames[0]), 2, height - 4);
    const last = time(frames.at(-1)), middle = `up to ${counted(most)} packets/s delivered`;
    context.fillText(last, width - context.measureText(last).width - 2, height - 4);
    context.fillText(middle, (width - context.measureText(middle).width) / 2, height - 4);
  }
}
