import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { value, percent, exact, exactly, uncertain, time, figures, count } = await load("format.ts");
const plain = (s) => s.replaceAll("\u202f", " ").replaceAll("\u2212", "-");

test("times take the unit that fits", () => {
  const cases = [[0, "0"], [1e-9, "1.00 ns"], [999.4e-9, "999 ns"], [999.6e-9, "1.00 µs"], [0.0123, "12.3 ms"], [0.99951, "1.00 s"], [1276.4, "1,276 s"], [19874, "19,874 s"], [-2.5, "-2.50 s"], [36000, "36,000 s"], [864000, "864,000 s"]];
  for (const [s, want] of cases) assert.equal(plain(time(s)), want);
  assert.equal(plain(value(1500000, "ns")), "1.50 ms");
  assert.equal(plain(value(2.5, "sec")), "2.50 s");
});

test("counts and bytes", () => {
  const cases = [[12, "occ", "12"], [1234, "occ", "1,234"], [12345, "occ", "12.3 k"], [5.34e6, "occ", "5.34 M"], [851e9, "bytes", "851 GB"], [17, "bytes", "17 B"], [0.25, "", "0.250"], [71.25, "%", "71.3 %"]];
  for (const [v, unit, want] of cases) assert.equal(plain(value(v, unit)), want);
});

test("what cannot be evaluated is not zero", () => {
  for (const v of [null, undefined, NaN]) {
    assert.equal(value(v, "sec"), "n/a");
    assert.equal(exact(v, "sec"), "cannot be evaluated");
  }
  assert.equal(percent(NaN), "n/a");
});

test("what is not certain is an interval, and no zero", async () => {
  const cases = [[[0, 7], "≤7"], [[40, 45], "40–45"], [[-45, -33], "-45 to -33"], [[12340, 12341], "12.3 k"], [[-3, 5], "-3 to 5"]];
  for (const [range, want] of cases) assert.equal(plain(uncertain(range, "occ")), want);
  assert.equal(plain(uncertain([33, 45], "occ", true)), "+33 to +45");
  assert.equal(plain(exactly(null, "occ", [0, 7])), "nothing certain, from 0 to 7");
  assert.equal(plain(exactly(40, "occ", [40, 45])), "40 certain, from 40 to 45");
  assert.equal(exactly(0, "occ", null), "0");
  const { sumOf } = await load("sums.ts");
  assert.deepEqual(sumOf([[30, null], [null, [0, 5]]]), [30, [30, 35]]);
  assert.deepEqual(sumOf([[0, null], [null, [0, 5]]]), [null, [0, 5]]);
  assert.deepEqual(sumOf([[0, null], [0, undefined]]), [0, null]);
  assert.deepEqual(sumOf([[7, null], [null, null]]), [null, null], "one that cannot be evaluated");
});

test("signs", () => {
  assert.equal(plain(value(0.5, "sec", true)), "+500 ms");
  assert.equal(plain(value(0, "sec", true)), "0");
  assert.equal(plain(percent(-0.125, true)), "-12.5");
  assert.equal(percent(0.125, true), "+12.5");
});

test("shares", () => {
  const cases = [[0, "0"], [1, "100"], [0.9996, "100"], [0.7125, "71.3"], [0.0123, "1.23"], [0.00001, "<0.01"], [12.5, "1250"]];
  for (const [x, want] of cases) assert.equal(percent(x), want);
});

test("all digits", () => {
  assert.equal(plain(exact(1234567, "ns")), "1,234,567 ns");
  assert.equal(plain(exact(0.1 + 0.2, "sec")), "0.30000000000000004 sec");
  assert.equal(figures(9.996, 3), "10.0");
  assert.equal(count(1, "wait"), "1 wait");
  assert.equal(plain(count(1200, "wait")), "1,200 waits");
});

test("what a part of time is not counts only where there is something else", async () => {
  const { partsOfTime } = await load("panels/shares.ts");
  const { toReport } = await load("report.ts");
  const metric = (name, parent) => ({ parent, name, title: name, unit: "ns", additive: true, doc: "" });
  const titles = (own, child) =>
    partsOfTime(toReport({ regions: [], paths: { parent: [] }, system: { parent: [] }, metrics: [metric("time", -1), metric("lock", 0), metric("reader", 1)], totals: { incl: [100, own + child, child], self: [100 - own - child, own, 0] } })).parts.map((p) => p.title);
  assert.ok(titles(40, 0).includes("lock")); // there is nothing that it would be other than
  assert.ok(titles(40, 20).includes("lock, other"));
});
