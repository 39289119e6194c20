/** The one place from which the requests of a conversation go out. */
import { alternating } from '../../../core/alternating.ts';
import type { SessionUpdate } from '../../../core/events.ts';
import type { ModelMessage } from '../../../core/message.ts';
import type { ModelOutcome, ModelRequest } from '../../../core/model-port.ts';
import type { Tool, ToolSchema } from '../../../core/tool.ts';
import { createPrefixWatch } from '../../../core/window/prefix.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { callsAsText, injectTools, refusedAsText } from './inject-tools.ts';
import type { PictureState } from './picture-state.ts';
import { constrainedCall, constrainedRequest, isUnfit, unfitText } from './repair-constrained.ts';
import { injectedNotice, type ToolNotice } from './tool-notation.ts';
import { type CallModelOptions, runTurn, type Turn, warn } from './turn.ts';

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
  /** Whether pictures are shown. */
  pictures: PictureState;
};

export const createSender = (options: CallModelOptions, mode: SharedToolMode): Sender => {
  const prefix = createPrefixWatch();
  const parallel = options.profile?.parallel_calls;
  const inText = (messages: readonly ModelMessage[], schemas: readonly ToolSchema[]): readonly ModelMessage[] =>
    schemas.length === 0 ? callsAsText(messages, options.dialect) : injectTools(messages, schemas, options.dialect);
  const requestOf: Sender['requestOf'] = (model, all) => {
    const messages = alternating(mode.pictures.shown(all));
    const { schemas } = options.registry;
    const responseSchema = options.responseSchema?.();
    const native = mode.now === 'native';
    return {
      model,
      // Results that are told in words are words of the person to a template.
      messages: alternating(native ? refusedAsText(messages) : inText(messages, schemas), ''),
      tools: native ? schemas : [],
      ...(native || schemas.length === 0 ? {} : { tools_in_text: true as const }),
      sampling: options.sampling,
      response_schema: responseSchema,
      parallel_calls: parallel,
      stop: options.stop?.length ? options.stop : undefined,
    };
  };
  const sendOnce = (session: SessionHandle, messages: readonly ModelMessage[], kept: boolean): Promise<Turn> => {
    const request = requestOf(session.state().model, messages);
    const broken = kept ? prefix.sent(request.messages, request.tools) : undefined;
    if (broken) {
      warn(
        session,
        'prefix_broken',
        `This request does not begin with the one before: it differs from ${broken.place} on, so the server has to read all of that again.`,
      );
    }
    return runTurn(session, options, request, messages);
  };
  /** Sent again without pictures where they may be what was refused; kept out where that helps. */
  const withoutRefusedPictures = async (
    session: SessionHandle,
    messages: readonly ModelMessage[],
    kept: boolean,
    turn: Turn,
  ): Promise<Turn> => {
    const { pictures } = mode;
    const { outcome } = turn;
    if (outcome.ok) pictures.taken(messages);
    const doubt = outcome.ok || outcome.partial ? 'no' : pictures.doubts(messages, outcome.error);
    if (doubt === 'no') return turn;
    pictures.leaveOut(true);
    prefix.forget();
    const again = await sendOnce(session, messages, kept);
    if (doubt === 'perhaps' && !again.outcome.ok) {
      pictures.leaveOut(false);
      prefix.forget();
      return turn;
    }
    const warning = pictures.warning(messages);
    if (warning !== undefined) warn(session, 'pictures_refused', warning);
    return again;
  };
  return {
    begin: prefix.forget,
    requestOf,
    async sendConstrained(session, messages, tool) {
      const request = { ...requestOf(session.state().model, messages), tools: [], response_schema: undefined };
      // Shown only when it turns out to be something else than arguments.
      const held: SessionUpdate[] = [];
      const quiet: SessionHandle = {
        ...session,
        progress: (update) => (isDelta(update) ? void held.push(update) : session.progress(update)),
      };
      const turn = await runTurn(quiet, options, constrainedRequest(request, tool), messages);
      const call =
        turn.outcome.ok && turn.outcome.answer.calls.length === 0 ? constrainedCall(tool, turn.whole) : undefined;
      if (call && turn.outcome.ok) {
        const outcome: ModelOutcome = {
          ok: true,
          answer: { ...turn.outcome.answer, calls: [call], finish: 'tool_calls' },
        };
        return { ...turn, outcome, text: '', written: undefined, constrained: true };
      }
      if (turn.outcome.ok && turn.outcome.answer.calls.length === 0 && isUnfit(tool, turn.whole))
        warn(session, 'constrained_unfit', unfitText(tool.name));
      if (turn.outcome.ok) for (const update of held) session.progress(update);
      return { ...turn, constrained: true };
    },
    async send(session, messages, kept = true) {
      if (mode.untold !== undefined && options.registry.schemas.length > 0) {
        warn(session, mode.untold.code, mode.untold.message);
        mode.untold = undefined;
      }
      const { model } = session.state();
      if (await mode.pictures.comesBack(model, messages, session.signal())) prefix.forget();
      const first = await sendOnce(session, messages, kept);
      const turn = await withoutRefusedPictures(session, messages, kept, first);
      if (turn.outcome.ok || turn.outcome.error.code !== 'tools_unsupported' || mode.now !== 'native') return turn;
      const { code, message } = injectedNotice(session.state().model, 'its server refuses them');
      warn(session, code, message);
      mode.now = 'injected';
      prefix.forget();
      return sendOnce(session, messages, kept);
    },
  };
};

const isDelta = ({ type }: SessionUpdate): boolean =>
  type === 'text_delta' || type === 'reasoning_delta' || type === 'tool_call_delta';
