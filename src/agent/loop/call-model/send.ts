/** The one place from which the requests of a conversation go out. */
import { alternating } from '../../../core/alternating.ts';
import type { SessionUpdate } from '../../../core/events.ts';
import type { ModelMessage } from '../../../core/message.ts';
import type { ModelError, ModelOutcome, ModelRequest } from '../../../core/model-port.ts';
import type { Tool } from '../../../core/tool.ts';
import { leftOutTools } from '../../../core/window/left-out-tools.ts';
import { createPrefixWatch } from '../../../core/window/prefix.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { callsAsText, injectTools, refusedAsText } from './inject-tools.ts';
import type { PictureState } from './picture-state.ts';
import { constrainedCall, constrainedRequest, isUnfit, unfitText } from './repair-constrained.ts';
import { injectedNotice, leftOutNotice, type ToolNotice, type UnsureTools } from './tool-notation.ts';
import { type CallModelOptions, hasWrittenCalls, runTurn, type Turn, warn } from './turn.ts';

export type Sender = {
  send(session: SessionHandle, messages: readonly ModelMessage[], kept?: boolean): Promise<Turn>;
  /** Has the server write the arguments of one tool and nothing else. */
  sendConstrained(session: SessionHandle, messages: readonly ModelMessage[], tool: Tool): Promise<Turn>;
  /** The next request is no continuation of the one before, and that is known. */
  begin(): void;
  /** What would go out with these messages now. */
  requestOf(model: string, messages: readonly ModelMessage[]): ModelRequest;
};

/** How tools are put to the server now. */
export type SharedToolMode = {
  now: CallModelOptions['toolMode'];
  /** What the person has yet to be told of it. */
  untold: ToolNotice | undefined;
  /** Whether the model gets them is still to be seen in what its server counts. */
  unsure: UnsureTools | undefined;
  /** Whether pictures are shown. */
  pictures: PictureState;
};

export const createSender = (options: CallModelOptions, mode: SharedToolMode): Sender =>
  new RequestSender(options, mode);

class RequestSender implements Sender {
  readonly #options: CallModelOptions;
  readonly #mode: SharedToolMode;
  readonly #prefix = createPrefixWatch();

  constructor(options: CallModelOptions, mode: SharedToolMode) {
    this.#options = options;
    this.#mode = mode;
  }

  begin(): void {
    this.#prefix.forget();
  }

