import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { step, marks, clock, moment, pan, zoom, within, shortest } = await load("panels/axis.ts");
const { endsWait, lanesOf, hit, lasts, rulerHeight } = await load("panels/lanes.ts");
const { groupings, violin } = await load("panels/spread.ts");
const { layOut } = await load("panels/grid.ts");
const { partsOfTime } = await load("panels/shares.ts");
const { toReport } = await load("report.ts");
const plain = (s) => s.replaceAll("\u202f", " ");

test("marks stand at round numbers, no more than fit", () => {
  for (const [length, most, want] of [[10, 10, 1], [10, 4, 5], [3, 10, 0.5], [1e9, 7, 2e8], [7e-3, 7, 1e-3]]) {
    assert.ok(Math.abs(step(length, most) - want) < 1e-9 * want, `${length} ${most}: ${step(length, most)}`);
  }
  assert.deepEqual(marks([0.5, 3.2], 1), [1, 2, 3]);
  assert.deepEqual(marks([0, 1], 0.25), [0, 0.25, 0.5, 0.75, 1]);
});

test("times on the axis can be told apart", () => {
  const near = clock([0, 4e9], 1e9);
  assert.equal(near.base, 0);
  assert.equal(plain(near.text(2e9)), "2 s");
  const far = clock([3.4464e9, 3.4464e9 + 2e5], 2e4); // 20 µs apart, after seconds
  assert.ok(far.base > 0 && far.base <= 3.4464e9);
  const said = marks([3.4464e9, 3.4464e9 + 2e5], 2e4).map(far.text);
  assert.equal(new Set(said).size, said.length);
  assert.equal(plain(moment(1.23456789e9, 1e6)), "1.23457 s");
});

test("a window moves and narrows within the whole", () => {
  const whole = [0, 1000];
  assert.deepEqual(pan([100, 200], -150, whole), [0, 100]);
  assert.deepEqual(pan([100, 200], 5000, whole), [900, 1000]);
  assert.deepEqual(zoom([0, 400], 0.5, 100, whole), [50, 250]); // what is at 100 stays there
  assert.deepEqual(zoom([0, 400], 100, 100, whole), whole);
  const [begin, end] = zoom([500, 540], 0.01, 520, whole);
  assert.equal(end - begin, shortest);
  assert.deepEqual(within([-300, 100], whole), [0, 400]);
});

// region 0 with operation 1 in it, which is blocked for its second half
const rows = [
  { resource: 7, spans: [[0, 100, 0, 0, 0, 0], [40, 80, 1, 1, 1, 0], [60, 80, 2, 1, 2, 0]] },
  { resource: 9, spans: [] },
];
const scene = (lanes) => ({
  width: 1100, height: 400, gutter: 100, scroll: 0, window: [0, 100], lanes, names: ["work", "recv"], waits: [{ resource: 7, begin: 60, end: 80, metric: "late", waited: 15 }], arrows: [],
  metric: "late", chosen: null, hover: null, loaded: null, label: () => ({ name: "", role: "" }),
});

test("no arrow leads from who had ended", () => {
  const [gone, waits, lives] = lanesOf([{ resource: 1, spans: [], ended: 50 }, { resource: 2, spans: [] }, { resource: 3, spans: [] }]).lanes;
  assert.ok(!endsWait(gone, waits, 51));
  assert.ok(endsWait(gone, waits, 50));
  assert.ok(endsWait(lives, waits, 51));
  assert.ok(!endsWait(waits, waits, 51));
});

test("lanes are as high as their calls are deep", () => {
  const { lanes, height } = lanesOf(rows);
  assert.deepEqual(lanes.map((l) => l.levels), [2, 1]); // being blocked is no level
  assert.equal(lanes[1].top, lanes[0].height);
  assert.equal(height, lanes[0].height + lanes[1].height);
});

test("what lies under the pointer is found", () => {
  const s = scene(lanesOf(rows).lanes);
  const y = (level) => rulerHeight + 9 + 17 * level + 8;
  const at = (t, level) => hit(s, 100 + 10 * t, y(level));
  assert.equal(at(20, 0).span[3], 0);
  assert.equal(at(20, 1).span, null);
  assert.equal(at(50, 1).span[3], 1);
  assert.equal(at(50, 1).blocked, null);
  assert.ok(at(70, 1).blocked && at(70, 1).wait);
  assert.equal(at(50, 0).wait, null);
  assert.equal(hit(s, 50, y(0)).span, null, "over the names");
  assert.equal(hit(s, 500, 5), null, "over the axis");
  assert.equal(hit(s, 500, 390), null, "below the lanes");
});

test("a stay that may go on beyond what is known says so", () => {
  assert.equal(plain(lasts(100, 200, [0, 1000])), "100 ns");
  assert.equal(plain(lasts(0, 200, [0, 1000])), "200 ns or more");
  assert.equal(plain(lasts(0, 200, [-Infinity, 1000])), "200 ns");
});

const meta = (over) => toReport({
  metrics: [], regions: [], topologies: [], attrs: [], paths: { parent: [], region: [], file: [], line: [], files: [], note: [] },
  system: { parent: [-1, 0, 1, 1, 0, 4, 4], name: ["m", "p0", "t0", "t1", "p1", "t0", "t1"], cls: ["machine", "process", "thread", "thread", "process", "thread", "thread"], leaf: [-1, -1, 0, 1, -1, 2, 3] },
  totals: { incl: [], self: [] }, ...over,
});

