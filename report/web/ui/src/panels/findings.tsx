// The first page: where the time went, what waits where for whom, why, and what to do about it.
import { useState } from "preact/hooks";
import { ask, type Finding, type Findings as Answers, type Property, requests, type Stats } from "../api";
import { percent, value } from "../format";
import { Icon } from "../icons";
import { getReport, reveal, setState, useAnswer } from "../state";
import { Differences } from "./differences";
import { EfficiencyList } from "./efficiency";
import { CallPath, Meter, Nothing, Pending, Prose, Resource, Section } from "./parts";
import { RequestTable } from "./requests";
import { type Part, partsOfTime } from "./shares";

const atOnce = 8; // findings shown before one asks for more

export function Findings() {
  const answer = useAnswer<Answers>(requests.findings());
  const f = answer.data;
  if (!f) return <Pending answer={answer} />;
  const efficient = !getReport().difference && f.efficiency.some((e) => e.value !== null);
  const notes = f.notes ?? [];
  const aside = efficient || f.warnings.length > 0 || notes.length > 0;
  return (
    <div class={"findings-page" + (aside ? " with-aside" : "")}>
      <div class="main">
        <Lead lines={f.lead} />
        {f.requests && <RequestTable requests={f.requests} />}
        {!getReport().difference && <WhereTimeWent />}
        {f.ready && <Lacking ready={f.ready} />}
        <NeverEnded waits={f.neverEnded} />
        {f.differences.length > 0 && <Differences list={f.differences} />}
        {getReport().difference ? null : <Ranked findings={f.findings} />}
        {f.idle && <p class="remark idle">{f.idle}</p>}
        {f.criticalPath && <CriticalPath path={f.criticalPath} />}
        {f.properties && f.properties.length > 0 && <Properties list={f.properties} />}
      </div>
      {aside && (
        <aside aria-label="About the run">
          {f.warnings.length > 0 && <Warnings list={f.warnings} />}
          {notes.length > 0 && <Notes list={notes} />}
          {efficient && (
            <Section title="Efficiency" more={<button type="button" class="link quiet" onClick={() => setState({ view: "efficiency" })}>What is this?</button>}>
              <EfficiencyList list={f.efficiency} brief />
            </Section>
          )}
        </aside>
      )}
    </div>
  );
}

function Lead({ lines }: { lines: string[] }) {
  const [first, ...rest] = lines;
  if (first === undefined) return null;
  return (
    <header class="lead">
      <h2 class="first">{first}</h2>
      {rest.map((line) => <p>{line}</p>)}
    </header>
  );
}