  requestOf(model: string, all: readonly ModelMessage[]): ModelRequest {
    const { registry, dialect, sampling, stop, profile } = this.#options;
    const messages = alternating(this.#mode.pictures.shown(all));
    const { schemas } = registry;
    const native = this.#mode.now === 'native';
    const inText = (): readonly ModelMessage[] =>
      schemas.length === 0 ? callsAsText(messages, dialect) : injectTools(messages, schemas, dialect);
    return {
      model,
      // Results that are told in words are words of the person to a template.
      messages: alternating(native ? refusedAsText(messages) : inText(), ''),
      tools: native ? schemas : [],
      ...(native || schemas.length === 0 ? {} : { tools_in_text: true as const }),
      sampling,
      response_schema: this.#options.responseSchema?.(),
      parallel_calls: profile?.parallel_calls,
      stop: stop?.length ? stop : undefined,
    };
  }

  async send(session: SessionHandle, messages: readonly ModelMessage[], kept = true): Promise<Turn> {
    const mode = this.#mode;
    if (mode.untold !== undefined && this.#options.registry.schemas.length > 0) {
      warn(session, mode.untold.code, mode.untold.message);
      mode.untold = undefined;
    }
    const { model } = session.state();
    if (await mode.pictures.comesBack(model, messages, session.signal())) this.#prefix.forget();
    for (const sentence of mode.pictures.notPictures(messages)) warn(session, 'not_a_picture', sentence);
    const first = await this.#sendOnce(session, messages, kept);
    const turn = await this.#withoutRefusedPictures(session, messages, kept, first);
    if (mode.now === 'native' && turn.outcome.ok) return this.#withSeenTools(session, messages, kept, turn);
    if (turn.outcome.ok || turn.outcome.error.code !== 'tools_unsupported' || mode.now !== 'native') return turn;
    const { code, message } = injectedNotice(session.state().model, 'its server refuses them');
    warn(session, code, message);
    mode.now = 'injected';
    this.#prefix.forget();
    return this.#sendOnce(session, messages, kept);
  }

  async sendConstrained(session: SessionHandle, messages: readonly ModelMessage[], tool: Tool): Promise<Turn> {
    const request = { ...this.requestOf(session.state().model, messages), tools: [], response_schema: undefined };
    // Shown only when it turns out to be something else than arguments.
    const held: SessionUpdate[] = [];
    const quiet: SessionHandle = {
      ...session,
      progress: (update) => (isDelta(update) ? void held.push(update) : session.progress(update)),
    };
    const turn = await runTurn(quiet, this.#options, constrainedRequest(request, tool), messages);
    const { outcome } = turn;
    const isText = outcome.ok && outcome.answer.calls.length === 0;
    const call = isText ? constrainedCall(tool, turn.whole) : undefined;
    if (call && outcome.ok) {
      const answer: ModelOutcome = { ok: true, answer: { ...outcome.answer, calls: [call], finish: 'tool_calls' } };
      return { ...turn, outcome: answer, text: '', written: undefined, constrained: true };
    }
    if (isText && isUnfit(tool, turn.whole)) warn(session, 'constrained_unfit', unfitText(tool.name));
    if (outcome.ok) for (const update of held) session.progress(update);
    return { ...turn, constrained: true };
  }

  #sendOnce(session: SessionHandle, messages: readonly ModelMessage[], kept: boolean): Promise<Turn> {
    const request = this.requestOf(session.state().model, messages);
    const broken = kept ? this.#prefix.sent(request.messages, request.tools) : undefined;
    if (broken) {
      warn(
        session,
        'prefix_broken',
        `This request does not begin with the one before: it differs from ${broken.place} on, so the server has to read all of that again.`,
      );
    }
    return runTurn(session, this.#options, request, messages);
  }

  /** Looked at once, at the first answer to a request with tools: a server that drops them drops them always. */
  async #withSeenTools(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    kept: boolean,
    turn: Turn,
  ): Promise<Turn> {
    const mode = this.#mode;
    const usage = turn.outcome.ok ? turn.outcome.answer.usage : undefined;
    const { unsure } = mode;
    if (unsure === undefined || usage === undefined || this.#options.registry.schemas.length === 0) return turn;
    mode.unsure = undefined;
    if (!turn.outcome.ok || turn.outcome.answer.calls.length > 0 || hasWrittenCalls(turn)) return turn;
    const { model } = session.state();
    const sent = this.requestOf(model, messages);
    const read = usage.prompt_tokens + (usage.cached_tokens ?? 0);
    if (!leftOutTools(read, sent.messages, sent.tools)) return turn;
    const { code, message } = leftOutNotice(model, { read, tools: sent.tools.length, unsure });
    warn(session, code, message);
    if (unsure === 'told' || session.signal().aborted) return turn;
    mode.now = 'injected';
    this.#prefix.forget();
    if (turn.text.trim() !== '') session.progress({ type: 'text_delta', delta: '\n\n' });
    const again = await this.#sendOnce(session, messages, kept);
    return again.outcome.ok ? again : turn;
  }

  /** Sent again without pictures where they may be what was refused; kept out where that helps. */
  async #withoutRefusedPictures(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    kept: boolean,
    turn: Turn,
  ): Promise<Turn> {
    const { pictures } = this.#mode;
    const { outcome } = turn;
    if (outcome.ok) pictures.taken(messages);
    const doubt = outcome.ok || outcome.partial ? 'no' : pictures.doubts(messages, outcome.error);
    const left = doubt === 'of_one' ? undefined : pictures.settle(outcome.ok || outcome.partial);
    if (left !== undefined) warn(session, 'picture_unreadable', left);
    if (doubt === 'no') return turn;
    if (doubt === 'of_one' && !outcome.ok && pictures.leaveOutNewest(messages, outcome.error.message)) {
      if (!pictures.isTrying) warn(session, 'picture_unreadable', unreadableText(outcome.error));
      this.#prefix.forget();
      return this.#withoutRefusedPictures(session, messages, kept, await this.#sendOnce(session, messages, kept));
    }
    pictures.leaveOut(true);
    this.#prefix.forget();
    const again = await this.#sendOnce(session, messages, kept);
    if (doubt === 'perhaps' && !again.outcome.ok) {
      pictures.leaveOut(false);
      this.#prefix.forget();
      return turn;
    }
    const warning = pictures.warning(messages);
    if (warning !== undefined) warn(session, 'pictures_refused', warning);
    return again;
  }
}

const unreadableText = ({ message }: ModelError): string =>
  `The newest pictures are left out, since the server could not read them: ${message}`;

const isDelta = ({ type }: SessionUpdate): boolean =>
  type === 'text_delta' || type === 'reasoning_delta' || type === 'tool_call_delta';
