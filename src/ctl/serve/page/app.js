// The page as a whole: the source of states (the server, a file, or the page itself), the frame
// that is shown, and the user's selection.
'use strict';

const STATE_FORMAT = 1; // SERVE_STATE_FORMAT of state.h
const RETRY_MS = 2000; // after a lost connection
const byId = (id) => document.getElementById(id);
const histories = new Map(); // fabric -> History
const chosen = {name: null, port: null, from: null, to: null};
let fabric = null;
let shown = null; // the frame on the map; null: the last one
let live = true; // states come from the server, not from a recording
let folded = null; // numbers of the folded pods; null: folded as the width requires
let coreFolded = null;
let drawnFor = '';
let playing = 0; // timer of the playback; 0: paused
let version = ''; // of drbctl serve
let source = null; // of the server's events
let remembered = 0; // states that the server remembered
let taken = {time_ns: 0, unix_ms: 0}; // the last state, or its times

const map = new FabricMap(byId('map'), {
  choose: (name, port) => choose(name, port || null),
  fold: (pod) => fold(pod),
  host: (label, pick) => pickHost(label, pick),
});
const panel = new Panel(byId('details'), choose);
const timeline = new Timeline(byId('timeline'), byId('slider'), (index) => look(index));
const history = () => histories.get(fabric);

function choose(name, port) {
  Object.assign(chosen, {name, port, from: null, to: null});
  byId('from').value = byId('to').value = '';
  paint();
}

function pickHost(label, pick) {
  if (pick && (chosen.from === null || (chosen.to === label && chosen.fixed))) {
    Object.assign(chosen, {from: label, to: null, fixed: false, name: null, port: null});
  } else if (chosen.from !== null && label !== chosen.from && (pick || !chosen.fixed)) {
    Object.assign(chosen, {to: label, fixed: pick});
  } else {
    return;
  }
  byId('from').value = chosen.from === null ? '' : `h${chosen.from}`;
  byId('to').value = chosen.to === null ? '' : `h${chosen.to}`;
  paint();
}

function hostsTyped() {
  const {tree} = history() || {};
  const host = (id) => {
    const end = tree && tree.parse(byId(id).value.trim());
    byId(id).setAttribute('aria-invalid', byId(id).value && !(end && end.layer === 0));
    return end && end.layer === 0 ? end.label : null;
  };
  Object.assign(chosen, {from: host('from'), to: host('to'), fixed: true, name: null, port: null});
  paint();
}

// At first, pods fold if the whole map would be too small to read. After that the user decides.
function folds(tree) {
  const fits = Layout.widthUnfolded(tree) * 0.7 <= byId('view').clientWidth;
  if (!folded) folded = new Set(fits || tree.podSize(1) === 1 ? [] : Array.from({length: tree.pods}, (_, p) => p));
  coreFolded ??= !fits && tree.groups > 1;
}

function fold(pod) {
  const {tree} = history();
  if (pod < 0) coreFolded = !coreFolded;
  else if (!folded.delete(pod)) folded.add(pod);
  drawnFor = '';
  byId('unfold').disabled = tree.podSize(1) === 1;
  paint();
}

function foldAll(all) {
  const {tree} = history() || {};
  if (!tree || tree.podSize(1) === 1) return;
  folded = new Set(all ? Array.from({length: tree.pods}, (_, p) => p) : []);
  coreFolded = all;
  drawnFor = '';
  paint();
}

function redraw(tree) {
  folds(tree);
  const key = `${fabric} ${tree.layers},${tree.arity},${tree.uplinks} ${[...folded].join()} ${coreFolded}`;
  if (key === drawnFor) return;
  drawnFor = key;
  map.draw(tree, new Layout(tree, folded, coreFolded));
}

