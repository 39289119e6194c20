/**
 * The one way in which tools change a text file: read it, see that it is the file the conversation knows, work out the
 * new text, and either show the difference (preview) or write it whole (run).
 */
import type { JsonObject } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Workspace } from '../../core/ports.ts';
import type { DefinedTool, Preview, ToolContext } from '../../core/tool.ts';
import { ok, type ToolOutput } from '../../core/tool-result.ts';
import type { ArgumentsInput, JsonSchemaInput } from '../../schema/index.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { builtIn } from './built-in.ts';
import type { TextDiff } from './diff.ts';
import { counted, grouped } from './format.ts';
import { linesOf } from './lines.ts';
import { withNearestPaths } from './nearest-path.ts';
import { regionsText } from './nearest-region.ts';
import { refuse } from './refuse.ts';
import type { Section } from './sections.ts';
import { decodeText, encodeText, type TextFile } from './text-file.ts';

/** Loaded for the first difference that somebody looks at. */
const differences = () => import('./diff.ts');

/** What there is before an edit. `text` is undefined for a new file and for one that is no text. */
export type Before = { path: string; text: string | undefined; exists: boolean; size: number };
export type Edited = {
  text: string;
  /** One sentence for the model: "Replaced 2 lines (3–4) of a.txt". The size is added. */
  done: string;
  /** The lines of the new text that are new, shown to the model with their numbers. */
  region?: Section;
};
export type Editor<N extends string = string> = {
  name: N;
  /** The argument that holds what comes into the file. */
  written: string;
  /** Whether a file that is not there, or that is no text, may be written over. */
  mayCreate: boolean;
  edit(before: Before, args: JsonObject): Outcome<Edited>;
  /** These arguments say themselves what the lines hold that are replaced, so a file that changed since is no danger. */
  knowsItsLines?(args: JsonObject): boolean;
};

type Plan = {
  before: Before;
  /** The hash of what is there; null where nothing is; undefined where it is too big to be read. */
  hash: string | null | undefined;
  edited: Edited;
  bytes: Uint8Array;
  /** Worked out when somebody looks; undefined where what is there is no text. */
  diff(): Promise<TextDiff | undefined>;
};

const PLAIN: Omit<TextFile, 'text'> = { encoding: 'utf-8', hasByteOrderMark: false };

type Found = { before: Before; hash: string | null | undefined; format: Omit<TextFile, 'text'> };

const find = async (editor: Editor, args: JsonObject, context: ToolContext): Promise<Outcome<Found>> => {
  const { workspace, signal } = context;
  const path = String(args.path);
  const read = await workspace.readFile(path, { maxBytes: LIMITS.readFileBytes, signal });
  if (!read.ok) {
    const name = workspace.resolve(path);
    const before = { path: name.ok ? name.value : path, text: undefined, exists: false, size: 0 };
    if (editor.mayCreate && read.error.error_type === 'not_found') {
      return succeed({ before, hash: null, format: PLAIN });
    }
    if (editor.mayCreate && read.error.reason === 'too_large') {
      const stat = await workspace.stat(path);
      const size = stat.ok ? stat.value.size : 0;
      return succeed({ before: { ...before, exists: true, size }, hash: undefined, format: PLAIN });
    }
    return { ok: false, error: await withNearestPaths(read.error, path, context) };
  }
  const { bytes, hash } = read.value;
  const seen = workspace.seenHash(path);
  if (seen !== undefined && seen !== hash && !editor.knowsItsLines?.(args)) {
    const message = `${read.value.path} changed since it was last read here; read it again with read_file, then edit`;
    return failure('validation_failed', message, 'changed_since_read');
  }
  const decoded = decodeText(bytes, read.value.path);
  const before = { path: read.value.path, text: undefined, exists: true, size: bytes.length };
  if (decoded.ok) return succeed({ before: { ...before, text: decoded.value.text }, hash, format: decoded.value });
  return editor.mayCreate ? succeed({ before, hash, format: PLAIN }) : decoded;
};

const planEdit = async (editor: Editor, args: JsonObject, context: ToolContext): Promise<Outcome<Plan>> => {
  const found = await find(editor, args, context);
  if (!found.ok) return found;
  const { before, hash, format } = found.value;
  const edited = editor.edit(before, args);
  if (!edited.ok) return edited;
  if (!edited.value.text.isWellFormed()) {
    return failure('validation_failed', 'The new text holds half a character (a lone surrogate)');
  }
  const bytes = encodeText({ ...format, text: edited.value.text });
  const comparable = before.text !== undefined || !before.exists;
  const diff = async (): Promise<TextDiff | undefined> =>
    comparable ? (await differences()).diffTexts(before.text ?? '', edited.value.text) : undefined;
  return succeed({ before, hash, edited: edited.value, bytes, diff });
};