// WhereTimeWent is a bar of the parts of all time, with a legend.
function WhereTimeWent() {
  const r = getReport();
  const { root, total, parts } = partsOfTime(r);
  if (root < 0 || parts.length < 2) return null;
  const { unit } = r.metrics[root]!;
  const legendOf = (p: Part) => (
    <>
      <span class={"swatch " + p.tone} aria-hidden="true" />
      <span class="what">{p.title}</span>
      <b>{percent(p.value / total)}{"\u202f"}%</b>
      <span class="amount">{value(p.value, unit)}</span>
    </>
  );
  return (
    <Section title="Where the time went" more={<span class="remark">{value(total, unit)} on all {r.kind === "expert" ? "goroutines" : "processes and threads"} together</span>}>
      <div class="stack" aria-hidden="true">
        {parts.map((p) => <span class={p.tone} style={{ flexGrow: p.value / total }} title={`${p.title} ${percent(p.value / total)} %`} />)}
      </div>
      <ul class="legend-list">
        {parts.map((p) => (
          <li>
            {p.metric < 0 ? <span title={p.hint}>{legendOf(p)}</span> : <button type="button" title={`${p.hint}\nShow in the trees`} onClick={() => reveal(p.metric, -1)}>{legendOf(p)}</button>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

// Lacking says that goroutines were ready to run and processors were lacking, which makes all waiting longer.
function Lacking({ ready }: { ready: { text: string; advice: string } }) {
  return (
    <section class="part notice lacking">
      <header><Icon name="warning" /><h2>Too few processors</h2></header>
      <p>{ready.text}</p>
      <p>{ready.advice}</p>
    </section>
  );
}

// tones are the colours of what goroutines did on the critical path; of the rest, the first that is left.
const tones: [RegExp, string][] = [[/^(execution|running)/, "work"], [/^ready/, "running running-0"], [/^asleep/, "running running-1"], [/^not recorded/, "other"], [/others$/, "wait wait-0"]];

// CriticalPath says what the critical path consists of, and what was counted on it.
function CriticalPath({ path }: { path: NonNullable<Answers["criticalPath"]> }) {
  const tone = (what: string) => tones.find(([pattern]) => pattern.test(what))?.[1] ?? "wait wait-1";
  return (
    <Section title="The critical path" more={<span class="remark">the {value(path.length, "ns")} that determine the run time</span>}>
      <div class="stack thin" aria-hidden="true">
        {path.parts.map((p) => <span class={tone(p.what)} style={{ flexGrow: p.time / path.length }} />)}
      </div>
      <ul class="legend-list plain">
        {path.parts.map((p) => (
          <li>
            <span>
              <span class={"swatch " + tone(p.what)} aria-hidden="true" />
              <span class="what">{p.what}</span>
              <b>{percent(p.time / path.length)}{"\u202f"}%</b>
              <span class="amount">{value(p.time, "ns")}</span>
            </span>
          </li>
        ))}
      </ul>
      {path.byTime && <p class="remark">{path.byTime}.</p>}
      {path.counted && <p class="counted">Counted on it: {path.counted}.</p>}
    </Section>
  );
}

function NeverEnded({ waits }: { waits: Answers["neverEnded"] }) {
  if (waits.length === 0) return null;
  return (
    <section class="part alarm">
      <header><Icon name="warning" /><h2>Still waiting when the trace ended</h2></header>
      <ul>
        {waits.map((w) => (
          <li>
            {w.text}
            {w.path >= 0 && <span class="at">waiting in <CallPath path={w.path} /></span>}
            {w.holder >= 0 && <span class="at">held in <CallPath path={w.holder} /></span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Warnings({ list }: { list: string[] }) {
  return (
    <section class="part notice">
      <header><Icon name="warning" /><h2>Warnings</h2></header>
      <ul>{list.map((w) => <li>{w}</li>)}</ul>
    </section>
  );
}

function Ranked({ findings }: { findings: Finding[] }) {
  const [all, setAll] = useState(false);
  if (findings.length === 0) {
    return (
      <Section title="Wait states">
        <Nothing title="No wait states were found">{getReport().kind === "cube" ? "The tool that made this report does not search for wait states. The trees show what the report contains." : "No wait was long enough to matter."}</Nothing>
      </Section>
    );
  }
  const shown = all ? findings : findings.slice(0, atOnce);
  return (
    <Section title="Wait states" more={<span class="remark">ranked by cost</span>}>
      <ol class="cards">
        {shown.map((f, i) => <Card f={f} n={i + 1} same={findings.findIndex((g) => g.advice === f.advice) + 1} />)}
      </ol>
      {shown.length < findings.length && <button type="button" class="text more" onClick={() => setAll(true)}>Show all {findings.length}</button>}
    </Section>
  );
}

// weight is how long the bar of a finding is: its share of the critical path if it is known, else of the time.
const weight = (f: Finding): number => f.onPath || f.share;

function Card({ f, n, same }: { f: Finding; n: number; same: number }) {
  const r = getReport();
  const metric = r.metricByName.get(f.metric) ?? -1;
  const unit = r.metrics[metric]?.unit ?? "";
  const critical = f.onPath;
  return (
    <li class="card" id={`finding-${n}`}>
      <span class="rank" aria-hidden="true">{n}</span>
      <div class="head">
        <h3>{f.title}</h3>
        <p class="how-much">
          <b>{value(f.severity, unit)}{f.noise !== null && <span class="remark" title="Half the width of the 95 % confidence interval of the mean"> ± {value(f.noise, unit)}</span>}</b>
          {critical > 0 && <span>{percent(critical)}{"\u202f"}% of the critical path</span>}
          {f.share > 0 && <span>{percent(f.share)}{"\u202f"}% of all time</span>}
        </p>
      </div>
      <Meter share={weight(f)} />
      {f.text && <p class="what-happened">{f.text}</p>}
      <dl>
        {f.problem && <><dt>Known as</dt><dd>{f.problem.title} <span class="remark">{f.problem.name}</span></dd></>}
        {f.path >= 0 && <><dt>Where</dt><dd>{f.lines.length > 1 ? <Places f={f} metric={metric} unit={unit} /> : <CallPath path={f.path} metric={metric} />}</dd></>}
        {!f.text && f.waiters.length > 0 && <><dt>Who</dt><dd>{f.waiters.slice(0, 8).map((w) => <span class="who"><Resource resource={w.resource} name={w.name} /> <span class="remark">{value(w.severity, unit)}</span></span>)}</dd></>}
        {f.causers.length > 0 && <><dt>Caused by</dt><dd><Causers f={f} /></dd></>}
        {f.meanwhile.length > 0 && <><dt title="What the causers did while others waited for them">Meanwhile</dt><dd><Meanwhile f={f} /></dd></>}
        {f.counted && <><dt title="By the causers, while the critical path was on them">Counted</dt><dd class="counted">{f.counted}</dd></>}
        {f.advice && <><dt>What to do</dt><dd class="advice">{same < n ? <button type="button" class="link" onClick={() => document.getElementById(`finding-${same}`)?.scrollIntoView({ block: "center" })}>same as for {same}</button> : <Prose text={f.advice} />}</dd></>}
      </dl>
      <div class="buttons">
        <button type="button" class="text" onClick={() => reveal(metric, f.path)}>Show in the trees</button>
        {f.instances > 0 && (r.features.timeline || r.features.stats) && <button type="button" class="text" onClick={() => showInstance(metric, f.path)}>Show on the timeline</button>}
      </div>
    </li>
  );
}

function Notes({ list }: { list: string[] }) {
  return (
    <section class="part">
      <header><h2>Not derived</h2></header>
      <p class="remark">These metrics need counters that were not measured.</p>
      <ul class="notes-list">{list.map((w) => <li>{w}</li>)}</ul>
    </section>
  );
}

// Properties are what the counters say: numbers of events, which are no time.
function Properties({ list }: { list: Property[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? list : list.slice(0, atOnce);
  return (
    <Section title="What the counters say" more={<span class="remark">ranked by number of events; events are not time</span>}>
      <ol class="cards properties">
        {shown.map((p, i) => <PropertyCard p={p} n={i + 1} same={list.findIndex((q) => q.advice === p.advice) + 1} />)}
      </ol>
      {shown.length < list.length && <button type="button" class="text more" onClick={() => setAll(true)}>Show all {list.length}</button>}
    </Section>
  );
}

function PropertyCard({ p, n, same }: { p: Property; n: number; same: number }) {
  const metric = getReport().metricByName.get(p.metric) ?? -1;
  return (
    <li class="card" id={`property-${n}`}>
      <span class="rank" aria-hidden="true">{n}</span>
      <div class="head">
        <h3>{p.title}</h3>
        <p class="how-much"><b>{value(p.part, "events")}</b><span>events</span></p>
      </div>
      <p class="what-happened">{p.text}</p>
      <dl>
        <dt>Where</dt><dd><CallPath path={p.path} metric={metric} /></dd>
        {p.advice && <><dt>What to do</dt><dd class="advice">{same < n ? <button type="button" class="link" onClick={() => document.getElementById(`property-${same}`)?.scrollIntoView({ block: "center" })}>same as for {same}</button> : <Prose text={p.advice} />}</dd></>}
      </dl>
      <div class="buttons"><button type="button" class="text" onClick={() => reveal(metric, p.path)}>Show in the trees</button></div>
    </li>
  );
}

function Causers({ f }: { f: Finding }) {
  return (
    <ul class="bars">
      {f.causers.slice(0, 5).map((c) => (
        <li>
          <Meter share={c.share} tone="cause" />
          <span class="number">{percent(c.share)}{"\u202f"}%</span>
          <span><Resource resource={c.resource} name={c.name} />{c.path >= 0 && <> in <CallPath path={c.path} whole={false} /></>}</span>
        </li>
      ))}
    </ul>
  );
}

const mostPlaces = 4; // shown before one asks for more

// Places lists where the waiting of a finding was.
function Places({ f, metric, unit }: { f: Finding; metric: number; unit: string }) {
  const [all, setAll] = useState(false);
  const shown = all || f.lines.length <= mostPlaces + 1 ? f.lines : f.lines.slice(0, mostPlaces);
  return (
    <>
      <ul class="bars places">
        {shown.map((l) => (
          <li>
            <Meter share={l.severity / f.severity} />
            <span class="number">{value(l.severity, unit)}</span>
            <CallPath path={l.path} metric={metric} />
          </li>
        ))}
      </ul>
      {shown.length < f.lines.length && <button type="button" class="link quiet" onClick={() => setAll(true)}>{f.lines.length - shown.length} more places</button>}
    </>
  );
}

// Meanwhile lists what the causers did while others waited for them.
function Meanwhile({ f }: { f: Finding }) {
  return (
    <>
      <p class="remark">Of the {value(f.awaited, "ns")} that they were waited for</p>
      <ul class="bars">
        {f.meanwhile.map((m) => (
          <li>
            <Meter share={m.share} tone={m.path < 0 ? "other" : m.what ? "wait" : "work"} />
            <span class="number">{percent(m.share)}{"\u202f"}%</span>
            <span class="doing">
              {m.path >= 0 && <CallPath path={m.path} />}
              {m.what && <span class="what">{m.what}</span>}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

// showInstance shows the worst instance of a wait state at a call path on the timeline.
export async function showInstance(metric: number, path: number): Promise<void> {
  const stats = await ask<Stats | null>(requests.stats(metric)).catch(() => null);
  const instance = Math.max(0, stats?.instances.findIndex((i) => i.path === path) ?? 0);
  setState({ view: "timeline", metric, path: path >= 0 ? path : 0, instance, window: null, rows: [] });
}
