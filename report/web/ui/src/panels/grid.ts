// Where the cells of a topology stand.
import type { Topology } from "../api";

export interface Placed {
  resource: number;
  at: number[];
  x: number;
  y: number;
}

export interface Plan {
  cell: number; // width of a cell with its gap, px
  height: number;
  cells: Placed[];
  slices: { title: string; x: number; y: number; width: number; height: number }[];
}

const gap = 16; // between slices
const head = 18; // above a slice, for its title
const margin = 8;

// layOut folds the dimensions that are not on an axis: each combination of them is a slice of its own. With one dimension only, its
// cells run on in lines.
export function layOut(t: Topology, [across, down]: [number, number], width: number, height: number): Plan {
  const flat = across === down;
  const others = t.dims.map((_, i) => i).filter((i) => i !== across && i !== down);
  const keys = new Map<string, number[]>();
  for (const [, at] of t.coords) {
    const rest = others.map((i) => at[i] ?? 0);
    keys.set(rest.join(), rest);
  }
  const slices = [...keys.values()].sort((a, b) => a.map((x, i) => x - b[i]!).find((d) => d !== 0) ?? 0);
  const nx = Math.max(1, t.dims[across]?.size ?? 1);
  const ny = flat ? 1 : Math.max(1, t.dims[down]?.size ?? 1);
  const title = slices.length > 1 ? head : 4;
  const inner = Math.max(40, width - 2 * margin);

  // The largest cell with which everything is in sight; if none is, the smallest that can be told apart.
  let cell = 4;
  let perLine = 1;
  for (let s = 40; s >= 4; s--) {
    const wrap = flat ? Math.max(1, Math.floor(inner / s)) : nx;
    const lines = flat ? Math.ceil(nx / wrap) : ny;
    const n = flat ? 1 : Math.max(1, Math.floor((inner + gap) / (nx * s + gap)));
    const high = Math.ceil(slices.length / n) * (lines * s + title + gap);
    cell = s;
    perLine = n;
    if (Math.min(nx, wrap) * s <= inner && high <= height) break;
  }
  const wrap = flat ? Math.max(1, Math.floor(inner / cell)) : nx;
  const lines = flat ? Math.ceil(nx / wrap) : ny;
  const origin = new Map<string, [number, number]>();
  const plan: Plan = { cell, height: 0, cells: [], slices: [] };
  slices.forEach((rest, i) => {
    const x = margin + (i % perLine) * (nx * cell + gap);
    const y = margin + Math.floor(i / perLine) * (lines * cell + title + gap) + title;
    origin.set(rest.join(), [x, y]);
    plan.slices.push({ title: slices.length > 1 ? sliceTitle(t, others, rest) : "", x, y, width: Math.min(nx, wrap) * cell, height: lines * cell });
    plan.height = Math.max(plan.height, y + lines * cell + margin);
  });
  for (const [resource, at] of t.coords) {
    const [x, y] = origin.get(others.map((i) => at[i] ?? 0).join())!;
    const a = at[across] ?? 0;
    const [cx, cy] = flat ? [a % wrap, Math.floor(a / wrap)] : [a, at[down] ?? 0];
    plan.cells.push({ resource, at, x: x + cx * cell, y: y + cy * cell });
  }
  return plan;
}

// sliceTitle names a slice by its place in the dimensions that are not on an axis.
function sliceTitle(t: Topology, others: number[], rest: number[]): string {
  if (others.length > 2) return `(${t.dims.map((_, d) => (others.includes(d) ? rest[others.indexOf(d)] : "·")).join(" ")})`;
  return others.map((d, k) => `${t.dims[d]!.name || `Dimension ${d + 1}`} = ${rest[k]}`).join(", ");
}
