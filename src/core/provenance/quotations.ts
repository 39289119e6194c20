/**
 * Calls that stand in what the model read: a page, a file, what a command printed, the folder's instructions, what servers
 * say of their tools. A model that repeats one may only quote it, and cannot be told from one that obeys it. Pure. Each text
 * is prepared once, when a call is first looked for.
 */
import { escapedPattern } from '../escaped-pattern.ts';
import type { Event, PromptPrefix } from '../events.ts';
import type { JsonObject } from '../json.ts';
import { folderInstructionsIn, INSTRUCTIONS_FILE } from '../project-instructions.ts';
import { type Scalar, scalarsIn } from '../scalars.ts';
import { bringsContent } from '../tool-result.ts';
import type { DescribedTools } from './described.ts';
import { createReader, type Reader } from './encodings.ts';
import type { ArgumentOrigin, ContentSource } from './origin.ts';
import { aboutOf, resultText, shortened } from './shown.ts';
import { folded } from './text-index.ts';

export type Quotation = {
  /** Where the call stands. */
  source: ContentSource;
  /** When it was read, in milliseconds since 1970. */
  at: number;
  origins: ArgumentOrigin[];
};

export type QuotableCall = { name: string; arguments: JsonObject };

/** Between two parts of a call stand only keys and marks of a notation. */
const GAP_CHARACTERS = 80;
/** On each side of the name of a call without arguments. */
const EMPTY_CALL_CHARACTERS = 60;
/** Places of one text that are looked at. One that holds a value more often counts as a text with the call in it. */
const PLACES_MAX = 1_000;
/** Finds the calls of the model itself; what it finds of other texts was read before. */
const SESSION_SEARCH = 'search_session';
const LINE_NUMBER = /^[ \t]*\d+(?::|\||\t|→)[ \t]?/gm;

type Open = { name: string; args: JsonObject; isUntrusted: boolean };
type Entry = { source: ContentSource; at: number; text: string; by?: Open; readings?: readonly string[] };

/** Reads a growing log. */
export class Quotations {
  readonly #read: Entry[] = [];
  readonly #reader: Reader;
  readonly #calls = new Map<string, Open>();
  #described = new Map<string, Entry>();

  constructor(reader: Reader = createReader()) {
    this.#reader = reader;
  }

  add(event: Event): void {
    if (event.type === 'user_message_added') this.#addMessage(event);
    else if (event.type === 'assistant_message_added') {
      for (const { id, name, arguments: args } of event.message.tool_calls)
        this.#calls.set(id, { name, args, isUntrusted: false });
    } else if (event.type === 'policy_evaluated') {
      const call = this.#calls.get(event.tool_call_id);
      if (call === undefined) return;
      call.isUntrusted = event.untrusted_content === true;
      call.args = event.arguments;
    } else if (event.type === 'tool_finished') this.#addResult(event);
    else if (event.type === 'session_started' || event.type === 'prompt_begun') this.#addHead(event.head, event.at);
  }

  /** Whoever made the folder wrote them, whether the person trusts it or not. */
  #addHead(head: PromptPrefix | undefined, at: number): void {
    const text = folderInstructionsIn(head?.system ?? '');
    if (text !== undefined) this.#read.push({ source: { kind: 'own_file', about: INSTRUCTIONS_FILE }, at, text });
  }

  /** What the person wrote is their own word, and what they attached is not. */
  #addMessage({ content, context_note: note, at }: Event & { type: 'user_message_added' }): void {
    if (note !== undefined)
      this.#read.push({ source: { kind: 'own_file', about: 'a note of your program' }, at, text: note });
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type !== 'text' || (part.shown === undefined && !part.untrusted_content)) continue;
      const kind = part.untrusted_content ? 'untrusted' : 'own_file';
      this.#read.push({ source: { kind, about: part.shown }, at, text: part.text });
    }
  }

  #addResult({ tool_call_id: id, result, for_model: shown, at }: Event & { type: 'tool_finished' }): void {
    const by = this.#calls.get(id);
    if (by === undefined || by.name === SESSION_SEARCH || !bringsContent(result)) return;
    const kind = by.isUntrusted ? 'untrusted' : 'own_file';
    const source: ContentSource = { kind, tool_call_id: id, tool: by.name, about: aboutOf(by.args) };
    this.#read.push({ source, at, text: resultText(result, shown), by });
  }

  /**
   * The first text that holds the call, name and arguments, in whatever notation. `weighty`: arguments that count;
   * `tools`: what servers say of theirs now.
   */
  find(call: QuotableCall, weighty: readonly string[], tools: readonly DescribedTools[] = []): Quotation | undefined {
    const parts = partsOf(call, weighty);
    // A result may repeat the call that it is of.
    const holds = (entry: Entry): boolean => !isSameCall(entry.by, call) && this.#readingsOf(entry).some(parts.stand);
    const entry = this.#read.find(holds) ?? this.#entriesOf(tools).find(holds);
    if (entry === undefined) return undefined;
    const { source, at } = entry;
    const origins = parts.leaves.map(({ place, value }) => ({
      argument: place,
      value: shortened(String(value)),
      origin: source.kind,
      source,
    }));
    return { source, at, origins };
  }

  /** They are there before anything is said, so every answer of the session was given after them. */
  #entriesOf(tools: readonly DescribedTools[]): Entry[] {
    const entries = tools.map(({ source, text }) => this.#described.get(text) ?? { source, at: 0, text });
    this.#described = new Map(entries.map((entry) => [entry.text, entry]));
    return entries;
  }

  /** As it stands and decoded, so that escapes and entities of any notation are gone in one of them. */
  #readingsOf(entry: Entry): readonly string[] {
    entry.readings ??= this.#reader(entry.text).map(flat);
    return entry.readings;
  }
}

