// Returns [what, an example, its contrast] for each kind of text that is too faint in the theme asked for:
// below 4.5, or 3 if it is large. What is behind it: the colours of all that it stands in, or of the box that
// is drawn under it.
document.body.dataset.theme = arguments[0];
for (const details of document.querySelectorAll("details")) details.open = true;
const parsed = (text) => {
  const numbers = text.match(/[\d.]+/g).map(Number);
  return numbers.length > 3 ? numbers : [...numbers, 1];
};
const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3]));
const behind = (node) => {
  const layers = [];
  for (let at = node; at; at = at.parentElement) layers.push(parsed(getComputedStyle(at).backgroundColor));
  return layers.reduceRight((below, top) => over(top, below), [255, 255, 255]);
};
const shine = (color) => {
  const [red, green, blue] = color.map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const className = (node) => node.className.baseVal ?? node.className;
const found = {};
const skipped = ["SCRIPT", "STYLE", "TITLE", "OPTION"];
for (const node of document.querySelectorAll("body *")) {
  if (skipped.includes(node.nodeName.toUpperCase())) continue;
  if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
  if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
  const style = getComputedStyle(node), drawn = node.closest("svg");
  const box = node.closest("g") && node.closest("g").querySelector("rect");
  let back = behind(drawn ? drawn.parentElement : node);
  if (box) back = over(parsed(getComputedStyle(box).fill), back);
  const ink = parsed(drawn ? style.fill : style.color);
  for (let at = node; at; at = at.parentElement) ink[3] *= Number(getComputedStyle(at).opacity);
  const [low, high] = [shine(over(ink, back)), shine(back)].sort((one, other) => one - other);
  const contrast = (high + 0.05) / (low + 0.05), size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (contrast >= (large ? 3 : 4.5)) continue;
  const [around, own] = [node.parentElement, node].map((each) => `${each.nodeName}.${className(each)}`);
  found[`${around} > ${own}`] ??= [node.textContent.trim().slice(0, 30), contrast.toFixed(2)];
}
return Object.entries(found).map(([name, told]) => [name, ...told]);