function summary(h, frame) {
  const tile = (id, text) => write(byId(id), text);
  const down = h.tree.switches - frame.answering;
  tile('switches', `${frame.answering} of ${h.tree.switches}`);
  byId('switches').classList.toggle('bad', down > 0);
  tile('delivered', `${counted(frame.delivered)}/s`);
  tile('redirected', Number.isNaN(frame.share) ? '–' : percent(frame.share));
  tile('drops', `${counted(frame.drops)}/s`);
  byId('drops').classList.toggle('bad', frame.drops > 0);
  tile('schemes', [...new Set(frame.scheme.filter(Boolean))].join(', ') || '–');
  tile('legend-scale', frame.rated ? 'of the link’s rate' : 'of the busiest link so far');
}

function listEvents(h, frame) {
  const list = byId('events'), seen = h.events.filter((e) => e.unixMs <= frame.unixMs).slice(-60).reverse();
  const key = `${fabric} ${seen.length && seen[0].unixMs} ${h.events.length} ${seen.length}`;
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...seen.map((e) => {
    const where = make('button', {class: e.kind}, e.text);
    where.addEventListener('click', () => choose(e.where, null));
    return make('li', {}, make('time', {}, new Date(e.unixMs).toLocaleTimeString()), ' ', where);
  }));
  byId('no-events').hidden = seen.length > 0;
}

function paint() {
  const h = history();
  if (!h || !h.tree || !h.last) return;
  const frame = shown && h.frames.includes(shown) ? shown : h.last;
  redraw(h.tree);
  map.paint(h, frame, chosen.name);
  const both = chosen.from !== null && chosen.to !== null && chosen.from !== chosen.to;
  map.showWays(chosen.from, both ? chosen.to : null, both ? h.spread(frame, chosen.from, chosen.to) : [],
    both ? h.tree.path(chosen.from, chosen.to) : []);
  panel.show(h, frame, chosen);
  timeline.draw(h, h.frames.indexOf(frame));
  listEvents(h, frame);
  summary(h, frame);
  byId('empty').hidden = true;
  byId('now').hidden = !live || !shown;
}

function look(index) {
  const h = history();
  if (!h) return;
  shown = live && index >= h.frames.length - 1 ? null : h.frames[Math.max(0, index)];
  const ended = !live && shown === h.last ? ', end of the recording' : '';
  write(byId('clock'), shown ? `${new Date(shown.unixMs).toLocaleTimeString()}${ended}` : '');
  paint();
}

function take(state, most) {
  for (const name of new Set(state.switches.map((s) => s.fabric))) {
    if (!histories.has(name)) histories.set(name, new History(name));
  }
  for (const h of histories.values()) h.add(state, most);
}

// Takes a state of the server, unless it is no later than the last one.
function takeLive(state) {
  if (state.time_ns <= taken.time_ns && state.unix_ms <= taken.unix_ms) return;
  taken = {time_ns: state.time_ns, unix_ms: state.unix_ms};
  take(state, Math.max(FRAMES_MAX, remembered));
}

// Takes the states that the server remembers (state.h), oldest first.
async function recall() {
  let count = 0;
  const reader = (await fetch('api/history')).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done && live; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop();
    remembered = Math.max(remembered, count += lines.length);
    for (const line of lines) takeLive(JSON.parse(line));
  }
}

function offerFabrics() {
  const names = [...histories.keys()], select = byId('fabric');
  if (names.join() === [...select.options].map((o) => o.value).join()) return;
  select.replaceChildren(...names.map((n) => new Option(n, n)));
  if (!histories.has(fabric)) fabric = names[0] || null;
  select.value = fabric;
}

function say(text, lost) {
  write(byId('connection'), text);
  byId('connection').classList.toggle('lost', Boolean(lost));
}

function follow() {
  if (!live) return; // meanwhile, a recording was opened
  offerFabrics();
  paint();
  source = new EventSource('events');
  source.onmessage = (message) => {
    const state = JSON.parse(message.data);
    ({version} = state);
    takeLive(state);
    say('live');
    offerFabrics();
    paint();
  };
  source.onerror = () => {
    source.close();
    say('connection lost, trying again', true);
    setTimeout(connect, RETRY_MS);
  };
}

