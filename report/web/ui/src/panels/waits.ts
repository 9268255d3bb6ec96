// The wait states whose instances are known, and which part of the run to look at for one of them.
import { useEffect, useState } from "preact/hooks";
import { ask, type Findings, type Instance, requests, type Stats } from "../api";
import { isTime } from "../format";
import { getReport } from "../state";
import type { Range } from "./axis";

export interface WaitState {
  metric: number;
  stats: Stats; // times in ns
}

const nothingKnown: WaitState[] = [];

// useWaitStates returns the wait states with instances, in the order of the findings, then by cost; null while they are being
// asked for.
export function useWaitStates(): WaitState[] | null {
  const [list, set] = useState<WaitState[] | null>(null);
  useEffect(() => {
    let current = true;
    const r = getReport();
    const candidates = r.metrics.map((_, i) => i).filter((i) => isTime(r.metrics[i]!.unit) && (r.totals.incl[i] ?? 0) !== 0);
    if (!r.features.stats) return set(nothingKnown);
    const told = ask<Findings>(requests.findings()).then((f) => [...new Set(f.findings.map((x) => x.metric))], (): string[] => []);
    Promise.all(candidates.map((metric) => statsOf(metric).then((stats) => ({ metric, stats })))).then(async (all) => {
      const order = await told;
      const rank = (w: WaitState) => (order.indexOf(r.metrics[w.metric]!.name) + order.length + 1) % (order.length + 1);
      const known = all.filter((w): w is WaitState => w.stats !== null && w.stats.instances.length > 0);
      if (current) set(known.sort((a, b) => rank(a) - rank(b) || b.stats.sum - a.stats.sum));
    });
    return () => void (current = false);
  }, []);
  return list;
}

async function statsOf(metric: number): Promise<Stats | null> {
  const stats = await ask<Stats | null>(requests.stats(metric)).catch(() => null);
  return stats && isTime(stats.unit) ? inNanoseconds(stats) : null;
}

function inNanoseconds(s: Stats): Stats {
  if (s.unit !== "s") return s;
  const ns = (x: number) => x * 1e9;
  return {
    ...s, unit: "ns", sum: ns(s.sum), mean: ns(s.mean), min: ns(s.min), q1: s.q1 === null ? null : ns(s.q1), median: ns(s.median), q3: s.q3 === null ? null : ns(s.q3), max: ns(s.max),
    instances: s.instances.map((i) => ({ ...i, begin: ns(i.begin), end: ns(i.end), duration: ns(i.duration) })),
    byPath: s.byPath.map((p) => ({ ...p, sum: ns(p.sum), max: ns(p.max) })),
  };
}

const mostRows = 8;

// concerned are the rows to show for an instance: who waited, who was waited for, and those of the next worst instances.
export function concerned(list: Instance[], chosen: number): number[] {
  const rows = new Set<number>();
  const add = (i: Instance | undefined) => {
    if (!i) return;
    for (const l of [i.location, i.causer]) if (l >= 0 && (rows.size < mostRows || i === list[chosen])) rows.add(l);
  };
  add(list[chosen]);
  list.forEach(add);
  return [...rows].sort((a, b) => a - b);
}

// around is the window in which an instance is seen with what was before and after it.
export function around(i: Instance): Range {
  const length = Math.max(i.end - i.begin, 100);
  return [i.begin - 0.35 * length, i.end + 0.35 * length];
}
