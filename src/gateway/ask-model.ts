/** One request of somebody else's conversation: what the model says, with the calls that stand in its text taken out. */

import { callsAsText, injectTools } from '../agent/loop/call-model/inject-tools.ts';
import type { ModelMessage } from '../core/message.ts';
import type { ModelOutcome, ModelRequest } from '../core/model-port.ts';
import type { ToolSchema } from '../core/tool.ts';
import { leftOutTools } from '../core/window/left-out-tools.ts';
import type { Dialect } from '../dialects/index.ts';
import { asRequester } from '../io/requester.ts';
import { PROVIDER_LIMITS } from '../providers/limits.ts';
import { AnswerInParts } from './answer-in-parts.ts';
import type { Asking, CompletionPart, Said } from './asking.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import { spokenMessages } from './spoken-messages.ts';

/** A stream that breaks before anything was handed on is asked for again: nobody heard of it. */
export const askModel = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  /** Absent where nobody hears the answer while it comes. */
  emit: Emit | undefined,
  onAskedAgain: () => void = () => {},
): Promise<Said> => {
  let isTold = false;
  const hear: Emit | undefined =
    emit &&
    ((part) => {
      isTold ||= !asking.whole;
      emit(part);
    });
  let said = await askOneWay(asking, messages, hear);
  let tries = 1;
  for (; tries <= GATEWAY_LIMITS.brokenAnswerRetries && isLost(said) && !isTold; tries += 1) {
    onAskedAgain();
    said = await askOneWay(asking, messages, hear);
  }
  return tries > 1 && isLost(said) ? triedAgain(said, tries) : said;
};

/** So that a client does not repeat what was repeated already: of each of its tries two would be made. */
const triedAgain = (said: Said, tries: number): Said => {
  const { outcome } = said;
  return outcome.ok ? said : { ...said, outcome: { ...outcome, error: { ...outcome.error, tries } } };
};

/** What was tried again already comes out the same. */
const isLost = ({ outcome }: Said): boolean =>
  !outcome.ok && outcome.error.code === 'disconnected' && outcome.partial && outcome.error.tries === undefined;

const askOneWay = async (asking: Asking, messages: readonly ModelMessage[], emit: Emit | undefined): Promise<Said> => {
  const isText = asking.way?.toolMode === 'injected' || isLeftOut(asking);
  const said = await askOnce(asking, messages, isText, emit);
  const { outcome } = said;
  if (isText) return said;
  if (!outcome.ok) return outcome.error.code === 'tools_unsupported' ? askOnce(asking, messages, true, emit) : said;
  const unsure = asking.way?.unsure;
  if (unsure === undefined || !leavesOutTools(asking, messages, said)) return said;
  asking.onLeftOut?.(unsure);
  if (unsure === 'told' || asking.signal.aborted) return said;
  asking.sight?.learnLeftOut();
  return described(asking, messages, emit, said);
};

type Emit = (part: CompletionPart) => void;

const isLeftOut = ({ way, sight, registry }: Asking): boolean =>
  way?.unsure === 'changed' && registry.schemas.length > 0 && sight?.isLeftOut() === true;

/** Only at the beginning of a conversation: of a longer one some servers count what is new alone. */
const leavesOutTools = ({ registry, sight }: Asking, messages: readonly ModelMessage[], said: Said): boolean => {
  const usage = said.outcome.ok ? said.outcome.answer.usage : undefined;
  if (sight === undefined || usage === undefined || said.calls.length > 0 || said.held !== undefined) return false;
  if (messages.some(({ role }) => role === 'assistant')) return false;
  return leftOutTools(usage.prompt_tokens + (usage.cached_tokens ?? 0), messages, registry.schemas);
};

/** Asked again with the tools described in the prompt. What a stream has shown of the first answer stays before it. */
const described = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  emit: Emit | undefined,
  first: Said,
): Promise<Said> => {
  const isShown = emit !== undefined && !asking.whole && first.text !== '';
  let between = isShown ? '\n\n' : '';
  const again = await askOnce(
    asking,
    messages,
    true,
    emit &&
      ((part) => {
        if (part.type === 'text') {
          emit({ type: 'text', delta: `${between}${part.delta}` });
          between = '';
        } else emit(part);
      }),
  );
  if (!isShown) return again;
  const text = between === '' ? `${first.text}\n\n${again.text}` : first.text;
  return { ...again, text, reasoning: `${first.reasoning}${again.reasoning}` };
};

const askOnce = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  injected: boolean,
  emit: Emit = () => {},
): Promise<Said> => {
  const { chosen, way, stop } = asking;
  const request = requestOf(asking, messages, injected);
  const answer = new AnswerInParts(asking, emit);
  const signal = stop.length > 0 ? AbortSignal.any([asking.signal, answer.enough]) : asking.signal;
  const outcome = await asRequester({ who: 'model' }, () =>
    (way?.provider ?? chosen.provider).stream(request, (part) => answer.add(part), signal),
  );
  asking.usage.add({
    sent: request,
    outcome: outcome.ok ? { ok: true, usage: outcome.answer.usage } : outcome,
    written: () => `${answer.written}${writtenArguments(outcome)}`,
  });
  return answer.end(outcome, messages);
};

const requestOf = (asking: Asking, messages: readonly ModelMessage[], injected: boolean): ModelRequest => {
  const { chosen, way, registry, passthrough, sampling, stop, responseSchema } = asking;
  const { schemas } = registry;
  const inWords = (): readonly ModelMessage[] =>
    injected ? inText(messages, schemas, way?.dialect ?? 'auto') : messages;
  return {
    model: chosen.model,
    messages: way?.led ? spokenMessages(messages) : inWords(),
    tools: injected ? [] : schemas,
    ...(injected && schemas.length > 0 ? { tools_in_text: true as const } : {}),
    sampling,
    ...(passthrough && Object.keys(passthrough).length > 0 ? { passthrough } : {}),
    ...(asking.parallel || schemas.length === 0 ? {} : { parallel_calls: false }),
    response_schema: responseSchema,
    // Clients wait by themselves, and are told how long.
    retry_within_ms: PROVIDER_LIMITS.modelRetryDelayMsMax,
    ...(way?.stop?.length ? { stop: way.stop } : {}),
    // Servers read calls out of a stream and out of a whole answer differently, and a stop ends a stream early.
    ...(asking.whole && schemas.length === 0 && stop.length === 0 ? { whole: true } : {}),
  };
};

const inText = (
  messages: readonly ModelMessage[],
  schemas: readonly ToolSchema[],
  dialect: Dialect,
): readonly ModelMessage[] =>
  schemas.length > 0 ? injectTools(messages, schemas, dialect) : callsAsText(messages, dialect);

const writtenArguments = (outcome: ModelOutcome): string =>
  outcome.ok ? outcome.answer.calls.map((call) => JSON.stringify(call.arguments)).join('') : '';
