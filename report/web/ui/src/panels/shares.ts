// How all time divides up, in few parts that need no explanation.
import { isTime } from "../format";
import type { Report } from "../report";

export interface Part {
  metric: number; // -1: several small ones
  title: string;
  hint: string;
  value: number;
  tone: string; // class that gives the colour
}

const most = 7; // parts of the bar
const least = 0.004; // smaller ones are put together
const computing = /^comp(utation|_.*)?$/;
const running = /^(management|overhead|wakeup|start_latency|sleep|.*management.*|.*mgmt.*|.*init_.*|.*_overhead)$/;

// rootOfTime is the metric that holds all time, -1 if there is none.
export function rootOfTime(r: Report): number {
  const roots = r.metricTree.roots.filter((m) => isTime(r.metrics[m]!.unit) && (r.difference || (r.totals.incl[m] ?? 0) > 0) && r.metrics[m]!.additive);
  return roots.find((m) => r.metrics[m]!.name === "time") ?? roots[0] ?? -1;
}

// partsOfTime opens the largest part again and again, until there are as many as a bar can show.
export function partsOfTime(r: Report): { root: number; total: number; parts: Part[] } {
  const root = rootOfTime(r);
  if (root < 0) return { root, total: 0, parts: [] };
  const total = r.totals.incl[root]!;
  const tree = r.metricTree;
  const of = (m: number) => Math.max(0, r.totals.incl[m] ?? 0);
  let open = [{ metric: root, self: false }];
  for (;;) {
    const size = (x: { metric: number; self: boolean }) => (x.self ? Math.max(0, r.totals.self[x.metric] ?? 0) : of(x.metric));
    const next = open.filter((x) => !x.self && !tree.isLeaf(x.metric) && size(x) > 0.02 * total).sort((a, b) => size(b) - size(a))[0];
    if (!next) break;
    const pieces = [{ metric: next.metric, self: true }, ...Array.from(tree.children(next.metric), (metric) => ({ metric, self: false }))];
    const larger = [...open.filter((x) => x !== next), ...pieces.filter((x) => size(x) > least * total)];
    if (larger.length > most) break;
    open = larger;
  }
  const parts = open.map((x) => part(r, x.metric, x.self)).filter((p) => p.value > least * total);
  parts.sort((a, b) => rank(a.tone) - rank(b.tone) || b.value - a.value);
  const rest = total - parts.reduce((sum, p) => sum + p.value, 0);
  let waits = 0;
  let runs = 0;
  for (const p of parts) {
    if (p.tone === "wait") p.tone = `wait wait-${waits++ % 5}`;
    else if (p.tone === "running") p.tone = `running running-${runs++ % 3}`;
  }
  if (rest > 0.0005 * total) parts.push({ metric: -1, title: "Other", hint: "Everything too small to be shown", value: rest, tone: "other" });
  return { root, total, parts };
}

function part(r: Report, metric: number, self: boolean): Part {
  const m = r.metrics[metric]!;
  const leaf = r.metricTree.isLeaf(metric);
  const shared = Array.from(r.metricTree.children(metric)).some((child) => (r.totals.incl[child] ?? 0) !== 0);
  const title = named(r, metric) + (self && shared ? ", other" : "");
  const up = r.metricTree.ancestors(metric).map((i) => r.metrics[i]!.name);
  const work = computing.test(m.name) || up.some((n) => computing.test(n)) || (m.name === "execution" && (leaf || self));
  const tone = work ? "work" : [...up, m.name].some((n) => running.test(n)) ? "running" : "wait";
  return { metric, title, hint: m.doc.split("\n")[0] ?? "", value: Math.max(0, (self ? r.totals.self : r.totals.incl)[metric] ?? 0), tone };
}

// named is a title that no other metric has: one that others have, too, is preceded by what it belongs to.
function named(r: Report, metric: number): string {
  const title = (m: number) => r.metrics[m]!.title || r.metrics[m]!.name;
  const own = title(metric);
  if (r.metrics.every((_, m) => m === metric || title(m) !== own)) return own;
  const up = r.metricTree.ancestors(metric).slice(1).find((m) => r.metrics[m]!.name !== "execution");
  return up === undefined ? own : `${title(up)}: ${own}`;
}

const rank = (tone: string): number => ["work", "wait", "running"].indexOf(tone);
