/**
 * Results that are too long for the window: the model reads their beginning and where the whole is, and reads the rest
 * in ranges with read_file, under the name `@results/…`. The folder is the session's own, not a part of the workspace.
 */

import { beginningOf, endOf } from '../../../core/cut-text.ts';
import { LIMITS } from '../../../core/limits.ts';
import { grouped } from '../../../core/number-text.ts';
import { failure, type Outcome } from '../../../core/outcome.ts';
import type { PolicyRules, SourcedRule } from '../../../core/policy.ts';
import type { FileBytes, Workspace } from '../../../core/ports.ts';
import { cutNote } from '../../../core/tool/cut-note.ts';
import { RESULTS_FOLDER, resultFileName } from '../../../core/tool/put-aside.ts';
import type { Tool } from '../../../core/tool.ts';
import { hashOf } from '../../../io/workspace/read.ts';
import type { ResultFiles } from '../../../storage/result-files.ts';
import { TOOL_LIMITS } from '../../../tools/limits.ts';
import { AGENT_LIMITS } from '../../limits.ts';

const CHARACTERS_A_TOKEN = 3.5;

export type OffloadOptions = {
  files: ResultFiles;
  workspace: Workspace;
  /** Of the model that is asked now; too small rather than too large where only its server knows, and asked for. */
  contextTokens(): number | undefined;
  askContextTokens(signal: AbortSignal): Promise<number | undefined>;
};

export class Offload {
  /** The workspace, with the results that were put aside beside it. */
  readonly workspace: Workspace;
  readonly #options: OffloadOptions;
  /** The paths of the results that were put aside. */
  readonly #paths: Set<string>;

  static async open(options: OffloadOptions): Promise<Offload> {
    return new Offload(options, await options.files.names());
  }

  private constructor(options: OffloadOptions, names: readonly string[]) {
    this.#options = options;
    this.#paths = new Set(names.map((name) => RESULTS_FOLDER + name));
    this.workspace = withResults(options);
  }

  /**
   * A quarter of the window, as characters; never more than a result may have at all. Of a command's output less is worth
   * reading, and an MCP tool gets less room still.
   */
  maxCharacters(tool: Tool): number {
    const most = resultCharacters(this.#options.contextTokens(), tool.result_characters);
    if (tool.identity) return Math.min(most, AGENT_LIMITS.mcpResultCharacters);
    return tool.effects === 'process' ? Math.min(most, TOOL_LIMITS.bashOutputBytes) : most;
  }

  /** The same for a tool of our own that starts nothing. */
  resultCharacters(): number {
    return resultCharacters(this.#options.contextTokens());
  }

  /** The same, when it is known how large the window is. */
  async roomFor(tool: Tool, signal: AbortSignal): Promise<number> {
    await this.#options.askContextTokens(signal);
    return this.maxCharacters(tool);
  }

  /** What the model reads of a long result, and the sentence for its metadata; nothing where it turns out to fit. */
  async shorten(
    tool: Tool,
    callId: string,
    data: string,
    {
      signal,
      isReadable,
    }: { signal: AbortSignal /** The model has a tool that reads what was put aside. */; isReadable: boolean },
  ): Promise<CutResult | undefined> {
    const most = await this.roomFor(tool, signal);
    if (data.length <= most) return undefined;
    // What was read from a file is still there, and its tool takes ranges.
    const isFile = tool.effects === 'read' && tool.main_argument === 'path';
    const place = isFile ? undefined : await this.#keep(callId, data);
    return cutResult(tool, data, most, isReadable ? place : undefined);
  }

  /** A result that was put aside, whole. */
  readonly whole = async (callId: string): Promise<string | undefined> => {
    const read = await this.#options.files.read(resultFileName(callId));
    return read.ok ? new TextDecoder().decode(read.value) : undefined;
  };

  /** What the model has been shown already, it may read again without being asked about. */
  withRules(rules: PolicyRules): PolicyRules {
    if (this.#paths.size === 0) return rules;
    const shown = [...this.#paths].map(
      (path): SourcedRule => ({ tool: 'read_file', pattern: `=${path}`, source: 'this session' }),
    );
    return { ...rules, allow: [...rules.allow, ...shown] };
  }

  async #keep(callId: string, data: string): Promise<string | undefined> {
    const name = resultFileName(callId);
    if (!(await this.#options.files.keep(name, data)).ok) return undefined;
    this.#paths.add(RESULTS_FOLDER + name);
    return RESULTS_FOLDER + name;
  }
}

const withResults = ({ files, workspace }: OffloadOptions): Workspace => ({
  ...workspace,
  resolve: (path) => (nameOf(path) === undefined ? workspace.resolve(path) : { ok: true, value: path }),
  async readFile(path, settings): Promise<Outcome<FileBytes>> {
    const name = nameOf(path);
    if (name === undefined) return workspace.readFile(path, settings);
    const read = await files.read(name);
    if (!read.ok) return failure('not_found', `${path} is no result of this session`);
    const bytes = read.value;
    const stat = { kind: 'file' as const, size: bytes.length, modified_ms: 0 };
    return { ok: true, value: { path, bytes, hash: hashOf(bytes), stat } };
  },
});

const nameOf = (path: string): string | undefined => {
  const plain = path.replace(/^(?:\.\/)+/, '');
  return plain.startsWith(RESULTS_FOLDER) ? plain.slice(RESULTS_FOLDER.length) : undefined;
};

/** `most`: however large the window is. */
export const resultCharacters = (
  contextTokens: number | undefined,
  most: number = LIMITS.toolResultCharacters,
): number =>
  contextTokens === undefined
    ? Math.min(LIMITS.toolResultCharacters, most)
    : Math.min(
        most,
        Math.max(AGENT_LIMITS.toolResultCharactersMin, Math.floor((contextTokens / 4) * CHARACTERS_A_TOKEN)),
      );

export type CutResult = { text: string; truncated: string; result_file?: string };

/** The end of a command's output says how it ended, so both ends of it are shown. */
export const cutResult = (
  tool: Pick<Tool, 'effects'>,
  data: string,
  maxCharacters: number,
  place: string | undefined,
): CutResult => {
  const tail = tool.effects === 'process' ? Math.floor(maxCharacters / 3) : 0;
  const head = beginningOf(data, maxCharacters - tail);
  const end = tail === 0 ? '' : endOf(data, tail);
  const shown = `${tail === 0 ? 'the first' : 'both ends,'} ${grouped(maxCharacters)} of ${grouped(data.length)} characters`;
  const more =
    place === undefined
      ? 'ask for less at a time'
      : `the whole is in ${place}, which read_file shows in ranges (line_start, line_end)`;
  const note = cutNote(`${shown}; ${more}`);
  const truncated = place === undefined ? shown : `${shown}; ${more}`;
  const text = tail === 0 ? `${head}\n${note}` : `${head}\n${note}\n${end}`;
  return { text, truncated, ...(place === undefined ? {} : { result_file: place }) };
};
