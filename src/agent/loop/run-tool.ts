/**
 * Runs one tool: timeout, abort, exceptions, measuring and size are dealt with here, once, so that a tool holds nothing
 * but its own work. Whoever calls this has already validated the arguments and asked the policy.
 */

import { ErrorCode } from '../../core/errors.ts';
import { copyOf, isObject, type JsonObject } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import { grouped } from '../../core/number-text.ts';
import type { Clock } from '../../core/ports.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { cutNote } from '../../core/tool/cut-note.ts';
import { boundedContent, type ModelContent } from '../../core/tool/model-content.ts';
import { UntoldResult } from '../../core/tool/untold-result.ts';
import type { Preview, Tool, ToolContext } from '../../core/tool.ts';
import {
  fail,
  isToolOutput,
  type ToolErrorType,
  type ToolOutput,
  type ToolResult,
  type ToolResultMetadata,
} from '../../core/tool-result.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';
import { keepAllWritten } from '../../core/written-numbers.ts';
import { asRequester } from '../../io/requester.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { RunEnded } from '../session/ended.ts';

export type RunToolOptions = {
  /** Everything of the context but the signal, which is made here. */
  context: Omit<ToolContext, 'signal'>;
  /** The person's cancel. */
  signal: AbortSignal;
  defaultTimeoutMs: number;
  droppedArguments?: readonly string[];
  /** Told what the model reads in place of the data, where the tool says it. */
  onModelContent?(content: ModelContent): void;
  /** Told that the data is a value as JSON text. */
  onJson?(): void;
  /** Where results go that are too long for the one who asked; without it they are cut at the general limit. */
  long?: LongResults;
};
export type LongResults = {
  maxCharacters: number;
  /** Nothing where it turns out to fit. */
  shorten(data: string, signal: AbortSignal): Promise<ShortenedResult | undefined>;
};

type ShortenedResult = { text: string } & Required<Pick<ToolResultMetadata, 'truncated'>> &
  Pick<ToolResultMetadata, 'result_file'>;

export const runTool = async (tool: Tool, args: JsonObject, options: RunToolOptions): Promise<ToolResult> => {
  const { clock } = options.context;
  const started = clock.monotonic();
  const timeoutMs = tool.timeout_ms ?? options.defaultTimeoutMs;
  const output = await shortened(tool, await bounded(tool, args, options, timeoutMs), options);
  if (output.success && output.for_model !== undefined)
    options.onModelContent?.(boundedContent(output.for_model, options.long?.maxCharacters));
  if (output.success && output.is_json) options.onJson?.();
  const elapsed = Math.round(clock.monotonic() - started);
  const dropped = options.droppedArguments ?? [];
  return toResult(output, clock, elapsed, dropped.length > 0 ? { dropped_arguments: [...dropped] } : {});
};

const shortened = async (
  tool: Tool,
  output: ToolOutput,
  { long = generalOf(tool), signal }: RunToolOptions,
): Promise<ToolOutput> => {
  if ((output.data?.length ?? 0) <= mostOf(tool, output, long)) return output;
  const short = await long.shorten(output.data ?? '', signal);
  if (short === undefined) return output;
  const { text, truncated, ...where } = short;
  // The tool's own word on what it left out stands as well.
  const both = [output.metadata?.truncated, truncated].filter((part) => part !== undefined).join('; ');
  const cut = { ...output, data: text, metadata: { ...output.metadata, ...where, truncated: both } };
  // A part of a value is none.
  return cut.success ? { ...cut, is_json: undefined } : cut;
};

/** Of a program's own tool whose words for the model are others: those are bounded, and the data is for the program. */
const mostOf = ({ identity }: Tool, output: ToolOutput, { maxCharacters }: LongResults): number =>
  output.success && output.for_model !== undefined && identity === undefined
    ? AGENT_LIMITS.unreadResultCharacters
    : maxCharacters;

/** Settles at the latest when time is up or the person cancels, even if the tool never does. */
const bounded = async (
  tool: Tool,
  args: JsonObject,
  options: RunToolOptions,
  timeoutMs: number,
): Promise<ToolOutput> => {
  if (options.signal.aborted) return cancelled();
  const controller = new AbortController();
  const said = heard(options.context);
  let timer: NodeJS.Timeout | undefined;
  let grace: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const ended = new Promise<ToolOutput>((resolve) => {
    onAbort = () => {
      const end = (): void => resolve(cancelled(said.text()));
      // A person who cancels waits for nothing; where something else ends the run, what the tool did counts.
      if (!(options.signal.reason instanceof RunEnded)) end();
      else grace = setTimeout(end, AGENT_LIMITS.endedToolGraceMs);
      controller.abort();
    };
    options.signal.addEventListener('abort', onAbort, { once: true });
    if (timeoutMs > 0) {
      timer = setTimeout(() => {
        resolve(
          fail('io_error', `${tool.name} did not finish within ${timeoutMs / 1000} s and was stopped.`, {
            reason: 'timeout',
          }),
        );
        controller.abort();
      }, timeoutMs);
    }
  });
  try {
    const output = await Promise.race([
      guarded(tool, args, { ...options.context, report: said.report, signal: controller.signal }),
      ended,
    ]);
    return options.signal.reason instanceof RunEnded ? asCancelled(output, said.text()) : output;
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    if (onAbort) options.signal.removeEventListener('abort', onAbort);
  }
};

