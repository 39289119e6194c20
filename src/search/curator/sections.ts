/** Which lines may be shown: within the file, in their order, none twice, not more than there is room for. */
import type { CuratedSection } from '../../core/retrieval-port.ts';

export const linesIn = (sections: readonly CuratedSection[]): number =>
  sections.reduce((sum, { line_start, line_end }) => sum + line_end - line_start + 1, 0);

/** A gap of so few lines is shown rather than named. */
export const SMALL_GAP = 2;

/** Sorted, what overlaps or nearly touches joined. */
export const joined = (sections: readonly CuratedSection[]): CuratedSection[] => {
  const result: CuratedSection[] = [];
  for (const section of [...sections].sort((a, b) => a.line_start - b.line_start)) {
    const last = result.at(-1);
    if (last !== undefined && section.line_start <= last.line_end + 1 + SMALL_GAP) {
      last.line_end = Math.max(last.line_end, section.line_end);
      const reasons = [last.reason, section.reason].filter((reason) => reason !== undefined);
      if (reasons.length > 0) last.reason = [...new Set(reasons)].join('; ');
    } else result.push({ ...section });
  }
  return result;
};

const REASON_CHARACTERS = 120;

/**
 * What a model answered, as far as it can be true: whole numbers that name lines of this file. The rest is left out,
 * and what goes beyond `maxLines` too, the last named first.
 */
export const soundSections = (answer: unknown, lineCount: number, maxLines: number): CuratedSection[] => {
  const list = typeof answer === 'object' && answer !== null ? (answer as { sections?: unknown }).sections : undefined;
  if (!Array.isArray(list)) return [];
  const sound: CuratedSection[] = [];
  let room = maxLines;
  for (const entry of list) {
    if (typeof entry !== 'object' || entry === null) continue;
    const { line_start: start, line_end: end, reason } = entry as Record<string, unknown>;
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) continue;
    const from = Math.max(1, start as number);
    const to = Math.min(lineCount, end as number);
    if (from > to || to - from + 1 > room) continue;
    room -= to - from + 1;
    sound.push({
      line_start: from,
      line_end: to,
      ...(typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, REASON_CHARACTERS) } : {}),
    });
  }
  return joined(sound);
};
