// Small parts that several panels share.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../icons";
import { callSite, fullPath, fullResource, pathName } from "../report";
import { type Answer, getReport, getState, reveal, setState } from "../state";

// Pending stands where an answer is not there: it is still awaited, or it failed.
export function Pending({ answer }: { answer: Answer<unknown> }) {
  if (answer.error) return <Nothing title="This cannot be shown" warns>{answer.error}</Nothing>;
  return <p class="empty" role="status">Loading…</p>;
}

// Section is a part of a page, with a heading.
export function Section({ title, more, children }: { title: string; more?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="part">
      <header><h2>{title}</h2>{more}</header>
      {children}
    </section>
  );
}

// Nothing says why there is nothing to see.
export function Nothing({ title, warns, children }: { title: string; warns?: boolean; children?: ComponentChildren }) {
  return (
    <div class="empty" role="status">
      {warns && <Icon name="warning" />}
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

// Prose shows a text in paragraphs.
export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.trim().split(/\n\s*\n/).map((p) => <p class="prose">{p}</p>)}
    </>
  );
}

// Meter is a bar for a share of 0…1; the number stands beside it.
export function Meter({ share, tone = "wait" }: { share: number; tone?: string }) {
  const width = Math.min(1, Math.max(0, share));
  return <span class={"meter " + tone} aria-hidden="true"><span style={{ width: width * 100 + "%" }} /></span>;
}

const mostUp = 4; // callers that are named

// CallPath names a call path; a click shows it in the trees, with its source.
export function CallPath({ path, metric = -1, whole = true }: { path: number; metric?: number; whole?: boolean }) {
  const r = getReport();
  if (path < 0 || path >= r.pathTree.size) return <span class="unknown">unknown</span>;
  const all = whole ? r.pathTree.ancestors(path).map((p) => pathName(r, p)) : [];
  const up = all.length > mostUp ? ["…", ...all.slice(1 - mostUp)] : all;
  const site = callSite(r, path);
  return (
    <button type="button" class="link path" title={`${fullPath(r, path)}\nShow in the trees`} onClick={() => reveal(metric, path, { tab: "source", details: true })}>
      {up.map((name) => <><span class="up">{name}</span><span class="sep" aria-hidden="true"> › </span></>)}
      <span class="last">{pathName(r, path)}</span>
      {site && <span class="site">{basename(site)}</span>}
    </button>
  );
}

// Resource names a part of the system; a click selects it.
export function Resource({ resource, name }: { resource: number; name?: string }) {
  const r = getReport();
  if (resource < 0 || resource >= r.systemTree.size) return <>{name ?? "unknown"}</>;
  return <button type="button" class="link" title={`${fullResource(r, resource)}\nSelect in the system tree`} onClick={() => selectResource(resource)}>{name ?? r.system.name[resource]}</button>;
}

// selectResource selects a part of the system and opens the way to it.
export function selectResource(resource: number): void {
  const s = getState();
  const way = getReport().systemTree.ancestors(resource);
  setState({ resource, view: s.view === "trees" ? s.view : "trees", expanded: { ...s.expanded, system: new Set([...s.expanded.system, ...way]) } });
}

export const basename = (file: string): string => file.slice(file.lastIndexOf("/") + 1);

// titleOf is how a metric is called by people.
export const titleOf = (metric: number): string => {
  const m = getReport().metrics[metric];
  return m ? m.title || m.name : "";
};

// useSize returns the size of an element in CSS pixels and follows it.
export function useSize<E extends HTMLElement>(): [(e: E | null) => void, number, number, { current: E | null }] {
  const element = useRef<E | null>(null);
  const [[width, height], set] = useState<[number, number]>([0, 0]);
  const [observer] = useState(() => new ResizeObserver(() => measure()));
  const measure = () => {
    const e = element.current;
    if (e) set((s) => (s[0] === e.clientWidth && s[1] === e.clientHeight ? s : [e.clientWidth, e.clientHeight]));
  };
  const [ref] = useState(() => (e: E | null) => {
    if (element.current) observer.unobserve(element.current);
    element.current = e;
    if (e) {
      observer.observe(e);
      measure();
    }
  });
  return [ref, width, height, element];
}

// summed says what the durations of waits are in which several take part at once.
export const summed = "each is summed over all ranks or threads that waited in it";
