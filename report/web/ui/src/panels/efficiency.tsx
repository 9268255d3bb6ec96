// Parallel efficiencies: what share of the resources did useful work, and what the rest was lost to.
import type { Efficiency as Item, Findings as Answers } from "../api";
import { requests } from "../api";
import { percent } from "../format";
import { getReport, useAnswer } from "../state";
import { Nothing, Pending, Prose } from "./parts";

// Efficiency is the page of its own, with formulas and meanings.
export function Efficiency() {
  const answer = useAnswer<Answers>(requests.findings());
  if (!answer.data) return <Pending answer={answer} />;
  const list = answer.data.efficiency;
  if (getReport().difference) return <Nothing title="A difference has no efficiencies">Efficiencies are ratios of one run. Open the two reports that were compared.</Nothing>;
  if (list.length === 0) return <Nothing title="There are no efficiencies">Efficiencies need the time of each process or thread, and the part of it spent computing. This report does not have these.</Nothing>;
  const reasons = new Set(list.map((e) => (e.value === null ? e.why : "")));
  const same = reasons.size === 1 ? list[0]!.why : "";
  return (
    <div class="efficiency-page">
      <header class="lead">
        <h2 class="first">How well the run used its processors</h2>
        <p>
          The efficiency of a parallel program is the share of its processors' time that did useful work. It is a product of factors, one for each kind of
          loss. Work on the smallest factor first. This is the model of the POP centre of excellence.
        </p>
      </header>
      {same && <p class="part notice">Efficiencies do not apply here: {same}.</p>}
      <EfficiencyList list={list} />
    </div>
  );
}

// From these values on an efficiency is usually taken as good, or as worth a look.
const good = 0.9;
const fair = 0.75;

// factors shows how deep in the product of factors an efficiency stands.
const factors: Record<string, number> = { "load balance": 1, "communication efficiency": 1, "serialisation efficiency": 2, "transfer efficiency": 2 };

export function EfficiencyList({ list, brief }: { list: Item[]; brief?: boolean }) {
  const reasons = new Set(list.map((e) => e.why)).size;
  const shown = brief ? list.filter((e) => e.value !== null) : list;
  return (
    <ul class={"efficiencies" + (brief ? " brief" : "")}>
      {shown.map((e) => (
        <li title={brief ? e.meaning : undefined} class={`level-${factors[e.name] ?? 0}${e.value === null ? " missing" : ""}`}>
          <div class="head">
            <h3>{e.name}</h3>
            {e.value === null ? <span class="remark">does not apply</span> : <b>{percent(e.value)}{"\u202f"}%</b>}
          </div>
          {e.value !== null && <Gauge value={e.value} />}
          {!brief && <Prose text={e.meaning} />}
          {!brief && e.value === null && e.why && reasons > 1 && <p class="prose">It does not apply: {e.why}.</p>}
          {!brief && e.formula && <p class="formula"><code>{e.formula}</code></p>}
        </li>
      ))}
    </ul>
  );
}

function Gauge({ value }: { value: number }) {
  const tone = value >= good ? "good" : value >= fair ? "fair" : "poor";
  return (
    <span class={"meter gauge " + tone} aria-hidden="true">
      <span style={{ width: Math.min(1, Math.max(0, value)) * 100 + "%" }} />
    </span>
  );
}
