/** One request of somebody else's conversation: what the model says, with the calls that stand in its text taken out. */

import { callsAsText, injectTools } from '../agent/loop/call-model/inject-tools.ts';
import type { ModelMessage } from '../core/message.ts';
import type { ModelOutcome, ModelRequest } from '../core/model-port.ts';
import type { ToolSchema } from '../core/tool.ts';
import type { Dialect } from '../dialects/index.ts';
import { asRequester } from '../io/requester.ts';
import { PROVIDER_LIMITS } from '../providers/limits.ts';
import { AnswerInParts } from './answer-in-parts.ts';
import type { Asking, CompletionPart, Said } from './asking.ts';
import { spokenMessages } from './spoken-messages.ts';

export const askModel = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  emit: (part: CompletionPart) => void,
): Promise<Said> => {
  const isText = asking.way?.toolMode === 'injected';
  const said = await askOnce(asking, messages, isText, emit);
  const { outcome } = said;
  if (outcome.ok || outcome.error.code !== 'tools_unsupported' || isText) return said;
  return askOnce(asking, messages, true, emit);
};

const askOnce = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  injected: boolean,
  emit: (part: CompletionPart) => void,
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
