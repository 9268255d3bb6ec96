// The timeline of the worst instances of a wait state: the goroutines concerned, what they did, who waited for whom.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, embedded, type Instance, requests, type Timeline as Window } from "../api";
import { count, time } from "../format";
import { Icon } from "../icons";
import { Popover } from "../popover";
import { fullResource, leafName } from "../report";
import { getReport, getState, reveal, setState, useStore } from "../state";
import { pan, type Range, within, zoom } from "./axis";
import { Chart } from "./chart";
import { InstanceList, WindowTable } from "./instances";
import { Nothing, selectResource, titleOf } from "./parts";
import { around, concerned, useWaitStates, type WaitState } from "./waits";

export function Timeline() {
  const states = useWaitStates();
  if (!states) return <p class="empty" role="status">Loading…</p>;
  if (states.length === 0 && getReport().span === 0) return <Nothing title="There is no timeline">A timeline needs the trace that the report was made from, or statistics of the longest waits.</Nothing>;
  return <Page states={states} />;
}

function Page({ states }: { states: WaitState[] }) {
  const r = getReport();
  const selected = useStore((s) => s.metric);
  const chosenIndex = useStore((s) => s.instance);
  const stateWindow = useStore((s) => s.window);
  const ownRows = useStore((s) => s.rows);
  const now = states.find((w) => w.metric === selected) ?? states[0];
  const metric = now?.metric ?? -1;
  const list = now?.stats.instances ?? none;
  const index = chosenIndex < list.length && chosenIndex >= 0 ? chosenIndex : stateWindow || !now ? -1 : 0;
  const chosen = list[index] ?? null;
  const whole = useMemo<Range>(() => {
    const last = Math.max(...states.flatMap((w) => w.stats.instances.map((i) => i.end)), 1);
    return r.span > 0 ? [r.begin, r.begin + r.span] : [0, last * 1.02];
  }, [states]);
  const rows = useMemo(() => (ownRows.length > 0 ? ownRows : list.length > 0 ? concerned(list, index) : leaves().slice(0, 8)), [ownRows, list, index]);

  const target = useMemo(() => within(stateWindow ?? (chosen ? around(chosen) : whole), whole), [stateWindow, chosen, whole]);
  const [view, move] = useView(target, index);
  const [width, setWidth] = useState(800);
  const { data, error } = useWindow(view, rows, width, whole);

  const choose = (i: number, m = metric) => setState({ metric: m, instance: i, window: null });
  const showAll = () => setState({ window: whole, instance: index });
  const title = metric >= 0 ? titleOf(metric) : "";
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey || (e.target as Element).matches("input, select")) return;
    const length = view[1] - view[0];
    switch (e.key) {
      case "ArrowLeft": move(pan(view, -0.15 * length, whole)); break;
      case "ArrowRight": move(pan(view, 0.15 * length, whole)); break;
      case "+": case "=": move(zoom(view, 1 / 1.6, middle(view, chosen), whole)); break;
      case "-": case "_": move(zoom(view, 1.6, middle(view, chosen), whole)); break;
      case "0": if (index >= 0) choose(index); else showAll(); break;
      case "Home": showAll(); break;
      case "n": if (index < list.length - 1) choose(index + 1); break;
      case "p": if (index > 0) choose(index - 1); break;
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <div class="timeline-page" onKeyDown={onKeyDown}>
      <div class="bar controls">
        {states.length > 0 && (
          <label class="field-inline">
            <span>Wait state</span>
            <select value={metric} onChange={(e) => setState({ metric: Number(e.currentTarget.value), instance: 0, window: null, rows: [] })}>
              {states.map((w) => <option key={w.metric} value={w.metric}>{titleOf(w.metric)} · {time(w.stats.sum / 1e9)}</option>)}
            </select>
          </label>
        )}
        {list.length > 0 && (
          <div class="stepper" role="group" aria-label="Instance">
            <button type="button" aria-label="Previous, longer instance" title="Longer (p)" disabled={index <= 0} onClick={() => choose(index - 1)}><Icon name="up" /></button>
            <span>{index >= 0 ? `${ordinal(index)} of ${list.length} listed` : `${list.length} listed`}</span>
            <button type="button" aria-label="Next, shorter instance" title="Shorter (n)" disabled={index >= list.length - 1} onClick={() => choose(index + 1)}><Icon name="down" /></button>
          </div>
        )}
        <span class="space" />
        {chosen && chosen.path >= 0 && <button type="button" class="text" onClick={() => (reveal(metric, chosen.path), selectResource(chosen.location))}>Show in the trees</button>}
        <RowChoice rows={rows} changed={ownRows.length > 0} />
        <div class="segments" role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={() => move(zoom(view, 1.6, middle(view, chosen), whole))}>−</button>
          <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => move(zoom(view, 1 / 1.6, middle(view, chosen), whole))}>+</button>
          {index >= 0 && <button type="button" title="Show the instance (0)" onClick={() => choose(index)}>Instance</button>}
          <button type="button" title="Show the whole run (Home)" onClick={showAll}>Whole run</button>
        </div>
      </div>
      <Overview view={view} whole={whole} list={list} chosen={index} move={move} choose={choose} />
      {error && <p class="bar-note" role="status"><Icon name="info" />{error}</p>}
      {data?.truncated && <p class="bar-note" role="status"><Icon name="info" />{sentence(data.truncated)}</p>}
      <Chart
        rows={rows} view={view} whole={whole} data={data} move={move} metric={metric >= 0 ? r.metrics[metric]!.name : ""} title={title}
        list={list} chosen={chosen} choose={choose} onWidth={setWidth} label={describeChosen(chosen, title)}
      />
      <div class="below">
        {now && <InstanceList state={now} index={index} choose={choose} />}
        {data && !data.sampled && data.rows.some((row) => row.spans.length > 0) && <WindowTable data={data} view={view} />}
      </div>
    </div>
  );
}

