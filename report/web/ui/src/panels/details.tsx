// What is known of the selection: values, description, how it is computed, statistics, source, causers.
import type { ComponentChildren } from "preact";
import { type Calls, type Causer, type Range, requests } from "../api";
import { clocked } from "../cells";
import { exactly, percent, uncertain, value } from "../format";
import { callSite, fullPath, fullResource, pathName } from "../report";
import { getReport, setState, type Tab, useAnswer, useStore } from "../state";
import { useCalls, useSelection, useSystem } from "../values";
import { Expression } from "./expression";
import { CallPath, Meter, Nothing, Pending, Prose, Resource } from "./parts";
import { SourcePane } from "./source";
import { Statistics } from "./statistics";

export function Details() {
  const r = getReport();
  const tab = useStore((s) => s.tab);
  const tabs: [Tab, string][] = [["about", "Description"], ["computation", "Computation"]];
  if (r.features.stats) tabs.push(["statistics", "Statistics"]);
  tabs.push(["source", "Source"]);
  if (r.kind === "expert" && r.span > 0 && !r.difference) tabs.push(["causers", "Causers"]);
  const now = tabs.some(([t]) => t === tab) ? tab : "about";
  const onKeyDown = (e: KeyboardEvent) => {
    const i = tabs.findIndex(([t]) => t === now);
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1 }[e.key];
    if (to === undefined) return;
    const [t] = tabs[(to + tabs.length) % tabs.length]!;
    setState({ tab: t });
    document.getElementById("detail-" + t)?.focus();
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <section class="details" aria-label="Details of the selection">
      <Selected />
      <div class="detail">
        <div class="tabs" role="tablist" aria-label="Details" onKeyDown={onKeyDown}>
          {tabs.map(([t, title]) => (
            <button key={t} id={"detail-" + t} type="button" role="tab" aria-selected={t === now} aria-controls={t === now ? "detail" : undefined} tabIndex={t === now ? 0 : -1} onClick={() => setState({ tab: t })}>{title}</button>
          ))}
        </div>
        <div class="tab-panel" data-tab={now} id="detail" role="tabpanel" aria-labelledby={"detail-" + now} tabIndex={0}>
          {now === "about" && <About />}
          {now === "computation" && <Computation />}
          {now === "statistics" && <Statistics />}
          {now === "source" && <SourcePane />}
          {now === "causers" && <Causers />}
        </div>
      </div>
    </section>
  );
}

