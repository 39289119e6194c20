/**
 * An answer in somebody else's conversation, with somebody else's tools: nothing of halter's own runs here. What the model
 * wrote as a call is given back as one that fits its tool's schema, or is asked for again, or decoded under the schema.
 */

import { AGENT_LIMITS } from '../agent/limits.ts';
import { furtherWords, heldReminder } from '../agent/loop/call-model/remind.ts';
import { createToolRegistry, type ToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import { CONTENT_FILTER } from '../core/answer-end.ts';
import { asksQuestion } from '../core/asks-person.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { FinishReason, ModelMessage, ToolCall, Usage } from '../core/message.ts';
import { announcesCall, NUDGE } from '../core/nudge.ts';
import { counted } from '../core/number-text.ts';
import type { Tool } from '../core/tool.ts';
import { leastPromptTokens } from '../core/window/least-tokens.ts';
import { wasCut } from '../core/window.ts';
import { withAbsolutePaths } from './absolute-paths.ts';
import { callCut, endedBy, finishWithoutCalls, isCut, isEmpty, isOwnEnd } from './answer-facts.ts';
import { askModel } from './ask-model.ts';
import type { Asking, CompletionPart, Said } from './asking.ts';
import { bareCall, isTaken } from './bare-call.ts';
import { type CheckedCall, checkCall } from './check-calls.ts';
import { decode } from './decode.ts';
import { fromModelError, GatewayError } from './error.ts';
import {
  GUARDS,
  type Guard,
  type GuardNote,
  halfCallEnding,
  halfCallNote,
  LOOP_NOTE,
  loopEnding,
  loopState,
  promptCutEnding,
  unknownEnding,
} from './guards.ts';
import { jsonAnswer } from './json-answer.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import type { GatewayRequest } from './request.ts';
import { saidMessages } from './said-messages.ts';
import { promptTokens, sumUsage, type UsageSum } from './usage.ts';

export type CompletionRequest = Pick<Asking, 'chosen' | 'way' | 'sight' | 'onRetrying'> &
  Pick<GatewayRequest, 'messages' | 'tools' | 'toolChoice' | 'parallel' | 'sampling' | 'stop' | 'responseSchema'> & {
    /** Sampling fields that this model's server knows. */
    passthrough?: JsonObject;
    /** All of them by default. */
    guards?: ReadonlySet<Guard>;
    /** Told as soon as a guard does something. */
    onGuard?: (note: GuardNote) => void;
    /** The caller waits for the whole answer. */
    whole?: boolean;
    /** What is spent is added to it, also where there is no answer in the end. */
    usage?: UsageSum;
    signal: AbortSignal;
  };

export type Completion = {
  text: string;
  reasoning: string;
  calls: ToolCall[];
  finish: FinishReason;
  /** The model's server cut it by its filter. */
  filtered?: true;
  /** The stop sequence that ended the answer. */
  stoppedBy?: string | undefined;
  /** Of all requests to the model server together. */
  usage: Usage;
  requests: number;
  guards: readonly GuardNote[];
};
export type CompletionOutcome = { ok: true; value: Completion } | { ok: false; error: GatewayError };

/** What is given back, and a call that no repair made right where nothing else is left. */
type SureCalls = {
  calls: ToolCall[];
  /** The answer that they, or the words, were taken from: how any other ended is not told. */
  from: Said;
  unusable?: CheckedCall | undefined;
  /** Handed on all the same: the client's own check has the last word. */
  misfits?: readonly CheckedCall[];
  /** What the model said instead, when it was asked again. */
  words?: string | undefined;
  /** The first answer was nothing but the arguments of the call. */
  isBare?: boolean | undefined;
};

/** Hands on text as it comes, except where an answer has to fit a schema: that is handed on when it is known to. */
export const complete = async (
  request: CompletionRequest,
  emit: (part: CompletionPart) => void,
): Promise<CompletionOutcome> => {
  try {
    return { ok: true, value: await new CompletionRun(request, emit).answer() };
  } catch (error) {
    if (error instanceof GatewayError) return { ok: false, error };
    throw error;
  }
};

/** One answer: as many requests as it takes, and what was done about each. */
class CompletionRun {
  readonly #request: CompletionRequest;
  readonly #emit: (part: CompletionPart) => void;
  readonly #asking: Asking;
  readonly #guards: ReadonlySet<Guard>;
  readonly #notes: GuardNote[] = [];

  constructor(request: CompletionRequest, emit: (part: CompletionPart) => void) {
    this.#request = request;
    this.#emit = emit;
    this.#guards = request.guards ?? new Set(GUARDS);
    this.#asking = {
      ...request,
      usage: request.usage ?? sumUsage(),
      registry: registryFor(request),
      sight: this.#guards.has('tools_unseen') ? request.sight : undefined,
      onLeftOut: (way) => this.#report(way === 'told' ? 'tools_unseen_noticed' : 'tools_unseen_described'),
    };
  }

  async answer(): Promise<Completion> {
    const { responseSchema } = this.#request;
    const loop = loopState(this.#request.messages);
    // A model that is led takes every word for the person's, so it is told nothing.
    const isTold = loop.isLoop && !this.#isLed && this.#note('loop', 'loop_told');
    const messages = isTold ? [...this.#request.messages, wish(LOOP_NOTE)] : this.#request.messages;
    const first = await this.#askUntilSomething(messages);
    let said = await this.#madeOfHeld(messages, first);
    let sure = await this.#sureCalls(messages, said);
    if (sure.calls.length === 0 && first.held === undefined && this.#isAnnouncement(said)) {
      said = await this.#nudged(messages, said);
      sure = await this.#sureCalls(messages, said);
    }
    let { calls } = sure;
    let text = sure.isBare ? '' : said.text;
    if (this.#wantsCall() && calls.length > 0 && text !== '') this.#emit({ type: 'text', delta: text });
    const addText = (more: string): void => {
      const delta = text === '' ? more : `\n\n${more}`;
      text += delta;
      this.#emit({ type: 'text', delta });
    };
    const isAmongWords = said.damaged !== '' && text.trim() !== '';
    if (sure.words !== undefined && !isAmongWords) addText(sure.words);
    // What could not be read as a call, and became none, is what the model said.
    else if (calls.length === 0 && said.damaged !== '') {
      text += said.damaged;
      if (responseSchema === undefined) this.#emit({ type: 'text', delta: said.damaged });
    }
    const half = calls.filter(({ malformed }) => malformed?.cut);
    let used = sure.from;
    /** Where the gateway itself ended the answer. */
    let ended: FinishReason | undefined;
    if (half.length > 0) {
      calls = calls.filter(({ malformed }) => !malformed?.cut);
      this.#report('half_call_refused');
      const names = half.map(({ name }) => name);
      addText(halfCallEnding(names, callCut(used)));
      ended = callCut(used) === 'limit' ? 'length' : 'stop';
    } else if ((isTold || (this.#isLed && this.#guards.has('loop'))) && loop.continues(calls)) {
      this.#report('loop_ended');
      addText(loopEnding(calls));
      calls = [];
      ended = 'stop';
    }
    if (this.#wantsCall() && calls.length === 0) {
      throw new GatewayError(
        502,
        'no_tool_call',
        'A tool call was required, and the model made none that could be read.',
      );
    }
    if (responseSchema && calls.length === 0) {
      ({ text, from: used } = await this.#fittingAnswer(responseSchema, said));
      if (text !== '') this.#emit({ type: 'text', delta: text });
    }
    if (calls.length === 0 && sure.unusable) addText(unusableEnding(sure.unusable));
    for (const { call } of sure.misfits ?? []) if (calls.includes(call)) this.#report('misfit_call_handed_on');
    this.#noticeCut(said, addText);
    const isFiltered = this.#noticeEnd(endedBy(used), calls.length > 0 || responseSchema !== undefined, addText);
    return {
      text,
      reasoning: said.reasoning,
      calls,
      finish: calls.length > 0 ? 'tool_calls' : (ended ?? finishWithoutCalls(used)),
      ...(isFiltered && calls.length === 0 ? { filtered: true as const } : {}),
      stoppedBy: used.stoppedBy,
      usage: this.#asking.usage.total(),
      requests: this.#asking.usage.requests(),
      guards: this.#notes,
    };
  }

  get #isLed(): boolean {
    return this.#request.way?.led === true;
  }

  #note(guard: Guard, note: GuardNote): boolean {
    if (!this.#guards.has(guard)) return false;
    this.#report(note);
    return true;
  }

  #report(note: GuardNote): void {
    this.#notes.push(note);
    this.#request.onGuard?.(note);
  }

  /** `thoughts`: of an answer before, which stay before those of this one. */
  async #ask(messages: readonly ModelMessage[], isHeard: boolean, thoughts = ''): Promise<Said> {
    const emit = isHeard && this.#request.responseSchema === undefined ? behind(thoughts, this.#heard) : undefined;
    const said = await askModel(this.#asking, messages, emit, () => this.#report('broken_answer_asked_again'));
    // A stream that broke is an error on every wire, whatever came before.
    if (!said.outcome.ok) throw fromModelError(said.outcome.error);
    return { ...said, reasoning: [thoughts, said.reasoning].filter((one) => one !== '').join(BETWEEN) };
  }

  /** Where a call has to come, text is told with it: it may be the arguments. */
  readonly #heard = (part: CompletionPart): void => {
    if (part.type === 'reasoning' || !this.#wantsCall()) this.#emit(part);
  };

  /** Asks again where nothing came that a reader could have: nothing at all, or thoughts alone. */
  async #askUntilSomething(messages: readonly ModelMessage[]): Promise<Said> {
    let said = await this.#ask(messages, true);
    // A call that has to come is decoded from what was thought.
    const isNothing = (one: Said): boolean =>
      isEmpty(one) && !(this.#wantsCall() && one.reasoning !== '') && !this.#asksOf(one);
    for (let attempt = 0; attempt < AGENT_LIMITS.emptyReplyRetries && isNothing(said); attempt += 1) {
      if (!this.#note('empty_answer', 'empty_answer_asked_again')) return said;
      said = await this.#ask(messages, true, said.reasoning);
    }
    if (isNothing(said) && this.#guards.has('empty_answer')) throw nothingAnswered(said);
    return said;
  }

  /** The model is asked about a call in it. To ask for the call where it asks would answer in the person's place. */
  #asksOf({ held, text, damaged }: Said): boolean {
    return held !== undefined && !this.#isLed && this.#guards.has('announcement') && !asksQuestion(text + damaged);
  }

  #wantsCall(): boolean {
    const { toolChoice } = this.#request;
    return toolChoice === 'required' || typeof toolChoice === 'object';
  }

  #isAnnouncement({ outcome, text, stoppedBy }: Said): boolean {
    if (this.#isLed) return false;
    const isOver = outcome.ok && isOwnEnd(outcome.answer) && stoppedBy === undefined;
    return (
      isOver && this.#request.toolChoice === 'auto' && this.#asking.registry.tools.length > 0 && announcesCall(text)
    );
  }

  /** "I will now read the file" without a call: the model is reminded once. */
  async #nudged(messages: readonly ModelMessage[], said: Said): Promise<Said> {
    if (!this.#note('announcement', 'announcement_nudged')) return said;
    const again = await this.#ask([...messages, ...saidMessages(said), wish(NUDGE)], false);
    const between = said.text === '' || again.text === '' ? '' : '\n\n';
    if (again.text !== '') this.#emit({ type: 'text', delta: `${between}${again.text}` });
    return {
      ...again,
      text: `${said.text}${between}${again.text}`,
      reasoning: `${said.reasoning}${again.reasoning}`,
    };
  }

  /** Calls stand among words: the model is asked about them once. If it makes none then, its answer stays as it was. */
  async #madeOfHeld(messages: readonly ModelMessage[], said: Said): Promise<Said> {
    const { held } = said;
    if (held === undefined && said.isTold) this.#report('call_in_text_noticed');
    if (held === undefined) return said;
    const kept = { ...said, held: undefined };
    const again =
      this.#asksOf(said) && this.#note('announcement', 'announcement_nudged')
        ? await this.#ask(
            [...messages, ...saidMessages(said), wish(heldReminder(held, this.#asking.way?.dialect ?? 'auto'))],
            false,
            held.isThought ? said.reasoning : '',
          )
        : undefined;
    if (again === undefined || again.calls.length === 0) this.#report('call_in_text_noticed');
    if (held.isThought && isEmpty(again ?? kept) && !this.#wantsCall() && this.#guards.has('empty_answer'))
      throw nothingAnswered(said);
    if (again === undefined || isEmpty(again)) return kept;
    if (again.calls.length === 0) {
      const more = furtherWords(said.text + said.damaged, again.text);
      if (more === '') return kept;
      // The words that come last end the answer.
      const { outcome, stoppedBy } = again;
      return { ...kept, outcome, stoppedBy, damaged: said.damaged === '' ? more : `${said.damaged}\n\n${more}` };
    }
    const between = said.text === '' || again.text === '' ? '' : '\n\n';
    if (again.text !== '') this.#heard({ type: 'text', delta: `${between}${again.text}` });
    return { ...again, held: undefined, text: `${said.text}${between}${again.text}` };
  }

  /** The calls to give back: those that fit, and the others repaired in the way that costs least. */
  async #sureCalls(messages: readonly ModelMessage[], said: Said): Promise<SureCalls> {
    const { signal } = this.#asking;
    let checked = this.#checked(said);
    const isBare = isTaken(checked);
    let last = said;
    if (this.#wantsCall() && checked.length === 0) ({ checked, from: last } = await this.#requiredCall(messages, said));
    let from = last;
    for (let attempt = 0; attempt < this.#repairs(checked) && checked.some(isBad); attempt += 1) {
      checked = await this.#decodeBad(messages, checked);
      if (!checked.some(isBad) || signal.aborted || this.#isLed) break;
      const isHalf = checked.some(({ call }) => call.malformed?.cut);
      if (isHalf && !this.#note('half_call', 'half_call_asked_again')) break;
      const problems = checked.flatMap(({ problem }) => problem ?? []).join('\n');
      const again = isHalf ? halfCallNote(callCut(last)) : `${problems}\nSend all calls again.`;
      last = await this.#ask([...messages, ...saidMessages(last), wish(again)], false);
      const made = this.#checked(last);
      if (made.length === 0) break;
      from = last;
      checked = made;
    }
    // A call of a tool that does not exist is of no use to anybody; one with odd arguments may be. Arguments that could
    // not be read at all would arrive as none.
    const calls = checked
      .filter(({ tool, call }) => tool !== undefined && (call.malformed === undefined || call.malformed.cut))
      .map(({ call }) => call);
    const limited = (made: ToolCall[]): ToolCall[] =>
      (this.#request.parallel ? made : made.slice(0, 1)).map((call) => this.#inFolder(call));
    // Asked again, it answers in words, so the calls that were refused are not meant any more.
    if (last !== from && last.text.trim() !== '') {
      const fitting = checked.filter((one) => !isBad(one)).map(({ call }) => call);
      return { calls: limited(fitting), from: last, words: last.text, isBare };
    }
    return {
      isBare,
      calls: limited(calls),
      from,
      unusable: calls.length === 0 ? checked.find(isBad) : undefined,
      misfits: checked.filter(isBad),
    };
  }

  #inFolder(call: ToolCall): ToolCall {
    const tool = this.#isLed ? this.#asking.registry.get(call.name) : undefined;
    return tool === undefined ? call : withAbsolutePaths(call, tool, this.#request.messages);
  }

  /** What was cut by the token limit would mostly be cut again. */
  #repairs(checked: readonly CheckedCall[]): number {
    return checked.some(({ call }) => call.malformed?.cut) ? GATEWAY_LIMITS.halfCallRetries : LIMITS.repairs;
  }

  async #decodeBad(messages: readonly ModelMessage[], checked: readonly CheckedCall[]): Promise<CheckedCall[]> {
    const repaired: CheckedCall[] = [];
    for (const entry of checked) {
      const call =
        entry.problem !== undefined && entry.tool && !entry.call.malformed?.cut
          ? await decode(this.#asking, messages, entry.tool)
          : undefined;
      repaired.push(call ? { tool: entry.tool as Tool, call: { ...call, id: entry.call.id } } : entry);
    }
    return repaired;
  }

  /** The calls of an answer; where one has to come, its bare arguments are one. */
  #checked(said: Said): CheckedCall[] {
    const { registry } = this.#asking;
    const checked = said.calls.map((call) => checkCall(registry, call));
    if (!this.#wantsCall() || checked.some(({ tool }) => tool !== undefined)) return checked;
    return bareCall(registry, said) ?? checked;
  }

  /** The caller wants a call and there is none: decoded where one tool is meant, else asked for in words. */
  async #requiredCall(messages: readonly ModelMessage[], said: Said): Promise<{ checked: CheckedCall[]; from: Said }> {
    const { registry } = this.#asking;
    const [only, ...others] = registry.tools;
    if (only === undefined) return { checked: [], from: said };
    if (others.length === 0) {
      const call = await decode(this.#asking, messages, only);
      if (call) return { checked: [{ tool: only, call: { ...call, id: 'call_1' } }], from: said };
    }
    const names = registry.tools.map(({ name }) => name).join(', ');
    const again = await this.#ask(
      [...messages, ...saidMessages(said), wish(`Answer with a call of one of these tools: ${names}.`)],
      false,
    );
    return { checked: this.#checked(again), from: again };
  }

  /**
   * Repaired by our own parser, or asked for once more. What does not fit then is an error, but where a filter cut it:
   * clients know that end, and are told of it with nothing that they could take for the value.
   */
  async #fittingAnswer(schema: JsonSchema, said: Said): Promise<{ text: string; from: Said }> {
    const first = jsonAnswer(said.text, schema, isCut(said));
    if (first.ok) return { text: first.value, from: said };
    const again = await this.#ask(
      [
        ...this.#request.messages,
        ...saidMessages(said),
        wish(
          `${first.error.message} Answer with nothing but JSON that fits this schema: ${JSON.stringify(schema as JsonValue)}`,
        ),
      ],
      false,
    );
    const second = jsonAnswer(again.text, schema, isCut(again));
    if (second.ok) return { text: second.value, from: again };
    if (endedBy(again) === CONTENT_FILTER) return { text: '', from: again };
    throw new GatewayError(502, 'answer_does_not_fit', `${second.error.message} The model was asked twice.`);
  }

  /** `isChecked`: what came is known to be whole. True where a filter cut the answer. */
  #noticeEnd(word: string | undefined, isChecked: boolean, addText: (more: string) => void): boolean {
    if (word === undefined) return false;
    this.#report(word === CONTENT_FILTER ? 'filtered_noticed' : 'unknown_end_noticed');
    if (word !== CONTENT_FILTER && !isChecked) addText(unknownEnding(word));
    return word === CONTENT_FILTER;
  }

  /** A server that cuts a prompt in silence gives itself away by its count. */
  #noticeCut({ outcome }: Said, addText: (more: string) => void): void {
    const usage = outcome.ok ? outcome.answer.usage : undefined;
    if (usage === undefined || this.#request.responseSchema || (outcome.ok && outcome.answer.led)) return;
    const expected = promptTokens(this.#request.messages, this.#asking.registry.schemas);
    const read = usage.prompt_tokens + (usage.cached_tokens ?? 0);
    const least = leastPromptTokens(this.#request.messages, this.#asking.registry.schemas);
    if (wasCut(read, { expected, least, calibrated: false }) && this.#note('prompt_cut', 'prompt_cut_noticed'))
      addText(promptCutEnding(read, expected));
  }
}

const nothingAnswered = ({ reasoning }: Said): GatewayError =>
  new GatewayError(
    502,
    'empty_answer',
    `The model ${reasoning === '' ? '' : 'only thought and '}answered nothing, ${counted(AGENT_LIMITS.emptyReplyRetries + 1, 'time')}.`,
  );

const unusableEnding = ({ call }: CheckedCall): string =>
  call.name === ''
    ? 'The model wrote a call that names no tool, so it was not made.'
    : call.malformed
      ? `The model called ${call.name}, and its arguments could not be read (${call.malformed.problem}), so the call was not made.`
      : `The model called ${call.name}, which is no tool that is on offer, so the call was not made.`;

const wish = (content: string): ModelMessage => ({ role: 'user', content });

const BETWEEN = '\n\n';

/** Tells the first thought apart from the thoughts before it. */
const behind = (thoughts: string, emit: (part: CompletionPart) => void): typeof emit => {
  let between = thoughts === '' ? '' : BETWEEN;
  return ({ type, delta }) => {
    emit({ type, delta: type === 'reasoning' ? `${between}${delta}` : delta });
    if (type === 'reasoning') between = '';
  };
};

const registryFor = ({ tools, toolChoice }: CompletionRequest): ToolRegistry => {
  const offered =
    toolChoice === 'none'
      ? []
      : typeof toolChoice === 'object'
        ? tools.filter((tool) => tool.function.name === toolChoice.name)
        : tools;
  return createToolRegistry(
    offered.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      parameters,
      risk: 'high',
      effects: 'process',
      run: () => {
        throw new Error(`${name} is the caller's tool and does not run here`);
      },
    })),
  );
};

const isBad = ({ problem }: CheckedCall): boolean => problem !== undefined;
