import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeStepping, encodeStepping } from "../../www/checkpoints/stepper/codec.js";

const EXAMPLE = {
  scenario: { mode: "timeout", sink: "twoPhaseCommit", tasks: [["A:50 | A:100", "A:25 B:80 |"], ["x~y/z;:1 |"]] },
  steps: [
    { kind: "deliver", channel: 0 },
    { kind: "overtake", channel: 2 },
    { kind: "timeout" },
    { kind: "notify" },
    { kind: "fail" },
    { kind: "restore" },
  ],
};

test("scenario and steps survive the address, whatever keys hold", () => {
  const text = encodeStepping(EXAMPLE);
  assert.deepEqual(decodeStepping(text), EXAMPLE);
  assert.match(text, /^t~c~[^~]*~0\.o2\.t\.n\.f\.r$/);
  const bare = { scenario: { mode: "aligned", sink: "none", tasks: [["A:1"]] }, steps: [] };
  assert.deepEqual(decodeStepping(encodeStepping(bare)), bare);
});

test("spaces are those of the notation", () => {
  const { scenario } = decodeStepping(encodeStepping({ ...EXAMPLE, scenario: { ...EXAMPLE.scenario, tasks: [["  A:1   |  "]] } }));
  assert.deepEqual(scenario.tasks, [["A:1 |"]]);
});

test("what is none of it is none", () => {
  for (const text of ["", "a~n~A%3A1", "z~n~A%3A1~", "a~z~A%3A1~", "a~n~%E0%A4%A~", "a~n~A%3A1~q", "a~n~A%3A1~0.123", "toString~n~~", "a~n~A%3A1~toString"]) {
    assert.equal(decodeStepping(text), null, text);
  }
});
