// The values of the three columns, as the selection to the left of each asks for them.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, type Box, type Calls, requests, type System } from "./api";
import type { Report } from "./report";
import { sumOf } from "./sums";
import { type Answer, getReport, type Selection, selection, useAnswer, useStore } from "./state";

// useSelection returns what is selected in the metric and call columns; a new object only when it is something else.
export function useSelection(): Selection {
  const key = useStore((s) => JSON.stringify(selection(s)));
  return useMemo(() => JSON.parse(key) as Selection, [key]);
}

// useSettled returns the last `now` that was not waiting for an answer. What is shown is taken from it, so that values never stand
// beside the unit or the name of something else.
export function useSettled<T>(now: T, loading: boolean): T {
  const last = useRef(now);
  if (!loading) last.current = now;
  return last.current;
}

// useCalls returns the selected metric's values, by call path in the tree and by region in the lists.
export function useCalls(): Answer<Calls> {
  const { metric, self } = useSelection();
  const tree = useStore((s) => s.call === "tree");
  const at = useStore((s) => s.at);
  return useAnswer<Calls>((tree ? requests.calls : requests.flat)(metric, self, at));
}

// useSystem returns the values of the selected metric and call path, or region or module, by resource.
export function useSystem(): Answer<System> {
  const s = useSelection();
  const one = useAnswer<System>(
    s.path >= 0
      ? requests.systemOfPath(s.metric, s.self, s.path, s.incl)
      : s.regions.length === 1
        ? requests.systemOfRegion(s.metric, s.self, s.regions[0]!, s.incl)
        : "",
  );
  const several = useModule(s);
  return s.regions.length > 1 ? several : one;
}

// useModule adds what the regions of a module themselves need.
function useModule(s: Selection): Answer<System> {
  const [answer, set] = useState<Answer<System>>({ data: null, error: "", loading: true });
  useEffect(() => {
    if (s.regions.length < 2) return;
    let current = true;
    set((a) => ({ ...a, loading: true }));
    Promise.all(s.regions.map((r) => ask<System>(requests.systemOfRegion(s.metric, s.self, r, false)))).then(
      (parts) => current && set({ data: add(getReport(), parts, getReport().metrics[s.metric]!.additive), error: "", loading: false }),
      (e: Error) => current && set({ data: null, error: e.message, loading: false }),
    );
    return () => void (current = false);
  }, [s]);
  return answer;
}

function add(report: Report, parts: System[], additive: boolean): System {
  const bad = parts.find((p) => p.error);
  if (bad) return bad;
  if (!additive) return { values: [], box: null, error: "a ratio of several regions together is not known; select one of them" };
  const sums = report.system.parent.map((_, i) => sumOf(parts.map((p) => [p.values[i], p.in?.[i]])));
  const values = sums.map(([v]) => v);
  return { values, in: sums.map(([, range]) => range), box: boxOf(values.filter((v, i): v is number => v !== null && report.system.leaf[i]! >= 0)), error: "" };
}

// boxOf returns how values are distributed; quartiles are interpolated between the two values next to them.
export function boxOf(list: number[]): Box | null {
  if (list.length === 0) return null;
  const v = [...list].sort((a, b) => a - b);
  const at = (q: number) => {
    const x = q * (v.length - 1);
    const i = Math.floor(x);
    return v[i]! + (x - i) * ((v[i + 1] ?? v[i]!) - v[i]!);
  };
  const mean = v.reduce((a, b) => a + b, 0) / v.length;
  return { min: v[0]!, q1: at(0.25), median: at(0.5), q3: at(0.75), max: v[v.length - 1]!, mean, n: v.length };
}
