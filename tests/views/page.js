"use strict";
// As much of a browser's document as views/report.js asks for, made of a tree [tag, attributes, children or text].
// Anything else it would ask for is undefined and fails the test.
class Node_ {
  constructor(tag, attributes = {}, children = []) {
    this.tag = tag;
    this.attributes = attributes;
    this.style = {};
    this.hidden = false;
    this.offsetWidth = 100;
    this.handlers = {};
    this.children = [];
    this.text = "";
    this.classList = { add: (name) => { this.setAttribute("class", `${this.attributes.class ?? ""} ${name}`.trim()); } };
    this.dataset = Object.fromEntries(
      Object.entries(attributes).filter(([name]) => name.startsWith("data-")).map(([name, value]) => [name.slice(5), value]));
    this.append(...children);
  }
  append(...nodes) {
    for (const node of nodes) {
      if (typeof node === "string") { this.text += node; continue; }
      node.parentElement = this;
      this.children.push(node);
    }
  }
  replaceChildren() { this.children = []; this.text = ""; }
  remove() { this.parentElement.children = this.parentElement.children.filter((node) => node !== this); }
  get id() { return this.attributes.id; }
  set id(name) { this.attributes.id = name; }
  get textContent() { return this.text + this.children.map((node) => node.textContent).join(""); }
  set textContent(text) { this.children = []; this.text = text; }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  getAttribute(name) { return this.attributes[name] ?? null; }
  addEventListener(name, handler) { (this.handlers[name] ??= []).push(handler); }
  fire(name, event = {}) { for (const handler of this.handlers[name] ?? []) handler({ preventDefault() {}, ...event }); }
  getBoundingClientRect() { return { left: 0, top: 0, width: 1000 }; }
  setPointerCapture() {}
  scrollIntoView() { this.scrolled = true; }
  is(part) {
    const [, tag, id, name, attribute] = /^(\w*)(?:#([\w-]+))?(?:\.([\w-]+))?(?:\[([\w-]+)\])?$/.exec(part);
    return (!tag || this.tag === tag) && (!id || this.attributes.id === id) &&
      (!name || (this.attributes.class ?? "").split(" ").includes(name)) && (!attribute || attribute in this.attributes);
  }
  querySelectorAll(selector) {
    const [first, ...rest] = selector.split(" ");
    const all = (node) => node.children.flatMap((child) => [child, ...all(child)]);
    const found = all(this).filter((node) => node.is(first));
    return rest.length ? [...new Set(found.flatMap((node) => node.querySelectorAll(rest.join(" "))))] : found;
  }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
}
const grown = (node) => typeof node === "string" ? node : new Node_(node[0], node[1], node[2].map(grown));
const open = (tree) => {
  const root = grown(tree);
  globalThis.innerWidth = 1000;
  globalThis.setTimeout = () => {};
  globalThis.document = {
    documentElement: root.querySelector("html"),
    body: root.querySelector("body"),
    getElementById: (id) => root.querySelector(`#${id}`),
    querySelector: (selector) => root.querySelector(selector),
    querySelectorAll: (selector) => root.querySelectorAll(selector),
    createElement: (tag) => new Node_(tag),
    createElementNS: (_, tag) => new Node_(tag),
  };
};
// What the tests ask: attributes and text of the elements of a selector.
const look = (selector) => JSON.stringify(
  document.querySelectorAll(selector).map((node) => ({ ...node.attributes, text: node.textContent, hidden: node.hidden })));
const fire = (selector, name, event) => document.querySelector(selector).fire(name, event);
