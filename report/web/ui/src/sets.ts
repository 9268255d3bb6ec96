// Sets of small numbers as short text for the address: the distances between members in base 36, runs as distance-length.

export function encodeSet(set: ReadonlySet<number>): string {
  const members = [...set].sort((a, b) => a - b);
  const parts: string[] = [];
  let last = -1;
  for (let i = 0; i < members.length; ) {
    let run = 1;
    while (members[i + run] === members[i]! + run) run++;
    const distance = (members[i]! - last).toString(36);
    parts.push(run > 1 ? `${distance}-${run.toString(36)}` : distance);
    last = members[i]! + run - 1;
    i += run;
  }
  return parts.join(".");
}

// decodeSet reads what encodeSet wrote; members of size and above, and whatever follows something unreadable, are left out.
export function decodeSet(text: string, size: number): Set<number> {
  const set = new Set<number>();
  let last = -1;
  for (const part of text.split(".")) {
    const [distance = NaN, run = 1] = part.split("-").map((s) => parseInt(s, 36));
    if (!(distance > 0) || !(run > 0)) break;
    for (let i = 0; i < run; i++) if (last + distance + i < size) set.add(last + distance + i);
      else break;
    last += distance + run - 1;
  }
  return set;
}
