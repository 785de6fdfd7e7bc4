// SPDX-License-Identifier: BSD-3-Clause
// Searches the index that mkdocs makes: sections with all words, by how well their titles match.
// The search that comes with mkdocs finds sections with any of the words, and no word such as "own".
'use strict';

const MOST = 30, BEFORE = 60, AFTER = 160; // results; letters shown around the first word
const SCORES = {title: 10, wholeTitle: 40, titlePhrase: 20, phrase: 8, text: 1, textMost: 5};

const count = (text, word) => text.split(word).length - 1;

function scoreOf(entry, words) {
  const title = entry.title.toLowerCase(), text = entry.text.toLowerCase(), phrase = words.join(' ');
  let score = words.reduce((sum, word) => sum + (title.includes(word) ? SCORES.title : 0) +
    SCORES.text * Math.min(count(text, word), SCORES.textMost), 0);
  if (title === phrase) score += SCORES.wholeTitle;
  if (title.includes(phrase)) score += SCORES.titlePhrase;
  if (text.includes(phrase)) score += SCORES.phrase;
  return entry.location.startsWith('CHANGELOG') ? score / 2 : score; // pages say how it is now
}

// Returns the entries with all words, or with some if none has all; the best ones first.
function find(entries, words) {
  const has = (entry) => (word) => `${entry.title} ${entry.text}`.toLowerCase().includes(word);
  let found = entries.filter((entry) => words.every(has(entry)));
  if (!found.length) found = entries.filter((entry) => words.some(has(entry)));
  // A section stands for its page, which has the words, too.
  const sections = new Set(found.filter((e) => e.location.includes('#')).map((e) => e.location.split('#')[0]));
  found = found.filter((e) => e.location.includes('#') || !sections.has(e.location) ||
    words.some((word) => e.title.toLowerCase().includes(word)));
  return found.map((entry) => ({entry, score: scoreOf(entry, words)})).sort((a, b) => b.score - a.score)
    .slice(0, MOST).map(({entry}) => entry);
}

// Returns nodes of the text, with the words marked.
function marked(text, words) {
  const any = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|')})`, 'iu');
  return text.split(any).map((part, i) => (i % 2 ? Object.assign(document.createElement('mark'), {textContent: part}) : part));
}

function show(entries, titles, words) {
  const results = document.getElementById('results');
  results.replaceChildren(...entries.map((entry) => {
    const text = entry.text.replace(/\s+/g, ' '), low = text.toLowerCase();
    const at = Math.max(0, Math.min(...words.map((word) => low.indexOf(word)).filter((i) => i >= 0), text.length) - BEFORE);
    const article = document.createElement('article'), heading = document.createElement('h3'), link = document.createElement('a');
    const page = titles.get(entry.location.split('#')[0]);
    link.href = entry.location;
    link.append(...marked(page && page !== entry.title ? `${entry.title} (${page})` : entry.title, words));
    heading.append(link);
    const summary = document.createElement('p');
    summary.append(...marked(text.slice(at, at + AFTER + BEFORE), words));
    article.append(heading, summary);
    return article;
  }));
  if (!entries.length && words.length) results.textContent = 'Nothing found.';
}

async function begin() {
  const entries = (await (await fetch('search/search_index.json')).json()).docs;
  const titles = new Map(entries.filter((e) => !e.location.includes('#')).map((e) => [e.location, e.title]));
  const box = document.getElementById('query');
  const search = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    show(words.length ? find(entries, words) : [], titles, words);
  };
  box.value = new URLSearchParams(location.search).get('q') || '';
  box.addEventListener('input', search);
  search();
}

begin();