// Fills the gap since the last state, and follows. What could not be read is missing: events say why.
function connect() {
  if (live) recall().catch(() => {}).then(follow);
}

function play(on) {
  clearInterval(playing);
  playing = 0;
  write(byId('play'), on ? '❚❚' : '▶');
  byId('play').setAttribute('aria-label', on ? 'pause' : 'play');
  if (!on) return;
  const h = history(), step = () => {
    const at = h.frames.indexOf(shown) + 1;
    if (at >= h.frames.length) { play(false); return; }
    look(at);
  };
  if (h.frames.indexOf(shown) >= h.frames.length - 1) look(0);
  const seconds = h.frames.length > 1 ? (h.last.unixMs - h.frames[0].unixMs) / 1e3 / (h.frames.length - 1) : 1;
  playing = setInterval(step, Math.max(30, seconds * 1000 / Number(byId('speed').value)));
}

// Opens a recording, which has one state a line.
function open(text, name) {
  const states = [];
  let cut = '';
  for (const [at, line] of text.split('\n').entries()) {
    if (!line.trim()) continue;
    try {
      states.push(JSON.parse(line));
    } catch {
      cut = `line ${at + 1} is no state of a fabric`;
      break; // the recording was cut off here
    }
  }
  if (cut && !states.length) {
    say(`${name}: ${cut}`, true);
    return;
  }
  if (!states.every((s) => Array.isArray(s.switches) && Array.isArray(s.fabrics))) {
    say(`${name} is no recording (drbctl record makes one)`, true);
    return;
  }
  const later = states.find((s) => s.format > STATE_FORMAT);
  if (later) {
    say(`${name} is of version ${later.version}, this page of ${version || 'an earlier one'}: open it with drbctl serve of that version`, true);
    return;
  }
  if (source) source.close();
  live = false;
  histories.clear();
  fabric = null;
  for (const state of states) take(state, Infinity);
  document.body.classList.add('recording');
  say(`recording ${name}, ${states.length} polls${cut && `; cut off there: ${cut}`}`, cut);
  offerFabrics();
  drawnFor = '';
  look(0);
  play(true);
}

byId('fabric').addEventListener('change', (e) => { fabric = e.target.value; folded = coreFolded = null; choose(null, null); });
byId('unfold').addEventListener('click', () => foldAll(false));
byId('fold').addEventListener('click', () => foldAll(true));
const views = {'+': () => map.viewport.zoom(ZOOM_STEP), '-': () => map.viewport.zoom(1 / ZOOM_STEP), 0: () => map.viewport.fit()};
byId('larger').addEventListener('click', views['+']);
byId('smaller').addEventListener('click', views['-']);
byId('fit').addEventListener('click', views[0]);
byId('play').addEventListener('click', () => play(!playing));
byId('speed').addEventListener('change', () => playing && play(true));
byId('now').addEventListener('click', () => { look(Infinity); });
byId('from').addEventListener('change', hostsTyped);
byId('to').addEventListener('change', hostsTyped);
byId('file').addEventListener('change', async (e) => {
  const file = e.target.files[0];
  if (file) open(await file.text(), file.name);
});
document.addEventListener('keydown', (e) => {
  if (e.key === 'Escape') choose(null, null);
  if (e.target.matches('input, select')) return;
  if (views[e.key] && map.tree && !e.ctrlKey && !e.metaKey) views[e.key]();
  if (e.target.matches('button, [role=button]')) return;
  if (e.key === ' ' && !live) { e.preventDefault(); play(!playing); }
});
addEventListener('resize', () => paint());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => paint());

const recording = byId('recording');
if (recording) {
  open(recording.textContent, recording.dataset.name || 'of this page');
} else {
  say('reading the history');
  connect();
}
