// Returns [what, its width, the width that it has] for each block that is cut or sticks out without a hint.
// A hint is a box that scrolls and has a shadow for a background. Rounding of the browser is below 2 pixels.
const root = document.scrollingElement, found = [];
const name = (node) => {
  const id = node.id || (node.closest("[id]") || {}).id || "";
  return `${node.tagName.toLowerCase()}${[...node.classList].map((c) => "." + c).join("")} in #${id}`;
};
const scrolls = (style) => ["auto", "scroll"].includes(style.overflowX);
// A shadow is behind what the box holds: that must not cover it.
const clear = (node) => getComputedStyle(node).backgroundColor.endsWith(", 0)");
const shines = (box) => [...box.children].every(clear);
if (root.scrollWidth > innerWidth + 1) found.push(["the page", root.scrollWidth, innerWidth]);
const article = document.querySelector(".content") || document.body;
if (article.scrollWidth > article.clientWidth + 1)
  found.push(["what the page says", article.scrollWidth, article.clientWidth]);
const room = article.getBoundingClientRect();
const boxes = "div, section, table, pre, p, ul, ol, dl, dd, figure, svg, details, h1, h2, h3, h4, aside";
for (const node of article.querySelectorAll(boxes)) {
  const box = node.getBoundingClientRect();
  if (!box.width) continue;
  // Few nodes stick out or hold more than they show: what they stand in is asked of these only.
  const over = node.scrollWidth > node.clientWidth + 1 && scrolls(getComputedStyle(node));
  if (!over && box.right <= room.right + 2) continue;
  let hinted = false, scrolled = false;
  for (let at = node; at && at !== article; at = at.parentElement) {
    const style = getComputedStyle(at);
    if (!scrolls(style)) continue;
    if (at.scrollWidth > at.clientWidth + 1) {
      scrolled = true;
      if (style.backgroundImage.includes("gradient") && shines(at)) hinted = true;
    }
  }
  if (over && !hinted)
    found.push([name(node), node.scrollWidth, node.clientWidth]);
  if (!scrolled && box.right > room.right + 2)
    found.push([name(node), Math.round(box.right), Math.round(room.right)]);
}
const hinted = [...article.querySelectorAll("div")].filter((node) =>
  node.clientWidth && node.scrollWidth > node.clientWidth + 1 && scrolls(getComputedStyle(node))
).map((node) => [name(node.firstElementChild || node), node.scrollWidth, node.clientWidth]);
return {found: found.slice(0, 50), hinted};
