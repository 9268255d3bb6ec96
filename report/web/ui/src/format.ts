// Numbers as people read them.

const minus = "\u2212";
const thin = "\u202f"; // narrow no-break space between number and unit

// units of time and the factor to seconds
const seconds: Record<string, number> = { s: 1, sec: 1, seconds: 1, ms: 1e-3, us: 1e-6, "µs": 1e-6, usec: 1e-6, ns: 1e-9, nsec: 1e-9 };
const prefixes: [number, string][] = [
  [1e18, "E"],
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

export const isTime = (unit: string): boolean => unit in seconds;

// figures writes a number with so many significant digits, without exponent where it is readable so.
export function figures(v: number, digits = 3): string {
  if (v === 0) return "0";
  const a = Math.abs(v);
  let s: string;
  if (a >= 1e15 || a < 1e-4) s = a.toExponential(digits - 1).replace("e+", "e");
  else s = a.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(Number(a.toPrecision(digits))))));
  return (v < 0 ? minus : "") + s;
}

// value writes a value with its unit in few characters: 12.3 ms, 4.56 M, 71.2 %. With sign, positive ones get a plus.
export function value(v: number | null | undefined, unit: string, sign = false): string {
  if (v === null || v === undefined || Number.isNaN(v)) return "n/a";
  const text = isTime(unit) ? time(v * seconds[unit]!) : quantity(v, unit);
  return sign && v > 0 ? "+" + text : text;
}

// uncertain writes what a value lies in of which not all is certain, as internal/readable does: ≤7, 40–45, −45 to −33.
export function uncertain([least, most]: [number, number], unit: string, sign = false): string {
  const [low, high] = [value(least, unit, sign), value(most, unit, sign)];
  if (low === high) return low;
  if (least === 0 && !sign) return "≤" + high;
  return low.startsWith(minus) || high.startsWith(minus) || sign ? `${low} to ${high}` : `${low}–${high}`;
}

// time writes seconds in the unit that fits, s being the largest, as internal/readable does: 19,874 s in tables as in sentences.
export function time(s: number): string {
  const a = Math.abs(s);
  if (a === 0) return "0";
  if (a < 999.5e-9) return figures(s * 1e9) + thin + "ns";
  if (a < 999.5e-6) return figures(s * 1e6) + thin + "µs";
  if (a < 0.9995) return figures(s * 1e3) + thin + "ms";
  return (a < 999.5 ? figures(s) : grouped(Math.round(s))) + thin + "s";
}

function quantity(v: number, unit: string): string {
  if (v === 0) return "0";
  const a = Math.abs(v);
  if (unit === "bytes" || unit === "byte" || unit === "B") return scaled(v) + (a < 999.5 ? thin : "") + "B";
  if (unit === "%" || unit === "percent") return figures(v) + thin + "%";
  if (unit.startsWith("share")) return percent(v) + thin + "%"; // a ratio: share of branches
  return scaled(v);
}

function scaled(v: number): string {
  const a = Math.abs(v);
  for (const [factor, prefix] of prefixes) {
    if (a >= factor * 0.9995) return factor === 1e3 && a < 9999.5 && Number.isInteger(v) ? grouped(v) : figures(v / factor) + thin + prefix;
  }
  return Number.isInteger(v) ? (v < 0 ? minus : "") + a : figures(v);
}

// percent writes a share given as 0…1.
export function percent(x: number | null | undefined, sign = false): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return "n/a";
  const p = x * 100;
  const a = Math.abs(p);
  const s = a === 0 ? "0" : a < 0.005 ? "<0.01" : a < 9.995 ? a.toFixed(2) : a < 99.95 ? a.toFixed(1) : a.toFixed(0);
  return (p < 0 ? minus : sign && p > 0 ? "+" : "") + s;
}

// grouped writes a whole number with commas between groups of three digits.
export function grouped(v: number): string {
  return (v < 0 ? minus : "") + String(Math.abs(v)).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

// exact writes all digits and the unit, for titles and details.
export function exact(v: number | null | undefined, unit: string): string {
  if (v === null || v === undefined || Number.isNaN(v)) return "cannot be evaluated";
  const n = Number.isInteger(v) && Math.abs(v) < 1e15 ? grouped(v) : String(v).replace("-", minus);
  return unit && unit !== "occ" ? n + thin + unit : n;
}

// exactly writes what is certain of a value, and what it lies in, null if that is all, with all digits.
export const exactly = (v: number | null | undefined, unit: string, range: [number, number] | null | undefined): string =>
  !range ? exact(v, unit) : `${v == null ? "nothing certain" : exact(v, unit) + " certain"}, from ${exact(range[0], "")} to ${exact(range[1], unit)}`;

// count writes a number of things: count(1, "wait") is "1 wait", count(2, "wait") "2 waits".
export const count = (n: number, thing: string): string => `${grouped(n)} ${thing}${n === 1 ? "" : "s"}`;