/** What the tool had said by then stays its result. */
const cancelled = (said = ''): ToolOutput => ({
  ...fail('io_error', 'Cancelled.', { reason: 'cancelled' }),
  ...(said === '' ? {} : { data: said }),
});

/** How a tool tells that it was told to end (an aborted request, no answer in time) says nothing of what it did. */
const asCancelled = (output: ToolOutput, said: string): ToolOutput =>
  output.success || output.metadata?.['reason'] === 'cancelled' || !BROKEN.has(output.error_type)
    ? output
    : cancelled(said);
const BROKEN: ReadonlySet<string> = new Set(['io_error', 'internal_error']);

/** Listens to what a tool reports while it runs, for a call that is cancelled before it has a result. */
const heard = ({ report }: Pick<ToolContext, 'report'>): { report(text: string): void; text(): string } => {
  let kept = '';
  return {
    report(text) {
      kept = (kept + text).slice(-LIMITS.toolResultCharacters);
      report(text);
    },
    text: () => kept.toWellFormed(),
  };
};

/** A tool that throws, or gives back what is no result, is a bug of the tool; the model and the person are told, the loop goes on. */
const guarded = async (tool: Tool, args: JsonObject, context: ToolContext): Promise<ToolOutput> => {
  try {
    const output: unknown = await asRequester({ who: tool.name }, () =>
      tool.run(keepAllWritten(args, copyOf(args)), context),
    );
    if (isToolOutput(output)) return output;
    const said = `${tool.name} gave back what is no result; a tool is made with defineTool.`;
    return fail('internal_error', said, { code: ErrorCode.ToolExecutionFailed });
  } catch (error) {
    const what = error instanceof UntoldResult ? 'ran to its end, and its result cannot be told' : 'failed';
    const message = `${tool.name} ${what}: ${thrownText(error)}`;
    return fail('internal_error', message, { code: ErrorCode.ToolExecutionFailed });
  }
};

/**
 * What a call would do, for the person. It only helps: where it fails, the question says so; where it takes longer than
 * its limit, or never settles, the question is asked without it.
 */
export const previewTool = async (
  tool: Tool,
  args: JsonObject,
  context: Omit<ToolContext, 'signal'>,
  signal: AbortSignal,
): Promise<Preview | undefined> => {
  if (tool.preview === undefined) return undefined;
  const ended = new AbortController();
  const bounded = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(AGENT_LIMITS.previewTimeoutMs)]);
  try {
    const given: unknown = await unlessAborted(tool.preview(copyOf(args), { ...context, signal: bounded }), bounded);
    return previewOf(tool.name, given);
  } catch (error) {
    return { summary: `no preview: ${thrownText(error)}` };
  } finally {
    // Whatever goes on of the preview ends here.
    ended.abort();
  }
};

/** A tool of a program without a compiler may give back anything. */
const previewOf = (name: string, given: unknown): Preview | undefined => {
  if (given === undefined) return undefined;
  const { summary, diff, known } = isObject(given) ? given : {};
  const isDiff = diff === undefined || typeof diff === 'string';
  const isKnown = known === undefined || isToolOutput(known);
  if (typeof summary !== 'string' || !isDiff || !isKnown)
    throw new TypeError(`preview of ${name} must return { summary, diff? }, both texts`);
  // It is kept and handed on, so nothing else of it is.
  return { summary, ...(diff === undefined ? {} : { diff }), ...(known === undefined ? {} : { known }) };
};

/** A result that is known without running the tool (see `Preview`). */
export const knownResult = (clock: Clock, output: ToolOutput): ToolResult => toResult(output, clock, 0, {});

/** A result that no tool made: denied, unknown, rejected, cancelled. */
export const refusedResult = (
  clock: Clock,
  error_type: Exclude<ToolErrorType, 'none'>,
  message: string,
  { argument_issues, ...metadata }: Pick<ToolResultMetadata, 'reason' | 'code' | 'argument_issues'> = {},
): ToolResult => toResult(fail(error_type, message, metadata), clock, 0, argument_issues ? { argument_issues } : {});

const toResult = (
  output: ToolOutput,
  clock: Clock,
  elapsedMs: number,
  extra: Partial<ToolResultMetadata>,
): ToolResult => {
  const text = output.data ?? null;
  const metadata: ToolResultMetadata = {
    execution_time_ms: elapsedMs,
    data_size_bytes: text === null ? 0 : Buffer.byteLength(text),
    timestamp: clock.now(),
    ...output.metadata,
    ...extra,
  };
  return output.success
    ? { success: true, data: text, error_message: null, error_type: 'none', metadata }
    : { success: false, data: text, error_message: output.error_message, error_type: output.error_type, metadata };
};

/** Where nobody counts tokens. */
const generalOf = ({ result_characters: maxCharacters = LIMITS.toolResultCharacters }: Tool): LongResults => ({
  maxCharacters,
  async shorten(data) {
    const truncated = `the first ${grouped(maxCharacters)} of ${grouped(data.length)} characters`;
    const kept = data.slice(0, maxCharacters);
    return { text: `${kept}\n${cutNote(`${truncated}; ask for less at a time`)}`, truncated };
  },
});
