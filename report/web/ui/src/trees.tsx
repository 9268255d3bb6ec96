// The three linked columns: what is selected in one decides what those to its right show.
import { CallColumn, MetricColumn, SystemColumn } from "./columns";
import { Details } from "./panels";
import { Splitter } from "./splitter";
import { type ColumnName, getInitial, getState, setState, type State, useStore } from "./state";

export const columnNames: ColumnName[] = ["metric", "call", "system"];

export function Trees({ narrow }: { narrow: boolean }) {
  const front = useStore((s) => s.front);
  const widths = useStore((s) => s.widths);
  const details = useStore((s) => s.details);
  const height = useStore((s) => s.height);
  if (narrow) {
    return (
      <div class="trees narrow">
        {front === "metric" && <MetricColumn />}
        {front === "call" && <CallColumn />}
        {front === "system" && <SystemColumn />}
        {front === "details" && <><h2 class="visually-hidden">Details</h2><Details /></>}
      </div>
    );
  }
  // Moving one border leaves the other one where it is.
  const move = (border: 0 | 1, by: number) => {
    const w = [...getState().widths] as State["widths"];
    const sum = w[0] + w[1] + w[2];
    const d = Math.min(w[border + 1]! - 0.12 * sum, Math.max(0.12 * sum - w[border]!, by * sum));
    w[border]! += d;
    w[border + 1]! -= d;
    setState({ widths: w });
  };
  const resetWidths = () => setState({ widths: getInitial().widths });
  const sum = widths[0] + widths[1] + widths[2];
  const first = widths[0] / sum;
  const second = (widths[0] + widths[1]) / sum;
  return (
    <div class="trees" style={{ gridTemplateRows: details ? `minmax(0, ${1 - height}fr) 5px minmax(0, ${height}fr)` : "minmax(0, 1fr)" }}>
      <div class="columns" style={{ gridTemplateColumns: widths.map((w) => `minmax(0, ${w}fr)`).join(" 5px ") }}>
        <MetricColumn />
        <Splitter label="Width of the metric column" at={first} move={(by) => move(0, by)} reset={resetWidths} />
        <CallColumn />
        <Splitter label="Width of the call column" at={second} move={(by) => move(1, by)} reset={resetWidths} />
        <SystemColumn />
      </div>
      {details && <Splitter label="Height of the details" across at={1 - height} move={(by) => setState({ height: Math.min(0.8, Math.max(0.1, getState().height - by)) })} reset={() => setState({ height: getInitial().height })} />}
      {details && <Details />}
    </div>
  );
}
