// How results of the search are ordered: what is called exactly as it was asked for comes first. Sphinx takes an id
// apart, and looks for each part in names and titles ("fil" is in "file"). The numbers are its own.
"use strict";

var Scorer = {
  score: ([, title, , , score]) => {
    const asked = new URLSearchParams(location.search).get("q") ?? "";
    return title.toLowerCase() === asked.trim().toLowerCase() ? score + 100 : score;
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
