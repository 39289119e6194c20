/** One message of the library: followed while it runs, or just awaited. */

import type { Tool } from '../core/tool.ts';
import { type ChatEvent, createChatEvents } from './chat-events.ts';
import { type ChatResult, withCause } from './chat-result.ts';
import type { ChatSettings } from './run-chat.ts';

/**
 * Iterate over it for everything as it happens; await it, or its `result()`, for the whole. A loop over it that is left
 * (`break`, `return`, a cancelled stream) cancels the message.
 */
export type Chat<T extends Tool = Tool, Output = undefined> = AsyncIterable<ChatEvent> &
  Pick<Promise<ChatResult<T, Output>>, 'then' | 'catch' | 'finally'> & { result(): Promise<ChatResult<T, Output>> };

/** One message's life, as an iterable that can be awaited instead. Updates are kept until someone reads them. */
export const createChat = (settings: ChatSettings): Chat<Tool, unknown> => {
  const events = createChatEvents();
  // A conversation that does not open, and a schema that is none, are told of by the run; until then nobody waits for them.
  settings.opening.catch(() => {});
  settings.format?.catch(() => {});
  const left = new AbortController();
  const signal = settings.signal ? AbortSignal.any([settings.signal, left.signal]) : left.signal;
  // What runs a message is loaded with what opens the agent, so that importing the library costs little.
  const work = import('./open-harness.ts')
    .then(({ runChat }) => runChat({ ...settings, signal }, events))
    .catch((error: unknown) => {
      throw withCause(error, signal);
    })
    .finally(events.end);
  // Whoever only iterates still sees a failure: the iterator awaits the same work at its end.
  work.catch(() => {});
  let isRead = false;

  return {
    result: () => work,
    // biome-ignore lint/suspicious/noThenProperty: a chat can be awaited, as the interface promises
    then: (onFulfilled, onRejected) => work.then(onFulfilled, onRejected),
    catch: (onRejected) => work.catch(onRejected),
    finally: (onFinally) => work.finally(onFinally),
    [Symbol.asyncIterator]() {
      if (isRead) throw new TypeError(ONE_LOOP);
      isRead = true;
      return {
        next() {
          const event = events.next();
          if (event !== undefined) return Promise.resolve({ done: false, value: event });
          return events.over()
            ? work.then(() => ({ done: true, value: undefined }))
            : events.wait().then(() => this.next());
        },
        // Nobody reads on: a `break`, a page that went away. The model's server is free when this is done.
        async return() {
          if (!events.over()) left.abort(new DOMException('The loop over the chat was left.', 'AbortError'));
          await work.catch(() => {});
          return { done: true, value: undefined };
        },
      };
    },
  };
};

const ONE_LOOP =
  'The events of this chat are read in another loop, and each is told once. Read them in one loop and hand on from there what others need; result() can be awaited anywhere.';
