// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// page.js PAGE: runs the script of a page of conv-builder report on as much of a document as
// it uses, and then uses it: sorts by a column, changes the plot, goes on with arrows.
"use strict";
const assert = require("assert");
const page = require("fs").readFileSync(process.argv[2], "utf8");

class Element {
  constructor(tag) { Object.assign(this, { tag, attributes: {}, children: [], classes: new Set(), hidden: true }) }
  set textContent(text) { this.children = text === "" ? [] : [String(text)] }
  get textContent() { return this.children.map(c => typeof c === "string" ? c : c.textContent).join("") }
  append(...all) { this.children.push(...all) }
  replaceChildren(...all) { this.children = all }
  setAttribute(name, value) {
    if (name === "class") this.classes = new Set(String(value).split(" "));
    this.attributes[name] = String(value);
  }
  get classList() {
    return { toggle: (name, on) => on ? this.classes.add(name) : this.classes.delete(name) };
  }
  insert(tag) { const made = new Element(tag); this.append(made); return made }
  insertRow() { return this.insert("tr") }
  insertCell() { return this.insert("td") }
  get rows() { return this.children.filter(c => c.tag === "tr") }
  get cells() { return this.children }
  get firstChild() { return this.children[0] }
  get clientWidth() { return 1000 }
  get clientHeight() { return 500 }
  querySelector(wanted) {
    assert.strictEqual(wanted, "[aria-pressed=true]");
    return this.children.find(c => c.attributes?.["aria-pressed"] === "true");
  }
  focus() { this.focused = true; this.onfocus?.() }
}
const byId = {};
for (const [, id] of page.matchAll(/ id="([a-z]+)"/g)) byId[id] = new Element("div");
byId.data.textContent = page.split('id="data">')[1].split("</script>")[0];
const document = {
  getElementById: id => { assert(byId[id], id); return byId[id] },
  createElement: tag => new Element(tag),
  createElementNS: (space, tag) => new Element(tag),
};
new Function("document", "addEventListener", page.split("<script>")[1].split("</script>")[0])(document, () => 0);

const data = JSON.parse(byId.data.textContent), count = data.candidates.length;
const column = (name, row) => row.cells[names.indexOf(name)].textContent;
const names = byId.head.cells.map(th => th.textContent);
const marks = () => byId.plot.children.filter(c => c.classes.has("mark"));
assert.strictEqual(byId.app.hidden, false);
assert.strictEqual(byId.list.rows.length, count);
assert.strictEqual(marks().length, count);
assert(marks().every(m => /^translate\([0-9.]+,[0-9.]+\)$/.test(m.attributes.transform)));
assert.strictEqual(column("rank", byId.list.rows[0]), "1");
// Lines enough for a scale, and no number that the plot's edge cuts off.
assert(byId.plot.children.filter(c => c.classes.has("grid")).length >= 3);
const texts = byId.plot.children.filter(c => c.tag === "text").map(c => c.attributes);
assert(texts.every(t => Number(t.x) <= 984 - (t["text-anchor"] === "end" ? 0 : 30)));
assert(byId.now.textContent.startsWith("1. "));

// A column sorts, and a second time the other way.
const number = row => Number(column("lds", row).replaceAll(",", ""));
const press = name => byId.head.cells[names.indexOf(name)].firstChild.onclick();
press("lds");
const up = byId.list.rows.map(number);
assert.deepStrictEqual(up, [...up].sort((a, b) => a - b));
assert.strictEqual(byId.head.cells[names.indexOf("lds")].attributes["aria-sort"], "ascending");
press("lds");
assert.deepStrictEqual(byId.list.rows.map(number), [...up].reverse());

// A row and its mark are chosen together; exactly one mark is where Tab goes.
const row = byId.list.rows[3];
row.onclick();
assert.deepStrictEqual(byId.list.rows.filter(r => r.attributes["aria-selected"] === "true"), [row]);
assert.strictEqual(marks().filter(m => m.classes.has("on")).length, 1);
assert.strictEqual(marks().filter(m => m.attributes.tabindex === "0").length, 1);

// Arrows: up to a longer estimate, down again.
const chosen = () => Number(byId.now.textContent.split(".")[0]);
byId.list.rows.find(r => column("rank", r) === "1").onclick();
const key = name => byId.plot.onkeydown({ key: name, preventDefault() {} });
key("ArrowUp");
assert(chosen() > 1);
key("ArrowDown");
assert(chosen() >= 1 && data.candidates[chosen() - 1].values.at(-1) === data.candidates[0].values.at(-1));
key("ArrowDown"); // there is nothing below
assert.strictEqual(data.candidates[chosen() - 1].values.at(-1), data.candidates[0].values.at(-1));

// Another axis.
const before = marks().map(m => m.attributes.transform).join();
byId.axes.children.find(c => c.textContent === "occupancy").onclick();
assert.notStrictEqual(marks().map(m => m.attributes.transform).join(), before);
assert.strictEqual(marks().length, count);
assert(byId.axes.querySelector("[aria-pressed=true]").focused);
