/** What follows from the word with which a model's server says why an answer ended. */
import { CONTENT_FILTER } from '../core/answer-end.ts';
import type { ModelAnswer, ModelError, ModelPart } from '../core/model-port.ts';
import { type EndKind, endKind } from '../dialects/end-words.ts';
import { PROVIDER_LIMITS } from './limits.ts';

/** What cut the answer, as half a call says it; undefined where nothing did. */
export const cutBy = (kind: EndKind): string | undefined => {
  if (kind === 'length') return 'the token limit';
  return kind === 'filter' ? "the server's filter" : kind === 'unknown' ? 'the server' : undefined;
};

/** `calls`: how many the answer has. */
export const finishOf = (word: string | undefined, calls: number): Pick<ModelAnswer, 'finish' | 'ended_by'> => {
  const kind = endKind(word);
  const finish = kind === 'length' ? 'length' : calls > 0 ? 'tool_calls' : 'stop';
  if (kind === 'filter') return { finish, ended_by: CONTENT_FILTER };
  return kind === 'unknown' ? { finish, ended_by: shown(word) } : { finish };
};
const shown = (word = ''): string => word.slice(0, PROVIDER_LIMITS.finishWordCharacters);

/** What a person is told of an end that may not be the answer's own. */
export const endWarning = (word: string | undefined): ModelPart | undefined => {
  const kind = endKind(word);
  if (kind === 'filter')
    return { type: 'warning', code: CONTENT_FILTER, message: 'The server cut the answer by its filter.' };
  if (kind !== 'unknown') return undefined;
  const message = `The server ended the answer with "${shown(word)}", which is no known reason: it may not be whole.`;
  return { type: 'warning', code: 'unknown_finish', message };
};

/** The server gave the answer up. */
export const givenUp = (endpoint: string, word: string): ModelError => ({
  code: 'disconnected',
  message: `${endpoint} gave the answer up before its end ("${shown(word)}").`,
  hint: 'The server may have been stopped or be too busy; its log says more. Ask again.',
});
