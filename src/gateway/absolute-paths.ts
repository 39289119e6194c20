/**
 * Paths of a model that is led stand as in the person's request, and other programs' tools may want them absolute. The
 * program says in its instructions which folder it works in.
 */
import { posix, win32 } from 'node:path';
import type { JsonObject } from '../core/json.ts';
import { type ModelMessage, messageText, type ToolCall } from '../core/message.ts';
import type { Tool } from '../core/tool.ts';
import { asSchema } from '../providers/led/grammar.ts';
import { isPathArgument } from '../providers/led/steps/choose-arguments.ts';

const FOLDERS: readonly RegExp[] = [
  /<cwd>\s*([^<\n]+?)\s*<\/cwd>/i,
  /\b(?:working|current|workspace|project|root)[ _-]*(?:working[ _-]*)?(?:directory|dir|folder|root)\b[^\n:=]{0,40}[:=]\s*["'`]?((?:\/|[A-Za-z]:\\)[^\n"'`<>]*)/i,
  /\b(?:working|running|operating) in (?:the )?(?:directory|folder)?:?\s*["'`]?((?:\/|[A-Za-z]:\\)[^\s"'`<>]*)/i,
  /\bcwd["']?\s*[:=]\s*["'`]?((?:\/|[A-Za-z]:\\)[^\n"'`<>,]*)/i,
];
const IS_ABSOLUTE = /^(?:[/~]|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]*:\/\/)/i;

/** The folder in which the program says that it works: in its instructions, or in what it puts before the request. */
export const workingFolder = (messages: readonly ModelMessage[]): string | undefined => {
  for (const message of messages) {
    if (message.role !== 'system' && message.role !== 'user') continue;
    const text = messageText(message.content);
    for (const pattern of FOLDERS) {
      const folder = pattern
        .exec(text)?.[1]
        ?.trim()
        .replace(/[.,;)]+$/, '');
      if (folder !== undefined && IS_ABSOLUTE.test(folder)) return folder;
    }
  }
  return undefined;
};

const EITHER = /\b(?:absolute (?:or|and) relative|relative (?:or|and) absolute)\b/i;

/** Its own description says so, or a sentence of the tool's that names it. */
const wantsAbsolute = (tool: Tool, name: string, description: unknown): boolean => {
  const sentences = tool.description.split(/\n|(?<=\.)\s/).filter((sentence) => sentence.includes(name));
  const own = typeof description === 'string' ? [description] : [];
  return [...own, ...sentences].some((text) => /\babsolute\b/i.test(text) && !EITHER.test(text));
};

const joined = (folder: string, path: string): string =>
  folder.startsWith('/') ? posix.join(folder, path) : win32.join(folder, path);

export const withAbsolutePaths = (call: ToolCall, tool: Tool, messages: readonly ModelMessage[]): ToolCall => {
  const properties = asSchema(tool.parameters['properties']);
  const relative = Object.entries(call.arguments).filter(
    ([name, value]) =>
      typeof value === 'string' &&
      value !== '' &&
      !IS_ABSOLUTE.test(value) &&
      isPathArgument(name, asSchema(properties[name])) &&
      wantsAbsolute(tool, name, asSchema(properties[name])['description']),
  );
  const folder = relative.length > 0 ? workingFolder(messages) : undefined;
  if (folder === undefined) return call;
  const changed: JsonObject = Object.fromEntries(
    relative.map(([name, value]) => [name, joined(folder, String(value))]),
  );
  const detail = `The tool wants an absolute path: ${Object.keys(changed).join(', ')} begins in the folder that the program works in.`;
  return {
    ...call,
    arguments: { ...call.arguments, ...changed },
    repairs: [...call.repairs, { kind: 'absolute_path', detail }],
  };
};
