import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, field, studio, waitForBytes } from "./support.mjs";

const { visit } = studio();
const PROCESS = "taskmanager.memory.process.size";

/** Runs `act` in a page with the module, an old and a new list; answers what `act` returns. */
function patched(page, before, after) {
  return page.evaluate(
    async ([before, after]) => {
      const { patchChildren } = await import(new URL("patch.js", location.href).href);
      /** A node is a text, or [tag, attributes, ...children]. */
      const build = (node) => {
        if (typeof node === "string") return document.createTextNode(node);
        const [tag, attributes, ...children] = node;
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
        element.append(...children.map(build));
        return element;
      };
      const root = document.createElement("div");
      const wanted = document.createElement("div");
      root.append(...before.map(build));
      wanted.append(...after.map(build));
      document.body.append(root);
      const old = [...root.children];
      const expected = [...wanted.childNodes].map((node) => node.cloneNode(true));
      root.querySelector("[tabindex]")?.focus();
      const focused = document.activeElement;
      patchChildren(root, wanted.childNodes);
      const same = root.childNodes.length === expected.length && expected.every((node, at) => node.isEqualNode(root.childNodes[at]));
      const kept = [...root.children].map((node) => old.indexOf(node));
      const result = { same, kept, focusStays: focused === document.activeElement, text: root.textContent };
      root.remove();
      return result;
    },
    [before, after],
  );
}

const CASES = [
  ["text and attributes change in place", [["p", { class: "a", title: "x" }, "one"]], [["p", { class: "b", lang: "en" }, "two"]], [0]],
  ["attributes of the same number but other names", [["p", { title: "x" }]], [["p", { lang: "x" }]], [0]],
  ["another tag is another node", [["p", {}, "one"]], [["h3", {}, "one"]], [-1]],
  ["a child comes in between", [["p", {}, "a"], ["ul", {}]], [["p", {}, "a"], ["h3", {}], ["ul", {}]], [0, -1, 1]],
  ["the first goes", [["li", { "data-id": "a" }, "a"], ["li", { "data-id": "b" }, "b"]], [["li", { "data-id": "b" }, "c"]], [1]],
  ["keys are followed when they move", [["li", { "data-id": "a" }, "a"], ["li", { "data-id": "b" }, "b"]], [["li", { "data-id": "b" }, "b"], ["li", { "data-id": "a" }, "a"]], [1, 0]],
  ["deep down only what differs", [["div", {}, ["p", {}, "a", ["b", {}, "x"]], ["p", {}, "c"]]], [["div", {}, ["p", {}, "a", ["b", {}, "y"], "z"], ["p", {}, "c"]]], [0]],
  ["all go", [["p", {}], "text", ["p", {}]], [], []],
  ["all come", [], ["text", ["p", {}, "new"]], [-1]],
  ["custom elements are replaced", [["x-own", {}, "a"]], [["x-own", {}, "b"]], [-1]],
];

test("a part becomes the other one, and what is alike stays", () =>
  visit({}, async (page) => {
    await answered(page);
    for (const [name, before, after, kept] of CASES) {
      const result = await patched(page, before, after);
      assert.ok(result.same, name);
      assert.deepEqual(result.kept, kept, name);
    }
  }));

test("focus stays when what stands before it goes, and open details stay open", () =>
  visit({}, async (page) => {
    await answered(page);
    const after = [["li", { "data-id": "b", tabindex: "0" }, "c"]];
    const { focusStays } = await patched(page, [["li", { "data-id": "a" }], ["li", { "data-id": "b", tabindex: "0" }, "b"]], after);
    assert.ok(focusStays);
    const result = await patched(page, [["details", { open: "" }, "a"]], [["details", { class: "x" }, "b"]]);
    assert.ok(!result.same, "it is open, which the new one is not");
    assert.equal(result.text, "b");
  }));

test("any list becomes any other", () =>
  visit({}, async (page) => {
    await answered(page);
    let seed = 7;
    const random = (below) => ((seed = (seed * 1103515245 + 12345) % 2147483648) >> 8) % below;
    const list = (depth) =>
      Array.from({ length: random(5) }, () => {
        if (random(4) === 0) return `t${random(3)}`;
        const attributes = random(2) ? { "data-id": `k${random(4)}` } : { class: `c${random(3)}` };
        return [["p", "b", "i"][random(3)], attributes, ...(depth > 0 ? list(depth - 1) : [])];
      });
    for (let run = 0; run < 60; run += 1) {
      const [before, after] = [list(2), list(2)];
      assert.ok((await patched(page, before, after)).same, JSON.stringify([before, after]));
    }
  }));