/** What was shown of a call before it ran, so that what runs is what was shown. */
type Shown = { hash: string | null | undefined; body: string | undefined };
const shownPreviews = new WeakMap<Workspace, Map<string, Shown>>();
/** The same call has the same key, whether its defaults were written out or not, in whatever order. */
const keyOf = (editor: Editor, args: JsonObject): string => {
  const said = Object.entries(args).filter(([, value]) => value !== false);
  return `${editor.name}\n${JSON.stringify(said.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
};

const remember = (workspace: Workspace, key: string, shown: Shown): void => {
  const previews = shownPreviews.get(workspace) ?? new Map<string, Shown>();
  shownPreviews.set(workspace, previews);
  previews.delete(key);
  previews.set(key, shown);
  const oldest = previews.keys().next();
  if (previews.size > TOOL_LIMITS.previewsRemembered && !oldest.done) previews.delete(oldest.value);
};

const takeShown = (workspace: Workspace, key: string): Shown | undefined => {
  const shown = shownPreviews.get(workspace)?.get(key);
  shownPreviews.get(workspace)?.delete(key);
  return shown;
};

const summaryOf = (plan: Plan, diff: TextDiff | undefined): string => {
  const { before, bytes } = plan;
  if (!before.exists) return `create ${before.path}, ${counted(diff?.added ?? 0, 'line')}`;
  if (diff === undefined) {
    return `replace ${before.path}, ${counted(before.size, 'byte')} that ${before.size === 1 ? 'is' : 'are'} not shown, by ${counted(bytes.length, 'byte')}`;
  }
  if (diff.lines === undefined) return `write ${before.path}, about ${counted(diff.added, 'line')} changed`;
  return `write ${before.path}, ${counted(diff.added, 'line')} added, ${grouped(diff.removed)} removed`;
};

export const previewEdit = async (editor: Editor, args: JsonObject, context: ToolContext): Promise<Preview> => {
  const plan = await planEdit(editor, args, context);
  if (!plan.ok) return { summary: `this call would fail: ${plan.error.message}`, known: refuse(plan.error) };
  if (plan.value.before.exists && plan.value.before.text === plan.value.edited.text) {
    const same = `${plan.value.before.path} already holds exactly this; nothing was written`;
    return { summary: 'change nothing', known: ok(same) };
  }
  const { before, hash } = plan.value;
  const { bodyOf, unifiedDiff } = await differences();
  const diff = await plan.value.diff();
  const body = diff === undefined ? undefined : bodyOf(diff);
  remember(context.workspace, keyOf(editor, args), { hash, body });
  const summary = summaryOf(plan.value, diff);
  return diff === undefined ? { summary } : { summary, diff: unifiedDiff(before.path, diff, !before.exists) };
};

/** The file may differ from the one shown only by this conversation's own writes, and then the change must be the same. */
const isAsShown = async (shown: Shown | undefined, plan: Plan, seenHash: string | undefined): Promise<boolean> => {
  if (shown === undefined || shown.hash === plan.hash) return true;
  if (plan.hash !== seenHash || shown.body === undefined) return false;
  const diff = await plan.diff();
  return diff !== undefined && shown.body === (await differences()).bodyOf(diff);
};

export const runEdit = async (editor: Editor, args: JsonObject, context: ToolContext): Promise<ToolOutput> => {
  const { workspace, signal } = context;
  const path = String(args.path);
  const shown = takeShown(workspace, keyOf(editor, args));
  const plan = await planEdit(editor, args, context);
  if (!plan.ok) return refuse(plan.error);
  const { before, hash, edited, bytes } = plan.value;
  if (!(await isAsShown(shown, plan.value, workspace.seenHash(path)))) {
    const message = `${before.path} changed since its difference was shown; nothing was written. Read it again with read_file`;
    return refuse({ error_type: 'validation_failed', message, reason: 'changed_since_read' });
  }
  const written = await workspace.writeFile(path, bytes, {
    signal,
    ...(hash === undefined ? {} : { expectedHash: hash }),
  });
  if (!written.ok) return refuse(written.error);
  const region = edited.region && regionText(edited.text, edited.region, args.anchor !== undefined);
  return ok(`${edited.done} (${counted(written.value.size, 'byte')})${region ? `\n${region}` : ''}`);
};

/** How it looks now, so that the next edit goes by the numbers that hold now. A long region is shown by its two ends. */
const regionText = (text: string, { from, to }: Section, marked: boolean): string => {
  const lines = linesOf(text);
  const most = TOOL_LIMITS.nearestRegionShownLines;
  if (to - from + 1 <= most) return regionsText(lines, [{ from, to }], marked);
  const half = Math.floor(most / 2);
  return regionsText(
    lines,
    [
      { from, to: from + half - 1 },
      { from: to - half + 1, to },
    ],
    marked,
  );
};

/** A tool that changes a text file: what all of them have in common, once. */
export const editTool = <const N extends string, const P extends JsonSchemaInput>(
  editor: Editor<N>,
  description: string,
  parameters: P,
): DefinedTool<N, ArgumentsInput<P>> =>
  builtIn({
    name: editor.name,
    description,
    risk: 'high',
    effects: 'write',
    main_argument: 'path',
    path_arguments: ['path'],
    sinks: ['path', editor.written],
    written_arguments: [editor.written],
    parameters,
    run: (args, context) => runEdit(editor, args, context),
    preview: (args, context) => previewEdit(editor, args, context),
  });

/** The arguments of the tools that work by line numbers. */
export const LINE_PARAMETERS = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    line_start: { type: 'integer', minimum: 1 },
    line_end: { type: 'integer', minimum: 1 },
    new_content: { type: 'string' },
    anchor: { type: 'string' },
  },
  required: ['path', 'line_start', 'line_end', 'new_content'],
} as const;
