// Sets of nodes as short text for the address. A node is counted among those that can be in the set at all, so that all of them are one
// run. Written are the distances between members in base 36, runs as distance-length.

const written = new WeakMap<ReadonlySet<number>, string>(); // sets are never changed, and asked for with every step

// encodeSet writes a set of which all members are in `all`, which ascends.
export function encodeSet(set: ReadonlySet<number>, all: number[]): string {
  const known = written.get(set);
  if (known !== undefined) return known;
  const parts: string[] = [];
  let last = -1;
  for (let i = 0; i < all.length; i++) {
    if (!set.has(all[i]!)) continue;
    const first = i;
    while (i + 1 < all.length && set.has(all[i + 1]!)) i++;
    const distance = (first - last).toString(36);
    parts.push(i > first ? `${distance}-${(i - first + 1).toString(36)}` : distance);
    last = i;
  }
  const text = parts.join(".");
  written.set(set, text);
  return text;
}

// decodeSet reads what encodeSet wrote. What lies outside of `all`, and whatever follows something unreadable, is left out.
export function decodeSet(text: string, all: number[]): Set<number> {
  const set = new Set<number>();
  let last = -1;
  for (const part of text.split(".")) {
    const [distance = NaN, run = 1] = part.split("-").map((s) => parseInt(s, 36));
    if (!(distance > 0) || !(run > 0)) break;
    for (let i = last + distance; i < Math.min(last + distance + run, all.length); i++) set.add(all[i]!);
    last += distance + run - 1;
  }
  return set;
}
