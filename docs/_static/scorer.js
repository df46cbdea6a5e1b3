// How results of the search are ordered: what is called exactly as it was asked for comes first. If a word of the
// question is the first part of a format's id, pages of this format come before others. Sphinx takes an id
// apart, and looks for each part in names and titles ("fil" is in "file"). The numbers are its own.
"use strict";

var Scorer = {
  score: ([page, title, , , score]) => {
    const asked = (new URLSearchParams(location.search).get("q") ?? "").trim().toLowerCase();
    const format = /^formats\/([a-z]+)_/.exec(page)?.[1];
    return score + (title.toLowerCase() === asked ? 100 : 0) + (asked.split(/\W+/).includes(format) ? 50 : 0);
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
