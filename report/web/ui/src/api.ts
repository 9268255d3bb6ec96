// The questions that the page asks and the types of the answers. Answers come from the server, or, in a report that is one file, from
// a table embedded in the page. A report never changes while it is shown.

export type Value = number | null; // null: cannot be evaluated, or nothing of it is certain
export type Range = [least: number, most: number] | null; // what a value lies in of which not all is certain; null: it is exact

export interface Metric {
  parent: number; // -1: a root
  name: string;
  title: string;
  unit: string;
  dtype: string;
  kind: string; // inclusive, exclusive, or how a derived metric is computed
  derived: boolean;
  additive: boolean; // values of several call paths or resources may be added
  expression: string;
  formula: string; // how a stored metric was worked out, in words
  error: string; // why it cannot be evaluated, "" if it can
  doc: string;
  advice: string;
  counter?: boolean; // as it was measured
  hierarchy?: string; // specification that made it from counters
  incomplete?: boolean; // counters are lacking: a lower bound
  ratio?: { low: number; high: number }; // with its own scale; equal: none
}

export interface Region {
  name: string;
  file: string;
  begin: number;
  end: number;
  paradigm: string;
  role: string;
}

export interface Topology {
  name: string;
  dims: { name: string; size: number; periodic: boolean }[];
  coords: [resource: number, at: number[]][];
}

export interface Meta {
  title: string;
  file: string;
  kind: "expert" | "scalasca" | "cube";
  difference: boolean; // values are changes; they have signs
  attrs: [string, string][];
  problems: string[];
  begin: number; // of what was recorded, ns since the start of the experiment, as all times are
  span: number; // of what was recorded, ns; 0: unknown
  hertz?: number; // clock rate of cycles
  metrics: Metric[];
  totals: { incl: Value[]; self: Value[]; in: { incl: Range[]; self: Range[] } }; // by metric, whole program
  external: { file: string; totals: Value[] } | null;
  regions: Region[];
  paths: { parent: number[]; region: number[]; file: number[]; line: number[]; files: string[]; note: string[] };
  system: { parent: number[]; name: string[]; cls: string[]; leaf: number[] };
  topologies: Topology[];
  features: { findings: boolean; timeline: boolean; stats: boolean; source: boolean; noise: boolean };
}

// Values by call path or by region; error says why there are none.
export interface Calls {
  incl: Value[];
  excl: Value[];
  in?: { incl: Range[]; excl: Range[] };
  error: string;
  noise?: { incl: Value[]; excl: Value[] }; // half width of the band in which repeated runs lie
}

export interface Box {
  min: number;
  q1: number;
  median: number;
  q3: number;
  max: number;
  mean: number;
  n: number;
}

export interface System {
  values: Value[]; // by resource, parts below included
  in?: Range[];
  box: Box | null; // over locations
  error: string;
}

export interface Instance {
  path: number;
  location: number; // resource
  begin: number;
  end: number;
  duration: number; // what counts as waited, may be less than from begin to end
  causer: number; // resource, -1: unknown
  causerPath: number;
}

export interface Stats {
  unit: string; // of the times: "ns" or "s"
  count: number;
  sum: number;
  mean: number;
  min: number;
  q1: number | null; // null: of few instances it is not known
  median: number;
  q3: number | null;
  max: number;
  instances: Instance[]; // worst first
  summed: boolean; // durations are sums over several ranks or threads
  byPath: { path: number; count: number; sum: number; max: number }[];
}

export interface Finding {
  title: string;
  metric: string; // name
  path: number;
  text: string;
  problem?: { name: string; title: string }; // by which it is known
  advice: string;
  severity: number;
  noise: Value; // of repeated runs, half width of the band of 95 % around the severity
  share: number; // of the time, 0…1
  critical: number; // ns of the critical path
  onPath: number; // as a share of the critical path, 0…1
  instances: number;
  waiters: { name: string; resource: number; severity: number }[];
  causers: Causer[];
  lines: { path: number; severity: number }[]; // where the waiting is, place with most first, if there are several
  awaited: number; // ns that the causers were waited for
  meanwhile: { share: number; path: number; what: string }[]; // what they did then, of that time; path -1: nowhere in particular
  counted: string; // by them on the critical path, "" if nothing was
}

export interface Efficiency {
  name: string;
  value: Value;
  formula: string;
  meaning: string; // what a low value says
  why: string; // why it does not apply, "" if it does
}

export interface Difference {
  metric: string;
  path: number;
  a: Value;
  b: Value;
  delta: Value;
  beyond: boolean; // more than the runs' own spread
  in?: [a: Range, b: Range, delta: Range];
}

// Requests is the latency of the requests that were answered: all together first, then by name.
export interface Requests {
  rows: RequestRow[];
  names: number; // how many there are; rows have the first ones
  notes: string[];
}

export interface RequestRow {
  name: string;
  count: number;
  cut: number; // that began before the trace, or had not ended with it
  rate: number; // 1/s
  p50: number; // ns, here and below; -1: there are too few
  p95: number;
  p99: number;
  max: number;
}

export interface Findings {
  lead: string[];
  requests?: Requests;
  findings: Finding[];
  ready?: { text: string; advice: string }; // processors were lacking
  criticalPath?: { length: number; parts: { what: string; time: number }[]; counted: string; byTime: string }; // ns
  neverEnded: { text: string; path: number; holder: number }[]; // that may be a mistake; holder: where the lock was acquired, or -1
  idle: string; // who was idle at the end
  warnings: string[];
  efficiency: Efficiency[];
  differences: Difference[];
  properties?: Property[]; // of counters, most events first
  notes?: string[]; // what could not be derived from the counters
}