const none: Instance[] = [];
const middle = (view: Range, chosen: Instance | null): number => {
  const at = chosen ? (chosen.begin + chosen.end) / 2 : NaN;
  return at > view[0] && at < view[1] ? at : (view[0] + view[1]) / 2;
};
const ordinal = (i: number): string => (i === 0 ? "Longest" : `No. ${i + 1}`);
const sentence = (s: string): string => s[0]!.toUpperCase() + s.slice(1) + (s.endsWith(".") ? "" : ".");

// leaves are the goroutines, or processes and threads.
function leaves(): number[] {
  const { leaf } = getReport().system;
  return leaf.map((_, i) => i).filter((i) => leaf[i]! >= 0);
}

function describeChosen(chosen: Instance | null, title: string): string {
  if (!chosen) return "Timeline";
  const r = getReport();
  const by = chosen.causer >= 0 ? ` for ${leafName(r, chosen.causer)}` : "";
  return `Timeline of a wait, ${title}: ${leafName(r, chosen.location)} waits ${time(chosen.duration / 1e9)}${by}`;
}

// useView holds the window while it is being moved; the address follows a little later.
function useView(target: Range, instance: number): [Range, (next: Range) => void] {
  const [view, set] = useState(target);
  const own = useRef<Range | null>(null); // what the address was given
  const timer = useRef(0);
  const frame = useRef(0);
  const at = useRef(view);
  at.current = view;
  useEffect(() => {
    const o = own.current;
    if (o && Math.abs(o[0] - target[0]) < 1 && Math.abs(o[1] - target[1]) < 1) return;
    own.current = null;
    clearTimeout(timer.current);
    cancelAnimationFrame(frame.current);
    if (!glides(at.current, target)) return set(target);
    const from = at.current;
    const begin = performance.now();
    const glide = () => {
      const x = Math.min(1, (performance.now() - begin) / 220);
      const k = 1 - (1 - x) ** 3;
      set(x === 1 ? target : [from[0] + k * (target[0] - from[0]), from[1] + k * (target[1] - from[1])]);
      if (x < 1) frame.current = requestAnimationFrame(glide);
    };
    frame.current = requestAnimationFrame(glide);
  }, [target[0], target[1]]);
  useEffect(() => () => {
    clearTimeout(timer.current);
    cancelAnimationFrame(frame.current);
  }, []);
  const move = (next: Range) => {
    cancelAnimationFrame(frame.current);
    own.current = next;
    set(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setState({ window: [Math.round(next[0]), Math.round(next[1])], instance }), 250);
  };
  return [view, move];
}

// glides says whether the way from one window to another is short enough to be followed by eye.
function glides(from: Range, to: Range): boolean {
  if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return false;
  const ratio = (to[1] - to[0]) / (from[1] - from[0]);
  return ratio > 1e-3 && ratio < 1e3 && (from[0] !== to[0] || from[1] !== to[1]);
}

