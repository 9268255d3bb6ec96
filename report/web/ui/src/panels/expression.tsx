// An expression of a derived metric, laid out and with the names of metrics as links.
import type { ComponentChildren } from "preact";
import { getReport, reveal } from "../state";

type Token = { kind: "comment" | "string" | "number" | "word" | "metric" | "variable" | "mark"; text: string; metric?: string };

const grammar = /\/\/[^\n]*|"(?:\\.|[^"\\])*"|metric::[A-Za-z0-9_:=.]+|cube::[A-Za-z0-9_:#]+|\$\{[^}]*\}|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|[A-Za-z_][A-Za-z0-9_]*|<<|>>|==|!=|<=|>=|=~|\S/g;

function tokens(text: string): Token[] {
  return (text.match(grammar) ?? []).map((t) => {
    if (t.startsWith("//")) return { kind: "comment", text: t };
    if (t.startsWith('"')) return { kind: "string", text: t };
    if (t.startsWith("metric::")) return { kind: "metric", text: t, metric: t.replace(/^metric::(?:(?:context|fixed|call)::)?/, "") };
    if (t.startsWith("${")) return { kind: "variable", text: t };
    if (/^[0-9]/.test(t)) return { kind: "number", text: t };
    return { kind: /^[A-Za-z_]/.test(t) ? "word" : "mark", text: t };
  });
}

const tight = new Set(["(", "["]); // nothing stands behind them
const close = new Set([")", "]", ",", ";"]); // nothing stands before them

// lines breaks after statements and around braces.
export function lines(text: string): { indent: number; tokens: Token[] }[] {
  const out: { indent: number; tokens: Token[] }[] = [];
  let line: Token[] = [];
  let indent = 0;
  const end = () => {
    if (line.length > 0) out.push({ indent, tokens: line });
    line = [];
  };
  for (const t of tokens(text)) {
    if (t.text === "}" || t.text === ">>") {
      end();
      indent = Math.max(0, indent - 1);
      line.push(t);
      continue;
    }
    if (line[0]?.text === "}" && ![";", "else", "elseif", ")"].includes(t.text)) end();
    line.push(t);
    if (t.text === "{" || t.text === "<<") {
      end();
      indent++;
    } else if (t.text === ";" || t.kind === "comment") end();
  }
  end();
  return out;
}

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
  cubeplinit: "Once, at the beginning",
  cubeplaggr: "Combines two values in place of adding",
  cubeplaggrplus: "Combines two values in place of adding",
  cubeplaggrminus: "Combines two values in place of subtracting",
};

function spaced(list: Token[]): ComponentChildren {
  return list.map((t, i) => {
    const before = list[i - 1];
    const call = t.text === "(" && before && (before.kind === "word" || before.kind === "metric") && !["if", "elseif", "while", "and", "or", "not", "return"].includes(before.text);
    const glue = !before || tight.has(before.text) || close.has(t.text) || call || t.text === "[" || before.text === "::";
    return <>{glue ? "" : " "}{token(t)}</>;
  });
}

const keywords = new Set(["if", "elseif", "else", "while", "return", "and", "or", "xor", "not", "local", "global", "true", "false", "eq", "seq", "defined", "sizeof"]);

function token(t: Token): ComponentChildren {
  if (t.kind === "metric") {
    const r = getReport();
    const i = r.metricByName.get(t.metric!);
    if (i === undefined) return <span class="t-metric" title="not among the metrics shown">{t.text}</span>;
    return <button type="button" class="link t-metric" title={`${r.metrics[i]!.title}\nSelect this metric`} onClick={() => reveal(i, -1)}>{t.text}</button>;
  }
  return <span class={"t-" + (keywords.has(t.text) ? "keyword" : t.kind)}>{t.text}</span>;
}
