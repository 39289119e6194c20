/**
 * What servers say of their tools: descriptions, titles, defaults, lists of values. It stands in every prompt and is nobody's
 * word, so it must not name whom a call reaches; else it marks nothing, as each server describes its tools at length.
 */
import { scalarsIn } from '../scalars.ts';
import { identityOf } from '../tool/said-of-itself.ts';
import type { Tool } from '../tool.ts';
import type { Reader } from './encodings.ts';
import { KnownText } from './known-text.ts';
import type { ContentSource } from './origin.ts';
import { wordsOf } from './text-index.ts';
import type { Part, WeightyValue } from './values.ts';

/** The descriptions of one server. */
export type DescribedTools = { source: ContentSource; text: string };

type Described = Pick<Tool, 'name' | 'description' | 'parameters' | 'identity'>;

const SERVER = /^mcp__(.+?)__/;
const texts = new WeakMap<Described, { identity: string; text: string }>();

/** Without an identity it is read each time. */
const textOf = (tool: Described, identity: string | undefined): string => {
  const known = texts.get(tool);
  if (known !== undefined && known.identity === identity) return known.text;
  const values = scalarsIn(tool.parameters).map(({ key, value }) => `${key}: ${String(value)}`);
  const text = [tool.description, ...values].join('\n');
  if (identity !== undefined) texts.set(tool, { identity, text });
  return text;
};

/** Of the tools that servers describe; those that come with halter or a program are its own words. */
export const describedTools = (tools: readonly Described[]): DescribedTools[] => {
  const byServer = new Map<string, string[]>();
  for (const tool of tools) {
    const said = identityOf(tool);
    const identity = said.ok ? said.value : undefined;
    if (said.ok && identity === undefined) continue;
    const about = `the descriptions of the MCP server ${SERVER.exec(tool.name)?.[1] ?? tool.name}`;
    byServer.set(about, [...(byServer.get(about) ?? []), textOf(tool, identity)]);
  }
  return [...byServer].map(([about, all]) => ({ source: { kind: 'untrusted', about }, text: all.join('\n') }));
};

/** What is shorter stands in descriptions by chance: `npm test`, `me`, `python3`. */
const COMMAND_WORDS = 3;
const NAME_CHARACTERS = 5;
const CODE_CHARACTERS = 10;

/**
 * The parts that decide whom a call reaches or what it does there. What the argument's own schema lists, or has as its
 * default, is how the server works, unless it names a person or an account.
 */
export const decidingParts = ({ role, parts }: WeightyValue, isOwnChoice: boolean): Part[] =>
  parts.filter(({ kind, text, words = [] }) => {
    if (kind === 'email') return true;
    if (kind === 'code') return role === 'recipient' || (!isOwnChoice && text.length >= CODE_CHARACTERS);
    if (isOwnChoice || kind === 'number' || kind === 'id') return false;
    if (kind !== 'name') return true;
    return role === 'recipient' ? text.length >= NAME_CHARACTERS : words.length >= COMMAND_WORDS;
  });

/** A command that stands in a description from its first word to its last. */
export const wholeCommand = (argument: string, text: string): { argument: string; text: string; part: Part }[] => {
  const words = wordsOf(text);
  return words.length < COMMAND_WORDS ? [] : [{ argument, text, part: { kind: 'name', text: words.join('') } }];
};

/** Prepared once; a server that describes its tools anew is read anew. */
export class Descriptions {
  readonly #reader: Reader;
  #known = new Map<string, KnownText>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  of(described: readonly DescribedTools[]): KnownText[] {
    const known = described.map(
      (each) => this.#known.get(each.text) ?? new KnownText(each.source, each.text, this.#reader),
    );
    this.#known = new Map(known.map((each) => [each.text, each]));
    return known;
  }
}
