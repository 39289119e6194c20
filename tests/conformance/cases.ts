/** Vectors of the shared suite, where it lies beside the repository, and cases of our own corpus. One form for both. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Vector } from '../../conformance/vectors.ts';
import { createParser, type ParseResult, type ParserEvent } from '../../src/dialects/index.ts';

export type Case = Vector & { tags: string[] };

const ROOT = new URL('../..', import.meta.url).pathname;
/** Beside the repository, as `AGENTS.md` and the issues name it. */
const SHARED = join(ROOT, '..', 'shared', 'conformance', 'vectors');
const CORPUS = join(ROOT, 'tests', 'corpus');

const readCases = (file: string): Case[] => JSON.parse(readFileSync(file, 'utf8')) as Case[];

export const sharedVectors = (): Case[] =>
  existsSync(SHARED)
    ? readdirSync(SHARED)
        .filter((name) => name.endsWith('.json'))
        .flatMap((name) => readCases(join(SHARED, name)))
    : [];

export const ownCorpus = (): Case[] =>
  existsSync(CORPUS) ? readdirSync(CORPUS).flatMap((name) => readCases(join(CORPUS, name, 'cases.json'))) : [];

export type Outcome = { result: ParseResult; events: ParserEvent[] };

export const run = (
  { text, tools, startInReasoning }: Pick<Case, 'text' | 'tools' | 'startInReasoning'>,
  dialect: string,
  pieces: readonly string[] = [text],
): Outcome => {
  const parser = createParser({
    dialect,
    ...(tools === undefined ? {} : { tools }),
    ...(startInReasoning === undefined ? {} : { startInReasoning }),
  });
  const events = pieces.flatMap((piece) => parser.push(piece));
  const end = parser.end();
  return { result: end.result, events: [...events, ...end.events] };
};

export const inPiecesOf = (size: number, text: string): string[] => {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
};

export const cutAt = (text: string, cuts: readonly number[]): string[] => {
  const places = [0, ...[...cuts].sort((left, right) => left - right), text.length];
  return places.slice(1).map((end, i) => text.slice(places[i], end));
};

/** White space counts as one blank, and none at the ends. */
export const normal = (text: string | null): string => (text ?? '').replaceAll(/\s+/g, ' ').trim();

const equal = (left: unknown, right: unknown): boolean => {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) =>
        Object.hasOwn(right, key) &&
        equal((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
    )
  );
};

/** What is wrong with a result, by the rules of the suite's README; empty where it is right. */
export const faults = ({ result }: Outcome, { expected, judge }: Case): string[] => {
  const wrong: string[] = [];
  const calls = result.calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
  const right =
    calls.length === expected.calls.length &&
    expected.calls.every((want, i) => {
      const got = calls[i];
      return (
        got?.name === want.name && equal(got.arguments, want.arguments) && (want.id === undefined || got.id === want.id)
      );
    });
  if (!right) wrong.push(`calls: ${JSON.stringify(calls)}`);
  if (result.truncated !== (expected.truncated === true)) wrong.push(`truncated: ${result.truncated}`);
  if (expected.truncated === true || judge === 'calls') return wrong;
  if (normal(result.content) !== normal(expected.content)) wrong.push(`content: ${JSON.stringify(result.content)}`);
  if (normal(result.reasoning) !== normal(expected.reasoning)) {
    wrong.push(`reasoning: ${JSON.stringify(result.reasoning)}`);
  }
  return wrong;
};

/** The events, put together, say the same as the result. */
export const eventFaults = ({ result, events }: Outcome): string[] => {
  const wrong: string[] = [];
  const joined = (type: 'text' | 'reasoning'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  if (joined('text') !== result.content) wrong.push('the text events are not the content');
  if (joined('reasoning') !== result.reasoning) wrong.push('the reasoning events are not the reasoning');
  const ended = events.flatMap((event) => (event.type === 'call_end' && event.call !== undefined ? [event] : []));
  if (ended.length !== result.calls.length) wrong.push('the calls that ended are not the calls');
  for (const { index, call } of ended) {
    const text = events.map((e) => (e.type === 'call_arguments' && e.index === index ? e.delta : '')).join('');
    if (text !== call.argumentsText) wrong.push(`the deltas of ${call.name} are not its arguments`);
    if (!equal(JSON.parse(text), call.arguments)) wrong.push(`the text of ${call.name} is not its arguments`);
  }
  return wrong;
};

/** Everything of a result that must not depend on where the text was cut. */
export const fingerprint = ({ result }: Outcome): string => JSON.stringify(result);
