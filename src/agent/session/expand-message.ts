/**
 * What a person's message brings along: `@path` puts a file, a folder's list or a picture into the conversation. Naming it
 * is the person's word, so nothing is asked; it is read by the same tools, and under the same rules, as a model's calls.
 */

import { LIMITS } from '../../core/limits.ts';
import { mentionsIn, readingsOf, withoutEnding } from '../../core/mention.ts';
import type { ContentPart } from '../../core/message.ts';
import { counted } from '../../core/number-text.ts';
import type { Outcome } from '../../core/outcome.ts';
import { notAPicture, truePicture } from '../../core/picture-kind.ts';
import { isFolderRead } from '../../core/policy/folder-read.ts';
import type { Workspace } from '../../core/ports.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { LEADS_OUTSIDE } from '../../io/workspace/leads-outside.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { ExecuteToolOptions } from '../loop/run-tool/execute-tool.ts';

export type Expanded = {
  content: string | ContentPart[];
  /** What was named and did not come along, each with the reason. */
  problems: string[];
};
export type ExpandPorts = {
  workspace: Pick<Workspace, 'stat' | 'readFile' | 'fileName'>;
  /** What `@server:uri` or `@server:prompt` names of an MCP server; undefined where none is meant. */
  ofServer?(named: string): Promise<Outcome<string> | undefined>;
  executeTool(name: string, args: unknown, options?: ExecuteToolOptions): Promise<ToolResult>;
};

const PICTURES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** Who else wrote the text, and what the person typed to have it. */
export type WrittenBy = { typed: string; from: string };

export const expandMessage = async (text: string, ports: ExpandPorts, by?: WrittenBy): Promise<Expanded> => {
  const named = mentionsIn(text);
  const problems: string[] = [];
  const parts: ContentPart[] = [];
  /** Not every @ is a file: it may be a handle, or a word of code. One line tells of them all. */
  const words: string[] = [];
  for (const path of named.slice(0, AGENT_LIMITS.mentions)) {
    const place = await findPlace(path, ports.workspace);
    const brought = place === undefined && path.includes(':') ? await ports.ofServer?.(path) : undefined;
    if (brought !== undefined) {
      if (brought.ok)
        parts.push({ type: 'text', text: `${path}\n${brought.value}`, shown: `[${path}]`, untrusted_content: true });
      else problems.push(`@${path} did not come along: ${brought.error.message}`);
      continue;
    }
    if (place?.kind === 'outside') {
      problems.push(`@${path} did not come along: ${place.why}`);
      continue;
    }
    if (place === undefined) {
      const name = withoutEnding(path);
      if (/[./]/.test(name)) problems.push(`@${name} is no file of this folder; it was sent as it is`);
      else words.push(`@${name}`);
      continue;
    }
    const part = await bring(place, ports, by === undefined || isTyped(by.typed, place.path));
    if (typeof part === 'string') problems.push(part);
    else parts.push(part);
  }
  if (named.length > AGENT_LIMITS.mentions)
    problems.push(`Only the first ${AGENT_LIMITS.mentions} of ${named.length} came along`);
  if (words.length > 0 && by === undefined)
    problems.push(`${listedShort(words)} named no file; what was written was sent as it is`);
  const written: ContentPart[] =
    by === undefined
      ? [{ type: 'text', text }]
      : [
          { type: 'text', text: by.typed },
          { type: 'text', text, shown: `[${by.from}]` },
        ];
  return { content: written.length + parts.length === 1 ? text : [...written, ...parts], problems };
};

const NAMES_SHOWN = 3;
const listedShort = (names: readonly string[]): string => {
  const left = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
};

type Place = { path: string; kind: 'file' | 'directory' };
/** A link that leads out of the folder: no word, and nothing that may be read. */
type Outside = { kind: 'outside'; why: string };

const findPlace = async (path: string, workspace: ExpandPorts['workspace']): Promise<Place | Outside | undefined> => {
  let outside: Outside | undefined;
  for (const candidate of readingsOf(path)) {
    const found = await workspace.stat(candidate);
    if (found.ok && (found.value.kind === 'file' || found.value.kind === 'directory')) {
      return { path: candidate, kind: found.value.kind };
    }
    if (!found.ok && found.error.reason === LEADS_OUTSIDE) outside ??= { kind: 'outside', why: found.error.message };
  }
  return outside;
};

const isTyped = (typed: string, path: string): boolean =>
  typed.split(/[\s"'@]+/).includes(path) || mentionsIn(typed).includes(path);

/** To name a file is the person's yes to its reading; where another named it, that holds for what reading the folder covers. */
const bring = async ({ path, kind }: Place, ports: ExpandPorts, isPersons: boolean): Promise<ContentPart | string> => {
  const mimeType = PICTURES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
  // Hashed before it is read: a change in between is then one that the model has not seen.
  const before =
    kind === 'file' && mimeType === undefined
      ? await ports.workspace.readFile(path, { maxBytes: LIMITS.readFileBytes })
      : undefined;
  const result = await ports.executeTool(
    kind === 'directory' ? 'ls' : 'read_file',
    { path },
    { ask: async ({ rule }) => ({ decision: isPersons || isFolderRead(rule) ? 'allow_once' : 'deny' }) },
  );
  // The tool reads no picture, but what it may not read does not come as one either.
  if (kind === 'file' && mimeType !== undefined && result.error_type !== 'permission_denied')
    return bringPicture(path, mimeType, ports.workspace);
  if (!result.success || result.data === null) return `@${path} did not come along: ${result.error_message}`;
  const lines = result.data.trimEnd().split('\n').length;
  const shown = `[${path}: ${counted(lines, 'line')}]`;
  const file = before?.ok ? { path: ports.workspace.fileName(path), hash: before.value.hash } : undefined;
  return { type: 'text', text: `${path}\n${result.data}`, shown, ...(file ? { file } : {}) };
};

const bringPicture = async (
  path: string,
  mime_type: string,
  workspace: ExpandPorts['workspace'],
): Promise<ContentPart | string> => {
  const read = await workspace.readFile(path, { maxBytes: AGENT_LIMITS.mentionImageBytes });
  if (!read.ok) return `@${path} did not come along: ${read.error.message}`;
  const data_base64 = Buffer.from(read.value.bytes).toString('base64');
  return (
    truePicture({ type: 'image', mime_type, data_base64, name: path }) ??
    `@${path} did not come along: ${notAPicture(path)}`
  );
};
