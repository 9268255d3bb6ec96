// A linear axis: where the marks stand and how they are written; how a window moves over it.

export type Range = [begin: number, end: number];

// step returns the distance of marks, 1, 2 or 5 times a power of ten, so that there are at most so many.
export function step(length: number, most: number): number {
  const least = length / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((f) => f * power >= least * 0.999999)!;
  return factor * power;
}

// marks returns the places of marks within a range.
export function marks([begin, end]: Range, distance: number): number[] {
  const list: number[] = [];
  const first = Math.ceil(begin / distance - 1e-9) + 0; // not −0
  for (let i = first; i * distance <= end + distance * 1e-9 && list.length < 1000; i++) list.push(i * distance);
  return list;
}

const units: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

// Clock writes times of an axis, in ns. Where the marks are much closer to each other than to 0, they are written as distances from one
// place, `base`, which is named once.
export interface Clock {
  base: number;
  text: (t: number) => string;
}

export function clock([begin, end]: Range, distance: number): Clock {
  const far = Math.max(Math.abs(begin), Math.abs(end));
  const base = far / distance > 1e5 ? Math.floor(begin / (distance * 10)) * distance * 10 : 0;
  const [factor, unit] = units.find(([f]) => (base ? end - base : far) >= f) ?? units[3]!;
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(distance / factor) - 1e-9)));
  return { base, text: (t) => (base && t > base ? "+" : "") + ((t - base) / factor).toFixed(digits) + "\u202f" + unit };
}

// moment writes a time since the start with so many digits that it can be told from others so far away.
export function moment(t: number, length: number): string {
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(Math.max(1, length) / 1e9)) + 2));
  return (t / 1e9).toFixed(digits) + "\u202fs";
}

export const shortest = 20; // ns that a window shows at least

// pan moves a window, zoom widens it (factor > 1) or narrows it about a place; both stay within the whole.
export function pan([begin, end]: Range, by: number, whole: Range): Range {
  const d = Math.min(Math.max(by, whole[0] - begin), whole[1] - end);
  return Number.isFinite(d) ? [begin + d, end + d] : [begin, end];
}

export function zoom([begin, end]: Range, factor: number, about: number, whole: Range): Range {
  const length = Math.min(whole[1] - whole[0], Math.max(shortest, (end - begin) * factor));
  const at = (about - begin) / (end - begin);
  return within([about - at * length, about + (1 - at) * length], whole);
}

// within moves a window into the whole, and cuts it if it is longer.
export function within([begin, end]: Range, whole: Range): Range {
  const length = Math.min(Math.max(end - begin, shortest), whole[1] - whole[0]);
  const b = Math.min(Math.max(begin, whole[0]), whole[1] - length);
  return [b, b + length];
}