// Selected says what is selected in the three columns, with values.
function Selected() {
  const r = getReport();
  const s = useSelection();
  const module = useStore((st) => st.module);
  const resource = useStore((st) => st.resource);
  const at = useStore((st) => st.at);
  const calls = useCalls().data as Calls | null;
  const system = useSystem().data;
  const m = r.metrics[s.metric]!;
  const node = s.path >= 0 ? s.path : s.regions.length === 1 ? s.regions[0]! : -1;
  const total = (s.self ? r.totals.self : r.totals.incl)[s.metric] ?? null;
  const whole = (s.self ? r.totals.in.self : r.totals.in.incl)[s.metric] ?? null;
  const root = r.totals.incl[r.metricTree.root(s.metric)] ?? null;
  const incl = node >= 0 ? calls?.incl?.[node] : undefined;
  const excl = node >= 0 ? calls?.excl?.[node] : undefined;
  const region = s.path >= 0 ? r.paths.region[s.path]! : s.regions.length === 1 ? s.regions[0]! : -1;
  const text = (v: number | null | undefined, range?: Range) => (v === undefined ? "…" : range ? uncertain(range, m.unit, r.difference) : v === null && m.ratio && !m.error ? "–" : value(v, m.unit, r.difference));
  const share = (v: number | null | undefined, whole: number | null, noise?: number | null) => {
    if (noise != null) return `runs differ by ± ${value(noise, m.unit)}`;
    return m.additive && v != null && whole && !r.difference ? percent(v / whole) + "\u202f%" : "";
  };
  const site = s.path >= 0 ? callSite(r, s.path) : "";
  const defined = region >= 0 && r.regions[region]!.file ? `${r.regions[region]!.file}${r.regions[region]!.begin > 0 ? ":" + r.regions[region]!.begin : ""}` : "";
  return (
    <div class="selected" tabIndex={0} role="group" aria-label="What is selected">
      <Block title="Metric" name={(m.title || m.name) + (s.self ? ", without its parts" : "")}>
        <Row label={s.self ? "Itself" : "Total"} v={total} unit={m.unit} range={whole} text={text(total, whole)} share={share(total, root)} of={r.metricTree.parent[s.metric]! >= 0 ? r.metrics[r.metricTree.root(s.metric)]!.title : ""} />
      </Block>
      <Block title={s.path >= 0 ? "Call path" : s.regions.length === 1 ? "Region" : "Module"} name={s.path >= 0 ? pathName(r, s.path) : region >= 0 ? r.regions[region]!.name : r.modules[module]?.name || "without source file"} hint={s.path >= 0 ? fullPath(r, s.path) : ""}>
        {node >= 0 && (
          <>
            <Row label="Inclusive" v={incl} unit={m.unit} range={calls?.in?.incl[node]} text={text(incl, calls?.in?.incl[node])} share={share(incl, total, calls?.noise?.incl[node])} of="the metric" strong={s.incl} />
            <Row label="Exclusive" v={excl} unit={m.unit} range={calls?.in?.excl[node]} text={text(excl, calls?.in?.excl[node])} share={share(excl, total, calls?.noise?.excl[node])} of="the metric" strong={!s.incl} />
          </>
        )}
        {s.path >= 0 && r.pathTree.level[s.path]! > 0 && <p class="place">{r.pathTree.ancestors(s.path).map((p) => pathName(r, p)).join(" › ")}</p>}
        {site && <p class="place">called at {site}</p>}
        {defined && defined !== site && <p class="place">defined in {defined}</p>}
        {at >= 0 && <p class="place">only on {fullResource(r, at)}</p>}
      </Block>
      {resource >= 0 && (
        <Block title={r.system.cls[resource] || "Location"} name={r.system.name[resource]!} hint={fullResource(r, resource)}>
          <Row label="Here" v={system?.values?.[resource]} unit={m.unit} range={system?.in?.[resource]} text={text(system?.values?.[resource], system?.in?.[resource])} share={share(system?.values?.[resource], (s.incl ? incl : excl) ?? null)} of="the call path" />
          {r.systemTree.level[resource]! > 0 && <p class="place">{r.systemTree.ancestors(resource).map((i) => r.system.name[i]).join(" › ")}</p>}
        </Block>
      )}
    </div>
  );
}

function Block({ title, name, hint, children }: { title: string; name: string; hint?: string; children: ComponentChildren }) {
  return (
    <div class="block">
      <p class="kind-of">{title}</p>
      <h2 title={hint}>{name}</h2>
      {children}
    </div>
  );
}

function Row({ label, v, unit, range, text, share, of, strong }: { label: string; v: number | null | undefined; unit: string; range?: Range; text: string; share: string; of: string; strong?: boolean }) {
  return (
    <p class={"value-row" + (strong === false ? " weak" : "")} title={v === undefined ? "" : exactly(v, unit, range) + clocked(v, unit)}>
      <span>{label}</span> <b>{text}</b> <span class="share">{share}{share.endsWith("%") && of ? <span class="of"> of {of}</span> : null}</span>
    </p>
  );
}

