// The report as the page holds it: what api/meta tells, with the trees made walkable.
import type { Meta } from "./api";

// A tree over the numbers 0…n-1, parents before children.
export class Tree {
  readonly roots: number[] = [];
  readonly level: Int32Array; // roots: 0
  private readonly first: Int32Array;
  private readonly list: Int32Array;

  constructor(readonly parent: ArrayLike<number>) {
    const n = parent.length;
    this.level = new Int32Array(n);
    this.first = new Int32Array(n + 1);
    for (let i = 0; i < n; i++) {
      const p = parent[i]!;
      if (p < 0) this.roots.push(i);
      else {
        this.level[i] = this.level[p]! + 1;
        this.first[p + 1]!++;
      }
    }
    for (let i = 0; i < n; i++) this.first[i + 1]! += this.first[i]!;
    const at = this.first.slice(0, n);
    this.list = new Int32Array(this.first[n]!);
    for (let i = 0; i < n; i++) if (parent[i]! >= 0) this.list[at[parent[i]!]!++] = i;
  }

  get size(): number {
    return this.parent.length;
  }
  children(node: number): Int32Array {
    return this.list.subarray(this.first[node]!, this.first[node + 1]!);
  }
  // inner are the nodes that can be opened, ascending.
  get inner(): number[] {
    return (this.opened ??= Array.from({ length: this.size }, (_, i) => i).filter((i) => !this.isLeaf(i)));
  }
  private opened: number[] | undefined;
  isLeaf(node: number): boolean {
    return this.first[node] === this.first[node + 1];
  }
  root(node: number): number {
    while (this.parent[node]! >= 0) node = this.parent[node]!;
    return node;
  }
  // ancestors of a node, outermost first, without itself.
  ancestors(node: number): number[] {
    const up: number[] = [];
    for (let p = this.parent[node]!; p >= 0; p = this.parent[p]!) up.unshift(p);
    return up;
  }
}

// A source module: the regions of one file ("" for those without).
export interface Module {
  name: string;
  label: string; // the name without the directories that all files have in common
  regions: number[];
}

export interface Report extends Meta {
  metricTree: Tree;
  pathTree: Tree;
  systemTree: Tree;
  metricByName: Map<string, number>;
  modules: Module[];
}

export function toReport(meta: Meta): Report {
  const modules = new Map<string, Module>();
  meta.regions.forEach((r, i) => {
    const name = r.file;
    let m = modules.get(name);
    if (!m) modules.set(name, (m = { name, label: name, regions: [] }));
    m.regions.push(i);
  });
  shorten([...modules.values()]);
  return {
    ...meta,
    metricTree: new Tree(meta.metrics.map((m) => m.parent)),
    pathTree: new Tree(meta.paths.parent),
    systemTree: new Tree(meta.system.parent),
    metricByName: new Map(meta.metrics.map((m, i) => [m.name, i])),
    modules: [...modules.values()].sort((a, b) => (a.name === "" ? 1 : b.name === "" ? -1 : a.name < b.name ? -1 : 1)),
  };
}

// shorten labels modules: files without their common directories, "without source file" for what has none.
function shorten(modules: Module[]): void {
  const files = modules.map((m) => m.name).filter((name) => name.includes("/"));
  let common = files[0]?.split("/").slice(0, -1) ?? [];
  for (const f of files) {
    const parts = f.split("/");
    const differ = common.findIndex((part, i) => part !== parts[i]);
    if (differ >= 0) common = common.slice(0, differ);
  }
  const prefix = common.length > 0 ? common.join("/") + "/" : "";
  for (const m of modules) m.label = m.name === "" ? "without source file" : m.name.startsWith(prefix) ? m.name.slice(prefix.length) : m.name;
}

// attribute returns an attribute of the report, "" if it has no such.
export const attribute = (r: Report, key: string): string => r.attrs.find(([k]) => k === key)?.[1] ?? "";

// heading is what the report is called: with its directory if all reports of a tool have the same name.
export function heading(r: Report): string {
  if (r.difference) return [...compared(r)].reverse().join(" − ");
  return /^(scout|profile|summary|trace)\.cubex?$/.test(r.title) ? r.file.split("/").slice(-2).join("/") : r.title;
}

// compared names the two reports of a difference B − A, A first, without the words that their names begin and end with alike.
export function compared(r: Report): [string, string] {
  const [b, a] = attribute(r, "expert:difference").split(" − ");
  return a && b ? distinct(a, b) : ["the first report", "the second report"];
}

export function distinct(a: string, b: string): [string, string] {
  const words = [a, b].map((name) => name.split(/(?<=[_\-./ ])|(?=[_\-./ ])/));
  const [x, y] = words as [string[], string[]];
  while (x.length > 1 && y.length > 1 && x[0] === y[0]) [x, y].forEach((w) => w.shift());
  while (x.length > 1 && y.length > 1 && x[x.length - 1] === y[y.length - 1]) [x, y].forEach((w) => w.pop());
  return [x.join(""), y.join("")];
}

export const pathName = (r: Report, path: number): string => r.regions[r.paths.region[path]!]?.name ?? "?";

// fullPath names a call path from its root, "main › solve › MPI_Recv".
export const fullPath = (r: Report, path: number): string =>
  [...r.pathTree.ancestors(path), path].map((p) => pathName(r, p)).join(" › ");

// leafName names a goroutine, or a thread, which is called alike in all processes, with its process.
export function leafName(r: Report, leaf: number): string {
  const name = r.system.name[leaf];
  const up = r.system.parent[leaf] ?? -1;
  if (name === undefined) return "unknown";
  if (up < 0 || r.system.cls[leaf] === "goroutine") return name;
  return r.systemTree.children(up).length === 1 ? r.system.name[up]! : `${r.system.name[up]} › ${name}`;
}

// fullResource names a resource with what it belongs to, "process 3 › worker › worker[2]".
export const fullResource = (r: Report, resource: number): string =>
  [...r.systemTree.ancestors(resource), resource].map((i) => r.system.name[i]).join(" › ");

// callSite is where a call path was called from, "" if unknown; its region's place of definition is in regions.
export function callSite(r: Report, path: number): string {
  const file = r.paths.file[path]!;
  const line = r.paths.line[path]!;
  if (file < 0) return "";
  return line > 0 ? `${r.paths.files[file]}:${line}` : r.paths.files[file]!;
}
