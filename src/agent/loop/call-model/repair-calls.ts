/** From what a model wrote to calls that can be looked at: native ones, those in its text, those that broke off. */
import { withDigits } from '../../../core/call-arguments.ts';
import type { FinishReason, Repair, ToolCall } from '../../../core/message.ts';
import type { ModelAnswer, ProviderCall } from '../../../core/model-port.ts';
import { isNestedDeeper, TOO_DEEP } from '../../../core/nested-json.ts';
import { USE_TOOL, unwrapUse } from '../../../core/tool/tool-shortlist.ts';
import type { Tool } from '../../../core/tool.ts';
import {
  type BrokenCall,
  createParser,
  type ParsedCall,
  type ParseResult,
  type UnreadCall,
  type WrittenCalls,
} from '../../../dialects/index.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';

/** Ids are unique in a session, so that a server which counts from zero each time cannot mix up results. */
export const collectCalls = (
  used: Set<string>,
  registry: ToolRegistry,
  answer: Pick<ModelAnswer, 'calls'> & Partial<Pick<ModelAnswer, 'finish'>>,
  written: WrittenCalls | undefined,
): ToolCall[] => {
  const identify = (id: string | undefined): string => {
    const free = id !== undefined && id !== '' && !used.has(id) ? id : nextId(used);
    used.add(free);
    return free;
  };
  const finish = (call: Omit<ToolCall, 'id'>, id: string | undefined): ToolCall => {
    const meant = registry.get(USE_TOOL) ? call : unwrapUse(call);
    const { name, repair } = registry.resolveName(meant.name);
    const repairs = repair ? [...meant.repairs, repair] : meant.repairs;
    return withDigits({ ...meant, id: identify(id), name, repairs });
  };
  const native = answer.calls.map(({ id, ...call }) => finish(call, id));
  const read = (written?.parts ?? []).flatMap((part): ToolCall[] => {
    switch (part.kind) {
      case 'call':
        return [finish(fromText(part.call, written?.dialect ?? ''), part.call.id)];
      case 'broken':
        return brokenCall(registry, part.broken, answer.finish).map((call) => finish(call, undefined));
      case 'unread':
        return [finish(unreadAsCall(part.unread), ownId(part.unread))];
      default:
        return part satisfies never;
    }
  });
  return [...native, ...read];
};

/** The model's own id of a call that is answered and not made. Ids that were only counted are told apart by their form. */
const ownId = ({ text, name }: UnreadCall): string | undefined => {
  const parser = createParser({ dialect: 'auto' });
  parser.push(text);
  const [call, ...more] = parser.end().result.calls;
  return call?.name === name && more.length === 0 && !/^call_\d+$/.test(call.id) ? call.id : undefined;
};

/**
 * What stands beside calls to tools that there are not: those are shown as calls, and their answer is another call's, so the
 * words would be lost.
 */
export const besideUnmade = (whole: string, { parts }: WrittenCalls): string => {
  const texts = parts.flatMap((part) =>
    part.kind === 'unread' && part.unread.problem === undefined ? [part.unread.text] : [],
  );
  if (texts.length < parts.length || !texts.every((text) => text !== '' && whole.includes(text))) return '';
  const rest = texts.reduce((words, text) => words.replace(text, () => ''), whole);
  return rest
    .replaceAll(/```\w*\s*```/g, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
};

/** A tool that there is not, or not here, is answered as every unknown tool is; anything else with what was wrong. */
const unreadAsCall = ({ name, arguments: args, problem, text, isCut }: UnreadCall): Omit<ToolCall, 'id'> => ({
  name,
  arguments: args,
  source: 'parsed',
  repairs: [],
  ...(problem === undefined
    ? {}
    : { malformed: { text: text.slice(0, 2_000), problem, ...(isCut ? { cut: true as const } : {}) } }),
});

/** Of an answer that went back whole the model is shown what it wrote, with its first call; the others stand in it. */
export const asWritten = (calls: readonly ToolCall[], answer: string): readonly ToolCall[] => {
  const text = answer.trim();
  if (text.length > SHOWN_CHARACTERS || !calls.every(({ malformed }) => malformed !== undefined)) return calls;
  return calls.map((call, index) =>
    call.malformed ? { ...call, malformed: { ...call.malformed, text: index === 0 ? text : '' } } : call,
  );
};
/** A longer answer is shown by its calls. */
const SHOWN_CHARACTERS = 8_000;

const fromText = (call: ParsedCall, dialect: string): Omit<ToolCall, 'id'> => {
  const recovered: Repair = { kind: 'text_call', detail: `the call came as text (${dialect})` };
  return { name: call.name, arguments: call.arguments, source: 'parsed', repairs: [recovered, ...call.repairs] };
};

/** The name of such a tool may be guessed: nothing is changed if the guess is wrong. */
export const readsOnly = (tool: Tool | undefined): boolean =>
  tool !== undefined && tool.risk === 'safe' && (tool.effects === 'read' || tool.effects === 'none');

/** The call that a turn of nothing but reasoning means. */
export const thoughtCall = ({ name, arguments: args, repairs }: ParsedCall): ProviderCall => {
  const repair: Repair = {
    kind: 'call_in_reasoning',
    detail: 'the turn was nothing but reasoning that ended in this call',
  };
  return { name, arguments: args, source: 'parsed', repairs: [repair, ...repairs] };
};

/** The broken calls that name no tool; those that are malformed stand in the content already. */
export const unanswerable = (registry: ToolRegistry, parsed: ParseResult): BrokenCall[] =>
  parsed.broken.filter(
    ({ name, problem }) =>
      problem === 'truncated' && (name === undefined || registry.get(registry.resolveName(name).name) === undefined),
  );

const CUT = 'the call was cut off before its end, so it was not run; send it again, in smaller parts if it is long';
/** Nothing cut it: the model had said all that it wanted. */
const UNCLOSED =
  'the call was cut off before its end: the marks that close it are missing, so it was not run; send it again with them';
export const UNREADABLE_ARGUMENTS = 'the arguments could not be read as JSON';
const unreadableArguments = (text: string): string => (isNestedDeeper(text) ? TOO_DEEP : UNREADABLE_ARGUMENTS);

/** A call that began and cannot be run is answered with what was wrong, instead of being lost. */
const brokenCall = (
  registry: ToolRegistry,
  { name, text, problem, reason: known }: BrokenCall,
  finish: FinishReason | undefined,
): Omit<ToolCall, 'id'>[] => {
  // What is no call of an offered tool is text, and it stands in the content already.
  if (name === undefined || registry.get(registry.resolveName(name).name) === undefined) return [];
  const isCut = problem === 'truncated';
  const reason = isCut ? (finish === 'stop' ? UNCLOSED : CUT) : (known ?? unreadableArguments(text));
  const malformed = { text: text.slice(0, 2_000), problem: reason, ...(isCut ? { cut: true as const } : {}) };
  return [{ name, arguments: {}, source: 'parsed', repairs: [], malformed }];
};

const nextId = (used: ReadonlySet<string>): string => {
  for (let number = used.size + 1; ; number += 1) {
    const id = `call_${number}`;
    if (!used.has(id)) return id;
  }
};