// Property is too many of some events at a call path. It is no time.
export interface Property {
  title: string;
  metric: string; // to look at, "" unknown
  path: number;
  part: number; // events
  text: string;
  advice: string;
}

export interface Causer {
  name: string;
  resource: number; // -1: several, or unknown
  path: number; // -1: unknown
  severity: number;
  share: number;
}

export interface Source {
  file: string;
  line: number;
  begin: number;
  end: number;
  first: number; // number of lines[0]
  lines: string[];
  changed: boolean; // written after the recording began
  error?: string;
}

// kind: 0 region, 1 operation, 2 blocked; merged: how many short stays it stands for, 0 for itself
export type Span = [begin: number, end: number, depth: number, name: number, kind: number, merged: number];

export interface Timeline {
  begin: number; // ns since the start of the experiment
  end: number;
  rows: { resource: number; spans: Span[]; ended?: number }[]; // ended: if before the end of the window
  names: string[];
  waits: { resource: number; begin: number; end: number; metric: string; waited: number }[]; // waited: what counts as the wait state
  arrows: { from: number; fromTime: number; to: number; toTime: number; kind: string }[];
  truncated: string; // what is not shown, "" if everything is
  sampled?: boolean; // spans say where a goroutine was at one moment of them
}

// Requests, in the one spelling under which a self-contained page holds their answers.
export const requests = {
  meta: () => "api/meta",
  calls: (metric: number, self: boolean, at = -1) => `api/calls?metric=${metric}&self=${+self}` + (at < 0 ? "" : `&at=${at}`),
  flat: (metric: number, self: boolean, at = -1) => `api/flat?metric=${metric}&self=${+self}` + (at < 0 ? "" : `&at=${at}`),
  systemOfPath: (metric: number, self: boolean, path: number, incl: boolean) =>
    `api/system?metric=${metric}&self=${+self}&path=${path}&incl=${+incl}`,
  systemOfRegion: (metric: number, self: boolean, region: number, incl: boolean) =>
    `api/system?metric=${metric}&self=${+self}&region=${region}&incl=${+incl}`,
  stats: (metric: number) => `api/stats?metric=${metric}`,
  findings: () => "api/findings",
  causers: (metric: number, path: number) => `api/causers?metric=${metric}&path=${path}`,
  sourceOfPath: (path: number) => `api/source?path=${path}`,
  sourceOfRegion: (region: number) => `api/source?region=${region}`,
  timeline: (begin: number, end: number, resources: number[]) =>
    `api/timeline?begin=${Math.round(begin)}&end=${Math.round(end)}&locations=${resources.join(",")}`,
};

// Answers are kept, those asked for last, up to so many values in all.
const kept = new Map<string, { answer: Promise<unknown>; values: number }>(); // in the order of last use
const mostKept = 8_000_000;
let values = 0;

// ask returns the answer to a request of `requests`. It rejects with an Error that a person can read.
export function ask<T>(request: string): Promise<T> {
  const entry = kept.get(request) ?? { answer: embedded().then((table) => (table ? lookUp(table, request) : load(request))).then(refuse), values: -1 };
  if (entry.values < 0) {
    entry.values = 0;
    entry.answer.then(
      (a) => {
        if (kept.get(request) !== entry) return;
        entry.values = size(a);
        values += entry.values;
        for (const [oldest, e] of kept) {
          if (values <= mostKept || e === entry) break;
          kept.delete(oldest);
          values -= e.values;
        }
      },
      () => kept.delete(request), // the next one tries again
    );
  }
  kept.delete(request);
  kept.set(request, entry);
  return entry.answer as Promise<T>;
}

// size is about how many values an answer has.
function size(answer: unknown): number {
  if (Array.isArray(answer)) return answer.length;
  if (answer === null || typeof answer !== "object") return 1;
  return Object.values(answer).reduce((n: number, part) => n + (Array.isArray(part) ? part.length : 1), 0);
}

async function load(request: string): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(request);
  } catch {
    throw new Error("The server does not answer. Is expert view still running?");
  }
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Error(body?.error ?? `The server answers ${response.status} to ${request}`);
  return body;
}

type Table = Record<string, unknown>;
let table: Promise<Table | null> | undefined;

// embedded returns the answers held by the page itself, null if a server is to be asked. The element #answers holds one JSON object
// from request to answer, compressed with zlib, in base64; an answer that is text is the request that has the same answer.
export function embedded(): Promise<Table | null> {
  return (table ??= unpack(document.getElementById("answers")?.textContent?.trim()));
}

async function unpack(base64: string | undefined): Promise<Table | null> {
  if (!base64) return null;
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

function lookUp(table: Table, request: string): unknown {
  let answer = table[request];
  if (typeof answer === "string") answer = table[answer];
  if (answer === undefined) throw new Error("This file does not contain the answer. Open the report with expert view.");
  return answer;
}

// refuse throws what an answer says if that is only why there is none.
function refuse(answer: unknown): unknown {
  if (answer && typeof answer === "object" && Object.keys(answer).join() === "error") throw new Error((answer as { error: string }).error);
  return answer;
}
