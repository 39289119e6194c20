/**
 * Most lines of a stream differ from the one before in nothing but the text of the delta. Once such a line was read in
 * full, the next is recognised by what stands around the text, and costs a comparison instead of a parse. A line
 * is taken only when it must mean the same: what stands around the text is equal, and the text is a JSON string.
 */

/** The text of an event that holds nothing else, and what it is text of. */
export type PlainDelta = { kind: 'text' | 'reasoning' | 'arguments' /** Of the call. */; index: number; text: string };

type Template = { kind: PlainDelta['kind']; index: number; before: string; afterStamp: string; last: string };

const PROBE = 'halter probe';
/** Lines that teach and are then of no use (a field that changes each time) must not cost a second parse for ever. */
const LESSONS_BEFORE_USE = 4;
const USES_A_LESSON = 4;

const closingQuote = (line: string, start: number): number => {
  for (let position = start; position < line.length; position += 1) {
    const character = line.charCodeAt(position);
    if (character === 0x5c) position += 1;
    else if (character === 0x22) return position;
  }
  return -1;
};

/** Cuts out the value of a field that is written `"name":"` or `"name": "`. */
const cutField = (line: string, field: string): { before: string; after: string } | undefined => {
  for (const mark of [`"${field}":"`, `"${field}": "`]) {
    const found = line.indexOf(mark);
    if (found === -1) continue;
    const start = found + mark.length;
    const end = closingQuote(line, start);
    if (end !== -1) return { before: line.slice(0, start), after: line.slice(end) };
  }
  return undefined;
};

const readText = (raw: string): string | undefined => {
  if (!raw.includes('\\') && !raw.includes('"')) return raw;
  try {
    const value: unknown = JSON.parse(`"${raw}"`);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
};

/** A slice and a comparison run at the speed of memory; `startsWith` and `endsWith` cost ten times that in V8. */
const standsAt = (line: string, part: string, position: number): boolean =>
  position >= 0 && line.slice(position, position + part.length) === part;

export type PlainDeltaReader = {
  /** The text, where the line is like one that was learnt. */
  read(line: string): PlainDelta | undefined;
  /** A line that was parsed in full and held a plain delta. */
  learn(line: string, delta: PlainDelta): void;
};

/**
 * `plainDelta` reads an event in full and gives its text when there is nothing else in it. `stampField` is a field that
 * differs in every line and means nothing here (Ollama's `created_at`).
 */
export const createPlainDeltaReader = (
  plainDelta: (event: unknown) => PlainDelta | undefined,
  fields: Readonly<Partial<Record<PlainDelta['kind'], readonly string[]>>>,
  stampField?: string,
): PlainDeltaReader => {
  let template: Template | undefined;
  let lessons = 0;
  let uses = 0;

  const verified = (candidate: Template, stamp: boolean): boolean => {
    const line = stamp
      ? `${candidate.before}${PROBE}${candidate.afterStamp}${PROBE}${candidate.last}`
      : `${candidate.before}${PROBE}${candidate.last}`;
    try {
      const delta = plainDelta(JSON.parse(line));
      return delta?.kind === candidate.kind && delta.index === candidate.index && delta.text === PROBE;
    } catch {
      return false;
    }
  };

  const templateOf = (line: string, { kind, index }: PlainDelta): Template | undefined => {
    for (const field of fields[kind] ?? []) {
      const cut = cutField(line, field);
      if (!cut) continue;
      const stamp = stampField === undefined ? undefined : cutField(cut.before, stampField);
      const candidate = stamp
        ? { kind, index, before: stamp.before, afterStamp: stamp.after, last: cut.after }
        : { kind, index, before: cut.before, afterStamp: '', last: cut.after };
      if (verified(candidate, stamp !== undefined)) return candidate;
    }
    return undefined;
  };

  return {
    read: (line) => {
      if (!template || !standsAt(line, template.before, 0)) return undefined;
      if (!standsAt(line, template.last, line.length - template.last.length)) return undefined;
      let start = template.before.length;
      if (template.afterStamp !== '') {
        const stampEnd = line.indexOf('"', start);
        if (!standsAt(line, template.afterStamp, stampEnd)) return undefined;
        if (line.slice(start, stampEnd).includes('\\')) return undefined;
        start = stampEnd + template.afterStamp.length;
      }
      const end = line.length - template.last.length;
      if (end < start) return undefined;
      const text = readText(line.slice(start, end));
      if (text === undefined) return undefined;
      uses += 1;
      return { kind: template.kind, index: template.index, text };
    },
    learn: (line, delta) => {
      if (lessons >= LESSONS_BEFORE_USE && uses < lessons * USES_A_LESSON) return;
      lessons += 1;
      template = templateOf(line, delta);
    },
  };
};
