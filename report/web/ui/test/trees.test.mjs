import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { distinct, Tree, toReport } = await load("report.ts");
const { rowsOf, weights, hottest, below } = await load("rows.ts");
const { encodeSet, decodeSet } = await load("sets.ts");
const { colour, position, at } = await load("colour.ts");

//  0 ── 1 ── 3
//   │    └── 4
//   └── 2 ── 6
//  5
const tree = new Tree([-1, 0, 0, 1, 1, -1, 2]);

test("a tree knows its parts", () => {
  assert.deepEqual(tree.roots, [0, 5]);
  assert.deepEqual([...tree.children(1)], [3, 4]);
  assert.deepEqual(tree.inner, [0, 1, 2]);
  assert.deepEqual(tree.ancestors(6), [0, 2]);
  assert.equal(tree.root(4), 0);
  assert.deepEqual([...tree.level], [0, 1, 1, 2, 2, 0, 2]);
  assert.deepEqual(below(tree, 1), [1, 3, 4]);
});

test("rows are the open part, in order", () => {
  assert.deepEqual(rowsOf(tree, new Set(), null, null).nodes, [0, 5]);
  const rows = rowsOf(tree, new Set([0, 1, 3]), null, null);
  assert.deepEqual(rows.nodes, [0, 1, 3, 4, 2, 5]);
  assert.deepEqual(rows.position, [1, 1, 1, 2, 2, 2]);
  assert.deepEqual(rows.siblings, [2, 2, 2, 2, 2, 2]);
  assert.equal(rows.depth, 2);
  assert.deepEqual(rowsOf(tree, new Set([0, 1]), (a, b) => b - a, null).nodes, [5, 0, 2, 1, 4, 3]);
  const few = rowsOf(tree, new Set([0, 1]), null, (n) => n !== 2 && n !== 3);
  assert.deepEqual(few.nodes, [0, 1, 4, 5]);
  assert.equal(few.left, 2);
});

test("opposite differences do not hide each other", () => {
  const excl = [0, 0, 1, 5, -5, 0, 0];
  const incl = [1, 0, 1, 5, -5, 0, 0];
  const w = weights(tree, incl, excl);
  assert.deepEqual([...w], [5, 5, 1, 5, 5, 0, 0]);
  assert.deepEqual(hottest(tree, 0, w, excl), [0, 1, 3]);
});

test("the hottest path ends where the value arises", () => {
  const excl = [1, 6, 0, 1, 2, 0, 3];
  const incl = [13, 9, 3, 1, 2, 0, 3];
  assert.deepEqual(hottest(tree, 0, weights(tree, incl, excl), excl), [0, 1]);
});

test("sets survive the address", () => {
  const all = Array.from({ length: 5000 }, (_, i) => 3 * i);
  const cases = [[], [0], [3, 6, 9], [14997], all, all.filter((n) => n % 7 === 0), [0, 300, 303, 306, 9000]];
  for (const members of cases) {
    const text = encodeSet(new Set(members), all);
    assert.match(text, /^[0-9a-z.-]*$/);
    assert.deepEqual([...decodeSet(text, all)], members);
  }
  assert.equal(encodeSet(new Set(all), all), "1-3uw");
  assert.deepEqual([...decodeSet("1.zzzzzz-zzzzzzz.!.2", all)], [0]);
});

test("colours follow the scale", () => {
  const s = { min: 0, max: 4, signed: false };
  assert.equal(position(0, s), 0);
  assert.equal(position(4, s), 1);
  assert.equal(position(400, s), 1);
  assert.equal(position(1, s), 0.5);
  assert.ok(Number.isNaN(position(-1, s)) && Number.isNaN(position(null, s)));
  assert.equal(at(position(1, s), s), 1);
  const d = { min: -4, max: 4, signed: true };
  assert.equal(position(-1, d), -0.5);
  assert.equal(colour(0, "light"), "transparent");
});

test("more is further from the page in both themes", () => {
  const luminance = (css) => {
    const [r, g, b] = css.match(/\d+/g).map((c) => ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const [theme, sign] of [["light", -1], ["dark", 1]]) {
    for (const [palette, signed] of [["heat", false], ["viridis", false], ["grey", false], ["heat", true]]) {
      for (const end of signed ? [1, -1] : [1]) {
        let last = -Infinity;
        for (let x = 0.01; x <= 1; x += 0.01) {
          const l = sign * luminance(colour(end * x, theme, palette, signed));
          assert.ok(l >= last - 1e-3, `${theme} ${palette} ${end * x}`);
          last = l;
        }
      }
    }
  }
});

test("modules are files without the directories they share", () => {
  const region = (file) => ({ name: "f", file, begin: 0, end: 0, paradigm: "", role: "" });
  const meta = { metrics: [], paths: { parent: [] }, system: { parent: [] }, regions: ["/a/b/c.go", "/a/b/d/e.go", "MPI", "", "/a/b/c.go"].map(region) };
  const { modules } = toReport(meta);
  assert.deepEqual(modules.map((m) => m.label), ["c.go", "d/e.go", "MPI", "without source file"]);
  assert.deepEqual(modules.map((m) => m.regions), [[0, 4], [1], [2], [3]]);
});

test("reports of a difference are called by what tells them apart", () => {
  assert.deepEqual(distinct("tea_leaf_optimized_8x12", "tea_leaf_baseline_8x12"), ["optimized", "baseline"]);
  assert.deepEqual(distinct("mean", "skew"), ["mean", "skew"]);
  assert.deepEqual(distinct("run-1.cubex", "run-2.cubex"), ["1", "2"]);
  assert.deepEqual(distinct("run", "run_new"), ["run", "run_new"]);
  assert.deepEqual(distinct("same", "same"), ["same", "same"]);
});
