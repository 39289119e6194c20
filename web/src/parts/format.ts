/** Numbers the way a person reads them. */

/** `1 file`, `2 files`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** Of what goes on: tenths would flicker. */
export const wholeSeconds = (seconds: number): string =>
  seconds < 60 ? `${Math.round(seconds)} s` : duration(seconds * 1_000);

export const bytes = (count: number): string => {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)} kB`;
  if (count < 1_000_000_000) return `${(count / 1_000_000).toFixed(count < 10_000_000 ? 1 : 0)} MB`;
  return `${(count / 1_000_000_000).toFixed(1)} GB`;
};

export const tokens = (count: number): string =>
  count < 1_000 ? `${count}` : `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)}k`;

/** Sentences from the beginning that have room together; a first one that has none is cut at a word. */
export const wholeSentences = (text: string, characters: number): string => {
  const sentences = text.split(/(?<=[.!?])\s+(?=[A-Z`])/);
  let taken = sentences[0] ?? '';
  for (const sentence of sentences.slice(1)) {
    if (taken.length + 1 + sentence.length > characters) break;
    taken = `${taken} ${sentence}`;
  }
  if (taken.length <= characters) return taken;
  const cut = taken.slice(0, characters);
  return `${cut.slice(0, cut.includes(' ') ? cut.lastIndexOf(' ') : undefined).toWellFormed()} …`;
};

export const percent = (share: number): string => `${Math.round(Math.min(1, Math.max(0, share)) * 100)} %`;

const DAY_MS = 86_400_000;
/** When something was last of use, as short as a list needs it. */
export const ago = (then: number, now: number): string => {
  const ms = Math.max(0, now - then);
  if (ms < 60_000) return 'now';
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / 3_600_000)} h`;
  if (ms < 30 * DAY_MS) return `${Math.floor(ms / DAY_MS)} d`;
  return new Date(then).toLocaleDateString();
};
