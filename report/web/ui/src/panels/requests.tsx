// The requests that a service answered: their latency, for all together and by name.
import { useState } from "preact/hooks";
import type { RequestRow, Requests } from "../api";
import { figures, grouped, time } from "../format";
import { Section } from "./parts";

const atOnce = 8; // names shown before one asks for more

export function RequestTable({ requests: { rows, names, notes } }: { requests: Requests }) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, 1 + atOnce);
  const left = names - (rows.length - 1);
  return (
    <Section title="Requests" more={<span class="remark">by name; expert requests shows what they are made of</span>}>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Latency of requests">
        <table class="requests">
          <thead><tr><th scope="col">Name</th>{["Requests", "1/s", "p50", "p95", "p99", "Max", "Cut"].map((t) => <th scope="col" class="num" title={titles[t]}>{t}</th>)}</tr></thead>
          <tbody>{shown.map((r) => <Row r={r} />)}</tbody>
        </table>
      </div>
      {shown.length < rows.length && <button type="button" class="text more" onClick={() => setAll(true)}>Show all {grouped(rows.length - 1)}</button>}
      {shown.length === rows.length && left > 0 && <p class="remark">and {grouped(left)} more</p>}
      {notes.map((note) => <p class="note">{note}</p>)}
    </Section>
  );
}

const titles: Record<string, string> = {
  Cut: "Began before the trace, or had not ended with it; not among the others",
  p50: "Half took so long or less", p95: "95 in 100 took so long or less", p99: "99 in 100 took so long or less",
};

function Row({ r }: { r: RequestRow }) {
  const latency = (ns: number) => <td class="num">{ns < 0 ? "–" : time(ns / 1e9)}</td>;
  return (
    <tr>
      <td class="name">{r.name}</td>
      <td class="num">{grouped(r.count)}</td>
      <td class="num">{r.rate < 999.5 ? figures(r.rate) : grouped(Math.round(r.rate))}</td>
      {latency(r.p50)}{latency(r.p95)}{latency(r.p99)}{latency(r.max)}
      <td class="num">{grouped(r.cut)}</td>
    </tr>
  );
}
