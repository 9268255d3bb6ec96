// The text of CubePL expressions in pieces, for show. What they mean is the server's business.

export type Token = { kind: "comment" | "string" | "number" | "word" | "metric" | "variable" | "mark"; text: string; metric?: string };

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

export const tight = new Set(["(", "["]); // nothing stands behind them
export const close = new Set([")", "]", ",", ";"]); // nothing stands before them

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
    if (line.length === 1 && line[0]!.text === "}" && ![";", "else", "elseif", ")"].includes(t.text)) end();
    line.push(t);
    if (t.text === "{" || t.text === "<<") {
      end();
      indent++;
    } else if (t.text === ";" || t.kind === "comment") end();
  }
  end();
  return out;
}

export const keywords = new Set(["if", "elseif", "else", "while", "return", "and", "or", "xor", "not", "local", "global", "true", "false", "eq", "seq", "defined", "sizeof"]);
