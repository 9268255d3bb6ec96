// Sums of values of which not all is certain.
import type { Range, Value } from "./api";

// sumOf adds values, and what they lie in. Of the sum nothing is certain if of no part anything is.
export function sumOf(parts: [Value | undefined, Range | undefined][]): [Value, Range] {
  if (parts.some(([v, range]) => v == null && !range)) return [null, null];
  const v = parts.reduce((sum, [v]) => sum + (v ?? 0), 0);
  if (!parts.some(([, range]) => range)) return [v, null];
  const end = (i: 0 | 1) => parts.reduce((sum, [v, range]) => sum + (range ? range[i] : v!), 0);
  return [v === 0 ? null : v, [end(0), end(1)]];
}