test("a keystroke is one message each way, and leaves the nodes, the focus and the scroll in place", () =>
  visit({}, async (page) => {
    await answered(page);
    await page.evaluate(() => {
      window.sent = [];
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message) {
        window.sent.push(message.questions.map(({ question }) => question));
        post.call(this, message);
      };
      for (const selector of ["tr[data-id=taskHeap]", ".step", ".finding", "svg-chart svg", "svg-chart text"]) {
        document.querySelector(selector).marked = selector;
      }
      window.scrollTo(0, 300);
    });
    await field(page, PROCESS).evaluate((input) => {
      input.focus({ preventScroll: true });
      input.value = "1729m";
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await waitForBytes(page, "totalProcess", 1729 * 1024 * 1024);
    const { sent, marked, scroll } = await page.evaluate(() => ({
      sent: window.sent,
      marked: [...document.querySelectorAll("tr, .step, .finding, svg-chart svg, svg-chart text")].map(({ marked }) => marked).filter(Boolean),
      scroll: window.scrollY,
    }));
    assert.deepEqual(sent.map((questions) => [...questions].sort()), [["deriveTaskManager", "drawMemory", "parseMemorySize"]]);
    assert.equal(marked.length, 5);
    assert.equal(scroll, 300);
    assert.ok(await field(page, PROCESS).evaluate((input) => input === document.activeElement));
  }));

test("the chart in place is the chart drawn anew", () =>
  visit({}, async (page) => {
    await answered(page);
    for (const mib of [1729, 3072, 900_000, 1024]) {
      await field(page, PROCESS).fill(`${mib}m`);
      await waitForBytes(page, "totalProcess", mib * 1024 * 1024);
      const [shown, drawn] = await page.evaluate(() => {
        const chart = document.querySelector("svg-chart");
        const drawn = new DOMParser().parseFromString(chart.chart.svg, "image/svg+xml").documentElement;
        drawn.setAttribute("aria-hidden", "true");
        const read = (svg) => [...svg.querySelectorAll("*")].map((node) => `${node.localName} ${node.getAttributeNames().map((name) => `${name}=${node.getAttribute(name)}`).sort()} ${node.textContent.trim()}`);
        return [read(chart.querySelector("svg")), read(drawn)];
      });
      assert.deepEqual(shown, drawn, `${mib}m`);
    }
  }));

test("a list of values becomes any other one, and only what changed is made anew", () =>
  visit({}, async (page) => {
    const { wrong, made } = await page.evaluate(async () => {
      const { patchList } = await import(new URL("patch.js", location.href).href);
      const item = ({ id, text, tag = "li" }) => {
        const element = document.createElement(tag);
        element.dataset.id = id;
        element.append(text);
        return element;
      };
      const lists = [
        [],
        [{ id: "a", text: "1" }, { id: "b", text: "2" }],
        [{ id: "a", text: "1" }, { id: "b", text: "3" }],
        [{ id: "c", text: "3" }, { id: "a", text: "1" }],
        [{ id: "c", text: "3", tag: "p" }, { id: "a", text: "4" }],
        [{ id: "a", text: "1" }],
        [{ id: "a", text: "1" }, { id: "b", text: "2" }, { id: "c", text: "3" }],
      ];
      const shown = (values) => values.map((value) => item(value).outerHTML).join("");
      const wrong = [];
      for (const before of lists) {
        for (const after of lists) {
          const root = document.createElement("ul");
          patchList(root, before, item);
          patchList(root, after, item);
          if (root.innerHTML !== shown(after)) wrong.push([shown(before), shown(after), root.innerHTML]);
        }
      }
      const root = document.createElement("ul");
      patchList(root, lists[1], item);
      const made = [];
      patchList(root, lists[2], (value) => (made.push(value.id), item(value)));
      // Emptied behind its back, the list is made anew.
      root.replaceChildren();
      patchList(root, lists[2], item);
      if (root.innerHTML !== shown(lists[2])) wrong.push(["emptied", root.innerHTML]);
      return { wrong, made };
    });
    assert.deepEqual(wrong, []);
    assert.deepEqual(made, ["b"]);
  }));