const isSameCall = (by: Open | undefined, { name, arguments: args }: QuotableCall): boolean =>
  by !== undefined && by.name === name && JSON.stringify(by.args) === JSON.stringify(args);

const flat = (text: string): string => folded(text.replaceAll(LINE_NUMBER, '')).replaceAll(MORE_THAN_A_BLANK, ' ');
/** Runs of blanks; most of them are one blank already. */
const MORE_THAN_A_BLANK = / \s+|[^\S ]\s*/g;

const partsOf = (
  { name, arguments: args }: QuotableCall,
  weighty: readonly string[],
): { leaves: Scalar[]; stand(reading: string): boolean } => {
  const all = weighty.flatMap((key) => scalarsIn(args[key], key));
  const texts = all.filter(({ value }) => typeof value === 'string' && value.trim() !== '');
  const leaves = texts.length > 0 ? texts : all.filter(({ value }) => typeof value !== 'string');
  const written = new RegExp(`(?<![\\w-])${escapedPattern(folded(name))}(?![\\w-])`, 'g');
  const values = leaves.map(({ key, value }) => ({
    key: escapedPattern(folded(key)),
    text: flat(String(value)).trim(),
  }));
  const longest = values.reduce((long, { text }) => (text.length > long.length ? text : long), '');
  const reach = values.reduce((sum, { key, text }) => sum + key.length + text.length + GAP_CHARACTERS, GAP_CHARACTERS);
  if (longest === '') return { leaves: [], stand: (reading) => isCalledEmpty(reading, written) };
  const stand = (reading: string): boolean => {
    let places = 0;
    for (let at = reading.indexOf(longest); at >= 0; at = reading.indexOf(longest, at + longest.length)) {
      places += 1;
      if (places > PLACES_MAX) return true;
      const near = reading.slice(Math.max(0, at - reach), at + longest.length + reach);
      if (values.every((value) => isArgument(near, value)) && isNamed(near, written, longest)) return true;
    }
    return false;
  };
  return { leaves, stand };
};

type Value = { key: string; text: string };

/** The key with the marks of an argument behind it, and the value. */
const isArgument = (near: string, { key, text }: Value): boolean =>
  near.includes(text) && new RegExp(`(?<![\\w-])${key}["'\\\\]{0,4} ?[:=<>"'|]`).test(near);

/** A bracket between the name and the arguments, on whichever side: prose that names a tool has none. */
const isNamed = (near: string, written: RegExp, value: string): boolean => {
  const at = near.indexOf(value);
  for (const { index, 0: name } of near.matchAll(written)) {
    const between = index < at ? near.slice(index + name.length, at) : near.slice(at + value.length, index);
    if (/[{}([<>]/.test(between)) return true;
  }
  return false;
};

/** What stands round a call without arguments in one notation or another. */
const EMPTY_CALL =
  /<[^<>\n]{0,40}(?:tool|call|func|invoke)|tool_call|tool_code|["'](?:arguments|args|parameters|input)["'\\]|\[args\]|action input|functions\.|call tool=|\{ ?\}|\(\)\]/;

const isCalledEmpty = (reading: string, written: RegExp): boolean => {
  for (const { index, 0: name } of reading.matchAll(written)) {
    const to = index + name.length;
    const near = reading.slice(Math.max(0, index - EMPTY_CALL_CHARACTERS), to + EMPTY_CALL_CHARACTERS);
    if (EMPTY_CALL.test(near)) return true;
  }
  return false;
};
