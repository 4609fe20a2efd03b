import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf, leftOut } from "../../www/memory/export.js";
import { PRESETS } from "../../www/presets.js";

test("the CSV has exact bytes and quotes what needs it", () => {
  const component = {
    id: "taskHeap",
    name: "Task Heap",
    parent: "totalFlink",
    bytes: "9007199254740993",
    share: 0.25,
    origin: "remainder",
    option: "taskmanager.memory.task.heap.size",
    color: "heap",
    location: "JVM heap",
    cap: "-Xmx",
    recommendation: 'Keep "it", and measure.',
  };
  const [head, row, end] = csvOf([component]).split("\r\n");
  assert.match(head, /^memory component,inside,allocation bytes,/);
  assert.equal(
    row,
    'Task Heap,totalFlink,9007199254740993,0.25,remainder,JVM heap,-Xmx,taskmanager.memory.task.heap.size,"Keep ""it"", and measure."',
  );
  assert.equal(end, "");
});

test("there are at least six presets, each with its own id and something to look at", () => {
  const { memory } = PRESETS;
  assert.ok(memory.length >= 6);
  assert.equal(new Set(memory.map(({ id }) => id)).size, memory.length);
  for (const { look, config } of memory) {
    assert.ok(look.length > 20);
    assert.ok(Object.values(config).every((value) => typeof value === "string"));
  }
});

test("a configuration file says which settings it leaves out, and why", () => {
  const unknown = "The version does not have it and would ignore it without a word.";
  const finding = (option, reason) => ({ option, reason });
  assert.equal(leftOut([], "1.20"), "");
  assert.equal(
    leftOut([finding("a.b", unknown), finding("c", "It is too long for the file."), finding("d.e", unknown)], "1.20"),
    "Left out: a.b, d.e (not options of Flink 1.20). Left out: c (It is too long for the file)",
  );
});
