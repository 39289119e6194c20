/** An answer in words of the model's own: handed on as far as it is one. */
import { type ModelMessage, messageText } from '../../../core/message.ts';
import type { ModelAnswer } from '../../../core/model-port.ts';
import { createEchoText } from '../echo.ts';
import { END_MARKERS } from '../end-markers.ts';
import { createHeldText } from '../everyday/call-text.ts';
import { beyondModel } from '../larger-model.ts';
import { LED_LIMITS } from '../limits.ts';
import type { Turn } from '../turn.ts';
import { toPlainTurns } from '../turns.ts';

const REPEAT_PENALTY = 1.15;

const instructionsOf = (messages: readonly ModelMessage[]): string =>
  messages.flatMap((message) => (message.role === 'system' ? [messageText(message.content)] : [])).join('\n');

/** In words, of what was said so far. */
export const freeAnswer = async (turn: Turn): Promise<ModelAnswer> => {
  const { port, request, meter, quotes, called } = turn;
  const emit = (delta: string): void => turn.emit({ type: 'text_delta', delta, plain: true });
  const isFree = request.response_schema === undefined;
  const stop = new AbortController();
  const cut = (shown: boolean, what: string): void => {
    stop.abort();
    emit(`${shown ? '\n\n' : ''}${beyondModel(called, what)}`);
  };
  const echo = createEchoText(emit, instructionsOf(request.messages), (problem, shown) =>
    cut(shown, `${shown ? 'say more' : 'say that'}: its answer ${problem}`),
  );
  const held = createHeldText(echo.push, () => {
    echo.end();
    if (!echo.stopped()) cut(echo.shown(), 'do that');
  });
  const written = await port.answer({
    request,
    turns: toPlainTurns(request.messages),
    maxTokens: request.sampling.max_tokens ?? LED_LIMITS.ledAnswerTokens,
    repeatPenalty: quotes ? REPEAT_PENALTY : 1,
    stop: isFree ? END_MARKERS : [],
    onText: quotes && isFree ? held.push : emit,
    emit: turn.emit,
    signal: AbortSignal.any([turn.signal, stop.signal]),
  });
  held.end();
  echo.end();
  meter.add(written);
  const finish = stop.signal.aborted ? 'stop' : written.finish;
  return { calls: [], finish, usage: meter.usage(), led: true };
};
