/**
 * Markers that end a turn. A model that was not trained on its template writes them as ordinary text, and then plays on
 * with the next turn of the person: what stands before the first of them is its answer.
 */
import { END_TOKENS } from '../../dialects/engine/grammar.ts';

export const END_MARKERS: readonly string[] = [...END_TOKENS, '<|im_start|>'];

/** These are also words of HTML, which a model may well write. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['</s>', '<eos>']);

/** A template with channels ends each part of an answer, thoughts before words, with what elsewhere ends the turn. */
const CHANNEL = '<|channel|>';

/** Those of a model's own template: another one's marker is something that the model speaks of. */
export const endMarkersOf = (template: string | undefined): string[] =>
  template === undefined || template.includes(CHANNEL)
    ? []
    : END_MARKERS.filter((marker) => !AMBIGUOUS.has(marker) && template.includes(marker));
