// Which nodes of a tree are seen, and in what order.
import type { Value } from "./api";
import type { Tree } from "./report";

export interface Rows {
  nodes: number[]; // from top to bottom
  position: number[]; // of each among its siblings that are seen, from 1
  siblings: number[];
  depth: number; // greatest level, roots: 0
  left: number; // nodes not shown because they are small
}

// Order sorts siblings.
export type Order = ((a: number, b: number) => number) | null; // null: as in the file

export function rowsOf(tree: Tree, expanded: ReadonlySet<number>, order: Order, keep: ((node: number) => boolean) | null): Rows {
  const rows: Rows = { nodes: [], position: [], siblings: [], depth: 0, left: 0 };
  const shown = (nodes: ArrayLike<number>): number[] => {
    let list = Array.from(nodes);
    if (keep) {
      const all = list.length;
      list = list.filter(keep);
      rows.left += all - list.length;
    }
    return order ? list.sort(order) : list;
  };
  // The stack holds lists of siblings and how far each is done.
  const stack: { list: number[]; next: number }[] = [{ list: shown(tree.roots), next: 0 }];
  while (stack.length > 0) {
    const top = stack[stack.length - 1]!;
    if (top.next === top.list.length) {
      stack.pop();
      continue;
    }
    const node = top.list[top.next++]!;
    rows.nodes.push(node);
    rows.position.push(top.next);
    rows.siblings.push(top.list.length);
    rows.depth = Math.max(rows.depth, stack.length - 1);
    if (expanded.has(node) && !tree.isLeaf(node)) stack.push({ list: shown(tree.children(node)), next: 0 });
  }
  return rows;
}

const size = (v: Value | undefined): number => (v == null || Number.isNaN(v) ? 0 : Math.abs(v));

// weights shows how much there is to see in each node and below it: sums of differences may be small though their parts are not.
export function weights(tree: Tree, incl: Value[], excl: (Value | undefined)[]): Float64Array {
  const w = new Float64Array(tree.size);
  for (let i = tree.size - 1; i >= 0; i--) {
    w[i] = Math.max(w[i]!, size(incl[i]), size(excl[i]));
    const p = tree.parent[i]!;
    if (p >= 0) w[p] = Math.max(w[p]!, w[i]!);
  }
  return w;
}

// hottest returns the way down from a node to where most of its value arises.
export function hottest(tree: Tree, from: number, weight: Float64Array, excl: (Value | undefined)[]): number[] {
  const way = [from];
  for (let node = from; !tree.isLeaf(node); ) {
    let best = -1;
    for (const c of tree.children(node)) if (best < 0 || weight[c]! > weight[best]!) best = c;
    if (weight[best]! === 0 || weight[best]! < size(excl[node])) break;
    way.push((node = best));
  }
  return way;
}

// below returns a node and all those below it.
export function below(tree: Tree, node: number): number[] {
  const list = [node];
  for (let i = 0; i < list.length; i++) for (const c of tree.children(list[i]!)) list.push(c);
  return list;
}
