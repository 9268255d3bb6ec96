// An expression of a derived metric, laid out and with the names of metrics as links.
import type { ComponentChildren } from "preact";
import { getReport, reveal } from "../state";
import { close, keywords, lines, tight, type Token } from "./cubepl";

export function Expression({ text }: { text: string }) {
  const parts = text.split(/\n\n(?=[a-z]+: )/);
  return (
    <div class="expressions">
      {parts.map((part) => {
        const [, element, body] = /^(cubepl[a-z]+): ([\s\S]*)$/.exec(part) ?? [null, "", part];
        return (
          <>
            {element && <p class="kind-of">{elementTitle[element] ?? element}</p>}
            <pre class="expression" tabIndex={0}><code>{lines(body!).map(({ indent, tokens }) => <span class="code-line" style={{ paddingLeft: indent * 2 + "ch" }}>{spaced(tokens)}{"\n"}</span>)}</code></pre>
          </>
        );
      })}
    </div>
  );
}

const elementTitle: Record<string, string> = {
  cubeplinit: "Evaluated once, at the beginning",
  cubeplaggr: "Combines two values instead of adding them",
  cubeplaggrplus: "Combines two values instead of adding them",
  cubeplaggrminus: "Combines two values instead of subtracting them",
};

function spaced(list: Token[]): ComponentChildren {
  return list.map((t, i) => {
    const before = list[i - 1];
    const call = t.text === "(" && before && (before.kind === "word" || before.kind === "metric") && !["if", "elseif", "while", "and", "or", "not", "return"].includes(before.text);
    const glue = !before || tight.has(before.text) || close.has(t.text) || call || t.text === "[" || before.text === "::";
    return <>{glue ? "" : " "}{token(t)}</>;
  });
}

function token(t: Token): ComponentChildren {
  if (t.kind === "metric") {
    const r = getReport();
    const i = r.metricByName.get(t.metric!);
    if (i === undefined) return <span class="t-metric" title="not among the metrics shown">{t.text}</span>;
    return <button type="button" class="link t-metric" title={`${r.metrics[i]!.title}\nSelect this metric`} onClick={() => reveal(i, -1)}>{t.text}</button>;
  }
  return <span class={"t-" + (keywords.has(t.text) ? "keyword" : t.kind)}>{t.text}</span>;
}