function About() {
  const r = getReport();
  const { metric } = useSelection();
  const m = r.metrics[metric]!;
  return (
    <div class={"about-metric" + (m.advice ? " two" : "")}>
      <div>
        {m.advice && <h2>What it means</h2>}
        {m.error && <p class="bad">This metric cannot be evaluated: {m.error}</p>}
        {m.doc ? <Prose text={m.doc} /> : <p class="remark">The report does not describe this metric.</p>}
      </div>
      {m.advice && <div><h2>What to do</h2><Prose text={m.advice} /></div>}
    </div>
  );
}

const kinds: Record<string, string> = {
  EXCLUSIVE: "Stored: what each call path has without those below it. Inclusive values are sums over the call paths below.",
  INCLUSIVE: "Stored: what each call path has with those below it. Exclusive values are what remains without the call paths below.",
  SIMPLE: "Stored for each call path, with no relation to those below it.",
  POSTDERIVED: "Computed from other metrics after they have been added up for what is selected, so ratios are those of the sums.",
  PREDERIVED_EXCLUSIVE: "Computed from other metrics for each call path and location without those below it, then added up.",
  PREDERIVED_INCLUSIVE: "Computed from other metrics for each call path and location with those below it, then added up.",
};

function Computation() {
  const r = getReport();
  const { metric } = useSelection();
  const m = r.metrics[metric]!;
  return (
    <div class="computation">
      <dl>
        <dt>Name</dt><dd><code>{m.name}</code></dd>
        <dt>Unit</dt><dd>{m.unit || "none"}</dd>
        <dt>Numbers</dt><dd>{m.dtype || "not said"}</dd>
        <dt>Kind</dt><dd><code>{m.kind}</code><br />{kinds[m.kind.toUpperCase()] ?? ""}</dd>
        {m.formula && <><dt>Formula</dt><dd>{m.formula}</dd></>}
        <dt>Adding up</dt><dd>{m.additive ? "Values of several call paths and locations may be added." : "Values of several call paths and locations may not be added; it is evaluated anew for each selection."}</dd>
      </dl>
      {m.error && <p class="bad">It cannot be evaluated: {m.error}</p>}
      {m.expression ? <Expression text={m.expression} /> : !m.derived && !m.formula && <p class="remark">It was measured, or worked out by the analysis, and is stored in the report.</p>}
    </div>
  );
}

function Causers() {
  const { metric, path } = useSelection();
  const r = getReport();
  const answer = useAnswer<Causer[]>(path >= 0 ? requests.causers(metric, path) : "");
  if (path < 0) return <Nothing title="Select a call path">Causers are known for call paths, not for regions or modules.</Nothing>;
  if (!answer.data) return <Pending answer={answer} />;
  if (answer.data.length === 0) return <Nothing title="Nobody was waited for here">Causers are known for wait states that are among the findings: select one of them, such as {example()}.</Nothing>;
  const { unit } = r.metrics[metric]!;
  return (
    <table class="causers">
      <thead><tr><th scope="col" colSpan={2}>Waited for, as a share</th><th scope="col">Who</th><th scope="col">Where they were</th><th scope="col" class="num">Time</th></tr></thead>
      <tbody>
        {answer.data.map((c) => (
          <tr>
            <td class="bar-cell"><Meter share={c.share} tone="cause" /></td>
            <td class="num">{percent(c.share)}{"\u202f"}%</td>
            <td><Resource resource={c.resource} name={c.name} /></td>
            <td class="wide">{c.path >= 0 ? <CallPath path={c.path} /> : <span class="remark">unknown</span>}</td>
            <td class="num">{value(c.severity, unit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// example names the greatest wait state of the report.
function example(): string {
  const r = getReport();
  const leaves = r.metrics.map((_, i) => i).filter((i) => r.metricTree.isLeaf(i) && r.metricTree.root(i) === r.metricTree.roots[0] && r.metrics[i]!.advice && (r.totals.incl[i] ?? 0) > 0);
  const best = leaves.sort((a, b) => r.totals.incl[b]! - r.totals.incl[a]!)[0];
  return best === undefined ? "Late sender" : r.metrics[best]!.title;
}
