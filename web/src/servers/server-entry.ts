/** What a person typed or pasted of an MCP server, as an entry of `mcpServers`. Pure. */
import { isObject, type JsonObject, type JsonValue } from '../../../src/core/json.ts';

export type Typed = { name?: string; entry: JsonObject };
/** One, or as many as stand in the JSON. */
export type Read = { ok: true; value: readonly Typed[] } | { ok: false; message: string };

const one = (entry: JsonObject): Read => ({ ok: true, value: [{ entry }] });
const refused = (message: string): Read => ({ ok: false, message });

/** A command line, an address, or the JSON that a server's page shows for other clients. */
export const readEntry = (text: string, pairs: string): Read => {
  const trimmed = text.trim();
  if (trimmed === '') return refused('It needs a command or an address.');
  if (trimmed.startsWith('{')) return readJson(trimmed);
  const isAddress = /^https?:\/\//i.test(trimmed);
  const read = readPairs(pairs, isAddress ? ':' : '=');
  if (typeof read === 'string') return refused(read);
  const any = Object.keys(read).length > 0;
  if (isAddress) return one({ url: trimmed, ...(any ? { headers: read } : {}) });
  const words = wordsOfLine(trimmed);
  if (words === undefined) return refused('A quotation mark in the command is not closed.');
  const [command = '', ...args] = words;
  return one({ command, args, ...(any ? { env: read } : {}) });
};

const readJson = (text: string): Read => {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return refused('This begins like JSON and is none.');
  }
  // Clients call the list by either name.
  const servers = isObject(value) ? (value['mcpServers'] ?? value['servers']) : undefined;
  if (isObject(servers)) return readList(servers);
  return isObject(value) && ('command' in value || 'url' in value)
    ? one(value)
    : refused('It has neither "command" nor "url", and no list "mcpServers".');
};

const readList = (servers: JsonObject): Read => {
  const named: Typed[] = [];
  for (const [name, entry] of Object.entries(servers)) {
    if (!isObject(entry)) return refused(`${JSON.stringify(name)} is no server: it has no "command" and no "url".`);
    named.push({ name, entry });
  }
  return named.length === 0 ? refused('The list has no server in it.') : { ok: true, value: named };
};

/** `NAME=value` or `Name: value`, one a line; a sentence where a line is none. */
const readPairs = (text: string, separator: '=' | ':'): Record<string, string> | string => {
  const pairs: Record<string, string> = {};
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const at = line.indexOf(separator);
    if (at < 1) return `${JSON.stringify(line.trim())} is no line of the form NAME${separator}value.`;
    pairs[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return pairs;
};

/** As a shell takes a line apart, without anything that a shell does. Undefined: a quotation mark is open. */
export const wordsOfLine = (line: string): string[] | undefined => {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (const sign of line) {
    if (quote !== '') {
      if (sign === quote) quote = '';
      else word = (word ?? '') + sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + sign;
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
};
