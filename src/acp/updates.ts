/**
 * What happens in a session → what an editor is told. A fold over the session's updates, the same for a running session
 * and for the log of one that is loaded again.
 */

import { join } from 'node:path';
import type {
  SessionUpdate as AcpUpdate,
  ContentBlock,
  PermissionOption,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
} from '@agentclientprotocol/sdk';
import { writtenBeside } from '../core/call-arguments.ts';
import type { EventOf, ProgressOf, Rule, SessionUpdate } from '../core/events.ts';
import { unseenIn, visibleLine, visibleText } from '../core/invisible.ts';
import type { ContentPart, ToolCall } from '../core/message.ts';
import { mixedScriptLines } from '../core/mixed-scripts.ts';
import { shownRule } from '../core/policy.ts';
import type { Task } from '../core/ports.ts';
import { originLines } from '../core/provenance/origin.ts';
import { shownArguments } from '../core/shown-arguments.ts';
import { reasonFor } from '../core/tool/display-status.ts';
import type { Preview, Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { type ContextUse, countedIn, countedUse, plannedUse } from '../core/window.ts';

export type Translator = {
  /** Live text is told from its deltas; of a log, whole messages are. */
  translate(update: SessionUpdate): AcpUpdate[];
  /** The call as a permission question shows it. */
  question(event: EventOf<'permission_requested'>): { call: AcpToolCall; options: PermissionOption[] };
};
export type AcpToolCall = { toolCallId: string; title: string; kind: ToolKind; rawInput: unknown } & {
  content?: ToolCallContent[];
  locations?: ToolCallLocation[];
};

export type TranslatorOptions = {
  tools: readonly Tool[];
  root: string;
  /** How commands are contained, in a person's words. */
  sandbox: string;
  /** Tokens of the model's window, where known. */
  contextTokens: number | undefined;
  replay: boolean;
};

export const createTranslator = (options: TranslatorOptions): Translator => {
  const told = new ToldCalls(options);
  const tasks = new Map<string, Task>();
  const { contextTokens, replay } = options;
  return {
    translate(update) {
      switch (update.type) {
        case 'user_message_added':
          return replay ? chunks('user_message_chunk', update.content) : [];
        case 'text_delta':
          return [{ sessionUpdate: 'agent_message_chunk', content: text(update.delta) }];
        case 'reasoning_delta':
          return [{ sessionUpdate: 'agent_thought_chunk', content: text(update.delta) }];
        case 'loading':
          return waitUpdates(update);
        case 'assistant_message_added':
          return [
            ...(replay ? saidIn(update.message) : usageUpdates(countedOf(update), contextTokens)),
            ...told.add(update.message.tool_calls),
          ];
        case 'policy_evaluated':
          told.revise(update);
          return [];
        case 'mode_changed':
          return replay ? [] : [{ sessionUpdate: 'current_mode_update', currentModeId: update.mode }];
        case 'tool_started':
          return [{ sessionUpdate: 'tool_call_update', toolCallId: update.tool_call_id, status: 'in_progress' }];
        case 'tool_output_delta':
          return [told.output(update)];
        case 'tool_finished':
        case 'arguments_rejected':
          return [told.finish(update)];
        case 'task_changed':
          tasks.set(update.task.id, update.task);
          return [{ sessionUpdate: 'plan', entries: [...tasks.values()].map(planEntry) }];
        case 'context_compacted':
          return usageUpdates(plannedUse(update), contextTokens);
        case 'run_stopped':
          return stopUpdates(update);
        default:
          return [];
      }
    },
    question: (event) => told.question(event),
  };
};

/** The calls that the editor was told of. */
class ToldCalls {
  readonly #options: TranslatorOptions;
  readonly #calls = new Map<string, ToolCall>();
  readonly #outputs = new Map<string, string>();

  constructor(options: TranslatorOptions) {
    this.#options = options;
  }

  add(calls: readonly ToolCall[]): AcpUpdate[] {
    for (const call of calls) this.#calls.set(call.id, call);
    return calls.map((call) => ({ sessionUpdate: 'tool_call', status: 'pending', ...this.#describe(call) }));
  }

  revise({ tool_call_id: id, arguments: given }: EventOf<'policy_evaluated'>): void {
    const call = this.#calls.get(id);
    if (call) this.#calls.set(id, { ...call, arguments: shownArguments(call.arguments, given) });
  }

  /** The protocol replaces a call's content, so what came until now is sent with it. */
  output({ tool_call_id: id, delta }: ProgressOf<'tool_output_delta'>): AcpUpdate {
    const shown = ((this.#outputs.get(id) ?? '') + delta).slice(-LIVE_CHARACTERS);
    this.#outputs.set(id, shown);
    return { sessionUpdate: 'tool_call_update', toolCallId: id, content: [content(shown)] };
  }

  finish({ tool_call_id: id, result }: EventOf<'tool_finished'> | EventOf<'arguments_rejected'>): AcpUpdate {
    this.#outputs.delete(id);
    const call = this.#calls.get(id);
    return finished(id, result, call === undefined ? undefined : changeOf(call, this.#options.root));
  }

  question(event: EventOf<'permission_requested'>): ReturnType<Translator['question']> {
    const call = this.#calls.get(event.tool_call_id);
    if (call === undefined) throw new Error(`asked about the unknown call ${event.tool_call_id}`);
    const { root, sandbox } = this.#options;
    const { written } = writtenBeside(call, call.arguments);
    const facts = [
      ...(event.because ? [`Asked because: ${visibleLine(event.because)}`] : []),
      ...(written === undefined ? [] : [`Numbers as the model wrote them: ${visibleLine(written)}`]),
      ...mixedScriptLines(call.arguments).map(visibleLine),
      ...originLines(event.provenance ?? []).map((line) => `Where from: ${visibleLine(line)}`),
      `Sandbox: ${sandbox}`,
      ...unseenFact(call),
    ];
    const shown = [...previewContent(event.preview, call, root), content(facts.join('\n'))];
    return {
      call: { ...this.#describe(call), content: shown },
      options: [
        { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
        ...(event.asks_each_time ? [] : lastingOptions(event.rule)),
        { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
      ],
    };
  }

  #describe(call: ToolCall): AcpToolCall {
    const tool = this.#options.tools.find(({ name }) => name === call.name);
    const main = tool?.main_argument === undefined ? undefined : call.arguments[tool.main_argument];
    const path = tool?.main_argument === 'path' && typeof main === 'string' ? main : undefined;
    const line = call.arguments.line_start;
    const title = main === undefined ? '' : ` ${typeof main === 'string' ? main : JSON.stringify(main)}`;
    const place = (file: string): ToolCallLocation => ({
      path: join(this.#options.root, file),
      ...(typeof line === 'number' ? { line } : {}),
    });
    return {
      toolCallId: call.id,
      title: visibleLine(`${call.name}${title}`),
      kind: kindOf(tool),
      rawInput: call.arguments,
      ...(path === undefined ? {} : { locations: [place(path)] }),
    };
  }
}

/** What a message of a log says; of a running session it is told as it comes. */
const saidIn = ({ reasoning, content: said }: EventOf<'assistant_message_added'>['message']): AcpUpdate[] => [
  ...(reasoning ? [{ sessionUpdate: 'agent_thought_chunk' as const, content: text(reasoning) }] : []),
  ...(said ? [{ sessionUpdate: 'agent_message_chunk' as const, content: text(said) }] : []),
];

/** The protocol has no words for what a turn waits for, so whoever waits for a place reads of it where thoughts stand. */
const waitUpdates = ({ message, queue_position }: ProgressOf<'loading'>): AcpUpdate[] =>
  queue_position === undefined || queue_position === 0
    ? []
    : [{ sessionUpdate: 'agent_thought_chunk', content: text(`${message}\n\n`) }];

/** What ended in an error is told as the answer to the prompt. */
const stopUpdates = ({ reason, message }: EventOf<'run_stopped'>): AcpUpdate[] =>
  ['limit', 'loop', 'retries_exhausted'].includes(reason)
    ? [{ sessionUpdate: 'agent_message_chunk', content: text(`\n\n${message}`) }]
    : [];

/** Live output is shown from its end; the result has all of it. */
const LIVE_CHARACTERS = 8_000;

/** What the editor shows of the call as it is may hold more than meets the eye. */
const unseenFact = (call: ToolCall): string[] => {
  const unseen = unseenIn(JSON.stringify(call.arguments));
  return unseen.length === 0 ? [] : [`The arguments hold characters that cannot be seen: ${unseen.join(' ')}`];
};

/** Where a yes counts once, nothing else is offered. */
const lastingOptions = (rule: Rule): PermissionOption[] => {
  const what = visibleLine(shownRule(rule));
  return [
    { optionId: 'session', name: `Allow ${what} for this session`, kind: 'allow_always' },
    { optionId: 'remember', name: `Always allow ${what} here`, kind: 'allow_always' },
  ];
};

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const content = (value: string): ToolCallContent => ({ type: 'content', content: text(value) });

const chunks = (kind: 'user_message_chunk', said: string | ContentPart[]): AcpUpdate[] =>
  (typeof said === 'string' ? [{ type: 'text' as const, text: said }] : said).map((part) => ({
    sessionUpdate: kind,
    content:
      part.type === 'text' ? text(part.text) : { type: 'image', mimeType: part.mime_type, data: part.data_base64 },
  }));

const kindOf = (tool: Tool | undefined): ToolKind => {
  if (tool === undefined) return 'other';
  if (tool.name.includes('search')) return 'search';
  switch (tool.effects) {
    case 'read':
      return 'read';
    case 'write':
      return 'edit';
    case 'process':
      return 'execute';
    case 'network':
      return 'fetch';
    case 'none':
      return 'other';
    default:
      return tool.effects satisfies never;
  }
};

const finished = (toolCallId: string, result: ToolResult, change: ToolCallContent | undefined): AcpUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  status: result.success ? 'completed' : 'failed',
  content:
    result.success && change !== undefined
      ? [change]
      : [content([reasonFor(result), result.data].filter((part) => part !== null).join('\n'))],
  rawOutput: result,
});

const planEntry = ({ content: said, status }: Task) => ({ content: said, priority: 'medium' as const, status });

/** An edit that says itself what becomes what; of the others the preview knows. */
const changeOf = (call: ToolCall, root: string): ToolCallContent | undefined => {
  const { path, old_text: oldText, new_text: newText } = call.arguments;
  if (typeof path !== 'string' || typeof oldText !== 'string' || typeof newText !== 'string') return undefined;
  return { type: 'diff', path: join(root, path), oldText, newText };
};

const previewContent = (preview: Preview | undefined, call: ToolCall, root: string): ToolCallContent[] => {
  if (preview === undefined) return [];
  const { path } = call.arguments;
  const sides = preview.diff === undefined || typeof path !== 'string' ? undefined : sidesOf(preview.diff);
  if (sides !== undefined && typeof path === 'string') {
    return [content(visibleText(preview.summary)), { type: 'diff', path: join(root, path), ...sides }];
  }
  return [content(visibleText(preview.diff === undefined ? preview.summary : `${preview.summary}\n${preview.diff}`))];
};

/** The regions that change, before and after. A diff that was cut for its length cannot be told so. */
const sidesOf = (diff: string): { oldText: string | null; newText: string } | undefined => {
  const [from, , ...lines] = diff.split('\n');
  let before = '';
  let after = '';
  for (const [index, line] of lines.entries()) {
    const rest = `${line.slice(1)}${lines[index + 1]?.startsWith('\\') ? '' : '\n'}`;
    if (!/^(?:@@ |[-+ \\]|$)/.test(line)) return undefined;
    if (/^[- ]|^$/.test(line)) before += rest;
    if (/^[+ ]|^$/.test(line)) after += rest;
  }
  return { oldText: from === '--- /dev/null' ? null : before, newText: after };
};

const countedOf = (event: EventOf<'assistant_message_added'>): ContextUse | undefined => {
  const usage = countedIn(event);
  return usage && countedUse(usage);
};

const usageUpdates = (use: ContextUse | undefined, size: number | undefined): AcpUpdate[] =>
  use === undefined || size === undefined ? [] : [{ sessionUpdate: 'usage_update', used: use.tokens, size }];