test("locations are grouped by what they belong to, where that divides them", () => {
  const list = groupings(meta({}));
  assert.deepEqual(list.map((g) => [g.name, g.count, g.usual]), [["process", 2, true]]); // there is one machine only
  assert.equal(list[0].of(5), 4);
});

test("a violin is widest where most values lie, and symmetric", () => {
  const points = [1, 1.1, 1.2, 1.2, 1.3, 5].map((v, resource) => ({ resource, v }));
  const outline = violin(points, 0, 6, (v) => v, 50, 20).slice(1, -1).split("L").map((p) => p.split(" ").map(Number));
  const top = outline.slice(0, outline.length / 2);
  const widest = top.reduce((a, b) => (b[1] < a[1] ? b : a));
  assert.equal(widest[1], 30);
  assert.ok(widest[0] > 0.9 && widest[0] < 1.5, `${widest}`);
  for (const [i, [x, y]] of top.entries()) assert.deepEqual(outline[outline.length - 1 - i], [x, +(100 - y).toFixed(1)]);
});

const grid = (sizes) => {
  const coords = [];
  const fill = (at) => (at.length === sizes.length ? coords.push([coords.length, at]) : Array.from({ length: sizes[at.length] }, (_, i) => fill([...at, i])));
  fill([]);
  return { name: "", dims: sizes.map((size) => ({ name: "", size, periodic: false })), coords };
};

test("cells of a topology stand apart, in slices", () => {
  for (const sizes of [[5], [4, 3], [4, 3, 2], [3, 2, 2, 2]]) {
    const t = grid(sizes);
    const plan = layOut(t, [0, Math.min(1, sizes.length - 1)], 300, 400);
    assert.equal(new Set(plan.cells.map((c) => `${c.x} ${c.y}`)).size, t.coords.length, `${sizes}`);
    assert.equal(plan.slices.length, sizes.slice(2).reduce((a, b) => a * b, 1));
    for (const c of plan.cells) assert.ok(c.x >= 0 && c.x + plan.cell <= 300 && c.y + plan.cell <= plan.height, `${sizes}`);
  }
  assert.equal(layOut(grid([4, 3, 2]), [0, 1], 300, 400).slices[1].title, "Dimension 3 = 1");
});

test("the parts of all time add up, and have names of their own", () => {
  const names = ["time", "execution", "comp", "mpi", "sync", "omp", "sync2", "visits"];
  const titles = ["Time", "Execution", "Computation", "MPI", "Synchronization", "OMP", "Synchronization", "Visits"];
  const parent = [-1, 0, 1, 1, 3, 1, 5, -1];
  const incl = [100, 90, 50, 25, 20, 15, 15, 1000];
  const self = [10, 0, 50, 5, 20, 0, 15, 1000];
  const metrics = names.map((name, i) => ({ name, title: titles[i], parent: parent[i], unit: i === 7 ? "occ" : "sec", additive: true, doc: "" }));
  const { total, parts } = partsOfTime(meta({ metrics, totals: { incl, self } }));
  assert.equal(total, 100);
  assert.equal(parts.reduce((s, p) => s + p.value, 0), 100);
  assert.deepEqual(parts.map((p) => p.title).sort(), ["Computation", "MPI, other", "MPI: Synchronization", "OMP: Synchronization", "Time, other"]);
  assert.equal(parts.find((p) => p.title === "Computation").tone, "work");
});

const { lines } = await load("panels/cubepl.ts");
const { highlight, languageOf } = await load("panels/highlight.ts");

test("expressions are broken after statements and around braces", () => {
  const laid = lines('{ local(x); if (${x} > 1) { ${x} = metric::time(e) * 1.5e3; } else { ${x} = "a;b"; }; // done\n return ${x}; }');
  const text = laid.map(({ indent, tokens }) => "  ".repeat(indent) + tokens.map((t) => t.text).join(" "));
  assert.deepEqual(text, [
    "{",
    "  local ( x ) ;",
    "  if ( ${x} > 1 ) {",
    "    ${x} = metric::time ( e ) * 1.5e3 ;",
    "  } else {",
    '    ${x} = "a;b" ;',
    "  } ;",
    "  // done",
    "  return ${x} ;",
    "}",
  ]);
  assert.equal(laid[3].tokens[2].metric, "time");
});

test("source is coloured by its language, comments go on over lines", () => {
  const classes = (text, file, inside = false) => {
    const [parts, still] = highlight(text, languageOf(file), inside);
    return [parts.filter((p) => p.cls).map((p) => [p.cls, p.text]), still];
  };
  assert.deepEqual(classes('return "x" // y', "a.go"), [[["t-keyword", "return"], ["t-string", '"x"'], ["t-comment", "// y"]], false]);
  assert.deepEqual(classes("a /* b", "a.c"), [[["t-comment", "/* b"]], true]);
  assert.deepEqual(classes("b */ int c", "a.c", true), [[["t-comment", "b */"], ["t-keyword", "int"]], false]);
  assert.deepEqual(classes("call x ! if", "a.f90"), [[["t-keyword", "call"], ["t-comment", "! if"]], false]);
  assert.deepEqual(classes("for", "a.txt"), [[], false]);
});
