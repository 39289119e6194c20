/** Events that cannot be read are skipped and said, up to a limit; after it the server is not what it should be. */

import type { ModelError, ModelPart } from '../core/model-port.ts';
import { PROVIDER_LIMITS } from './limits.ts';
import { withoutPage } from './model-errors.ts';

const SHOWN_CHARACTERS = 80;

export type MalformedCounter = {
  /** An error when there were too many. */
  add(event: string): ModelError | undefined;
  /** An object of another protocol, which may stand among the events without harm. */
  pass(event: object): void;
  tooLong(): ModelError;
  /** Nothing of the whole answer could be read. */
  nothingUnderstood(): ModelError;
  /** The body ended well, but the model had not said that it was done. */
  endedEarly(): ModelError;
};

export const createMalformedCounter = (
  emit: (part: ModelPart) => void,
  endpoint: string,
  contentType = '',
): MalformedCounter => {
  let count = 0;
  let first = '';
  const error = (message: string): ModelError => ({
    code: 'protocol',
    message,
    hint: 'Check the provider and the base URL: another kind of server may be there.',
  });
  const shownOf = (event: string): string => {
    const shown = withoutPage(event);
    return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}…` : shown;
  };
  return {
    pass: (event) => {
      if (first === '') first = shownOf(JSON.stringify(event));
    },
    add: (event) => {
      count += 1;
      const shown = shownOf(event);
      if (count === 1) {
        first = shown;
        emit({
          type: 'warning',
          code: 'malformed_event',
          message: `${endpoint} sent something that cannot be read; it was skipped: ${shown}`,
        });
      }
      return count > PROVIDER_LIMITS.modelMalformedEvents
        ? error(`${endpoint} keeps sending what is not the protocol, such as: ${first}`)
        : undefined;
    },
    tooLong: () =>
      error(`${endpoint} sent a line that is too long: more than ${PROVIDER_LIMITS.modelLineBytes} characters.`),
    nothingUnderstood: () => {
      const type = contentType === '' ? '' : ` (${contentType})`;
      return error(
        first === ''
          ? `${endpoint} sent an empty answer${type}.`
          : `${endpoint} sent an answer${type} in which nothing could be read; it begins: ${first}`,
      );
    },
    endedEarly: () => ({
      code: 'disconnected',
      message: `The connection to ${endpoint} ended before the model had finished its answer.`,
      hint: 'The server may have crashed or run out of memory; its log says more. Ask again.',
    }),
  };
};
