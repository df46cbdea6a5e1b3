// How results of the search are ordered: what is called exactly as it was asked for comes first, then what has a word
// of the question as its name. If a word of the question is the first part of a format's id, pages of this format come
// before others. The specification comes before other pages, and before names that only contain a word of the
// question; cases and captured files come last. Sphinx takes an id apart, and looks for each part in names and titles
// ("fil" is in "file"). The numbers are its own.
"use strict";

var Scorer = {
  score: ([page, title, , , score]) => {
    const asked = (new URLSearchParams(location.search).get("q") ?? "").trim().toLowerCase();
    const format = /^formats\/([a-z]+)_/.exec(page)?.[1];
    const name = title.toLowerCase();
    const called = name === asked ? 100 : asked.split(/\s+/).includes(name) ? 20 : 0;
    const place = page.endsWith("/spec") ? 10 : /^formats\/\w+\/(cases|captured)\b/.test(page) ? -10 : 0;
    return score + called + place + (asked.split(/\W+/).includes(format) ? 50 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