// useWindow asks for what happened in the window, with a margin on both sides, when the hand rests.
function useWindow(view: Range, rows: number[], width: number, whole: Range): { data: Window | null; error: string } {
  const [answer, set] = useState<{ data: Window | null; error: string; rows: string; finest: number }>({ data: null, error: "", rows: "", finest: 0 });
  const key = rows.join();
  const { data } = answer;
  const length = view[1] - view[0];
  const covered = data !== null && answer.rows === key && (data.begin <= view[0] || data.begin <= whole[0]) && (data.end >= view[1] || data.end >= whole[1]) && length > answer.finest;
  useEffect(() => {
    if (covered || rows.length === 0) return;
    let current = true;
    const timer = setTimeout(() => {
      const begin = Math.max(whole[0], Math.floor(view[0] - length / 2));
      const end = Math.max(begin + 1, Math.min(Math.ceil(whole[1]), Math.ceil(view[1] + length / 2)));
      const pixels = Math.min(8000, 1000 * Math.ceil((2.5 * width) / 1000));
      const answer = embedded().then((file) => {
        if (file) throw new Error("This file does not contain the trace, so it shows only the longest waits. Use expert view to see more.");
        return ask<Window>(requests.timeline(begin, end, rows) + `&width=${pixels}`);
      });
      answer.then(
        (data) => current && set({ data, error: "", rows: key, finest: length / 1.8 }),
        (e: Error) => current && set((a) => ({ ...a, error: e.message, rows: key, finest: length / 1.8 })),
      );
    }, data === null || answer.rows !== key ? 0 : 120);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [covered, view[0], view[1], key, width]);
  return answer;
}

// Overview is the whole run in a strip: where the listed instances lie, and what part of it is shown.
function Overview({ view, whole, list, chosen, move, choose }: { view: Range; whole: Range; list: Instance[]; chosen: number; move: (v: Range) => void; choose: (i: number) => void }) {
  const length = whole[1] - whole[0];
  const share = (t: number) => Math.min(100, Math.max(0, ((t - whole[0]) / length) * 100));
  const strip = useRef<HTMLDivElement>(null);
  const go = (e: PointerEvent) => {
    const box = strip.current!.getBoundingClientRect();
    const t = whole[0] + ((e.clientX - box.left) / box.width) * length;
    const half = (view[1] - view[0]) / 2;
    move(within([t - half, t + half], whole));
  };
  const onPointerDown = (e: PointerEvent) => {
    const instance = (e.target as HTMLElement).dataset.instance;
    if (instance !== undefined) return choose(Number(instance));
    strip.current!.setPointerCapture(e.pointerId);
    go(e);
  };
  return (
    <div class="overview" aria-hidden="true" ref={strip} title="The whole run; click to go there" onPointerDown={onPointerDown} onPointerMove={(e) => strip.current!.hasPointerCapture(e.pointerId) && go(e)}>
      {list.map((i, n) => (
        <span key={n} data-instance={n} class={"tick" + (n === chosen ? " chosen" : "")} style={{ left: share(i.begin) + "%", width: `max(3px, ${share(i.end) - share(i.begin)}%)` }} />
      ))}
      <span class="viewport" style={{ left: share(view[0]) + "%", width: `max(6px, ${share(view[1]) - share(view[0])}%)` }} />
    </div>
  );
}

const mostChoices = 200;

// RowChoice chooses which goroutines are shown.
function RowChoice({ rows, changed }: { rows: number[]; changed: boolean }) {
  return (
    <Popover label={`${count(rows.length, "row")} shown`} class="row-choice" active={changed} button={<>{count(rows.length, "row")}</>}>
      <Choices rows={rows} />
      <div class="buttons"><button type="button" class="text" disabled={!changed} onClick={() => setState({ rows: [] })}>Waiter and causers</button></div>
    </Popover>
  );
}

function Choices({ rows }: { rows: number[] }) {
  const r = getReport();
  const [text, setText] = useState("");
  const all = leaves();
  const found = all.filter((i) => fullResource(r, i).toLowerCase().includes(text.toLowerCase()));
  const named = new Map<string, number>();
  for (const i of all) named.set(r.system.name[i]!, (named.get(r.system.name[i]!) ?? 0) + 1);
  const toggle = (i: number) => {
    const set = new Set(getState().rows.length > 0 ? getState().rows : rows);
    if (!set.delete(i)) set.add(i);
    if (set.size > 0) setState({ rows: [...set].sort((a, b) => a - b) });
  };
  return (
    <>
      <input type="search" placeholder="Filter by name" aria-label="Filter rows by name" value={text} onInput={(e) => setText(e.currentTarget.value)} />
      <div class="choices" role="group" aria-label="Rows shown">
        {found.slice(0, mostChoices).map((i) => (
          <label key={i}><input type="checkbox" checked={rows.includes(i)} onChange={() => toggle(i)} /><span title={fullResource(r, i)}>{r.system.name[i]}{named.get(r.system.name[i]!)! > 1 && <span class="remark"> {r.system.name[r.systemTree.parent[i]!]}</span>}</span></label>
        ))}
        {found.length > mostChoices && <p class="remark">{found.length - mostChoices} more; filter by name to see them</p>}
        {found.length === 0 && <p class="remark">No name matches.</p>}
      </div>
    </>
  );
}
