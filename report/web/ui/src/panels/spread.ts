// Grouping of the locations, and the outline of a violin.
import type { Report } from "../report";

export interface Point {
  resource: number;
  v: number;
}

export interface Grouping {
  name: string; // class of the resources that the groups are
  count: number;
  of: (leaf: number) => number; // the group of a location
  usual: boolean;
}

// groupings returns the ways to group locations: by what is above them in the system tree, by class, from the finest.
export function groupings(r: Report): Grouping[] {
  const leaves = r.system.leaf.map((_, i) => i).filter((i) => r.system.leaf[i]! >= 0);
  const ways = new Map<string, Map<number, number>>(); // class: group by location
  for (const leaf of leaves) {
    for (const up of r.systemTree.ancestors(leaf)) {
      const cls = r.system.cls[up] || "group";
      let of = ways.get(cls);
      if (!of) ways.set(cls, (of = new Map()));
      of.set(leaf, up); // the innermost of this class
    }
  }
  const list: Grouping[] = [];
  for (const [name, of] of ways) {
    const count = new Set(of.values()).size;
    if (count > 1 && count < leaves.length) list.push({ name, count, of: (leaf) => of.get(leaf) ?? -1, usual: false });
  }
  list.sort((a, b) => b.count - a.count);
  const usual = list.find((g) => g.count <= 12 && leaves.length / g.count >= 2);
  if (usual) usual.usual = true;
  return list;
}

const samples = 64;

// violin returns the outline of how densely the points lie, as wide as `half` where they are densest. Points are ascending.
export function violin(points: Point[], min: number, max: number, x: (v: number) => number, mid: number, half: number): string {
  const n = points.length;
  const mean = points.reduce((s, p) => s + p.v, 0) / n;
  const deviation = Math.sqrt(points.reduce((s, p) => s + (p.v - mean) ** 2, 0) / n);
  const quartiles = points[Math.floor(0.75 * (n - 1))]!.v - points[Math.floor(0.25 * (n - 1))]!.v;
  // Silverman's rule, and not so narrow that single points become needles.
  const spread = Math.min(deviation, quartiles > 0 ? quartiles / 1.34 : deviation);
  const width = Math.max(0.9 * spread * n ** -0.2, (max - min) / 120);
  const from = Math.max(min, points[0]!.v - 2 * width);
  const to = Math.min(max, points[n - 1]!.v + 2 * width);
  const density: [number, number][] = [];
  for (let i = 0; i <= samples; i++) {
    const v = from + ((to - from) * i) / samples;
    let d = 0;
    for (let k = lower(points, v - 4 * width); k < n && points[k]!.v <= v + 4 * width; k++) d += Math.exp(-0.5 * ((points[k]!.v - v) / width) ** 2);
    density.push([v, d]);
  }
  const greatest = Math.max(...density.map(([, d]) => d));
  const edge = (sign: number) => density.map(([v, d]) => `${x(v).toFixed(1)} ${(mid + (sign * half * d) / greatest).toFixed(1)}`);
  return `M${edge(-1).join("L")}L${edge(1).reverse().join("L")}Z`;
}

// lower returns the first point that is not below v.
function lower(points: Point[], v: number): number {
  let a = 0;
  let b = points.length;
  while (a < b) {
    const m = (a + b) >> 1;
    if (points[m]!.v < v) a = m + 1;
    else b = m;
  }
  return a;
}
