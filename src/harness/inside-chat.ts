/**
 * Whether code runs inside a chat: in a tool, a callback or a provider that the chat waits for. Another message of the
 * same conversation waits for the chat before it, so one that is sent from there would wait for itself.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** One chat, from the moment it is asked for until it is over; it travels with everything that the chat starts. */
export type ChatScope = {
  readonly conversation: object;
  /** The chat inside which this one was begun, of another harness. */
  readonly around: ChatScope | undefined;
  isOver: boolean;
};

const storage = new AsyncLocalStorage<ChatScope | undefined>();

export const openScope = (conversation: object): ChatScope => ({
  conversation,
  around: storage.getStore(),
  isOver: false,
});

/** What `work` starts is inside that chat; undefined: inside none. */
export const insideChat = <T>(scope: ChatScope | undefined, work: () => T): T => storage.run(scope, work);

/** Throws where a message to that conversation would wait for the chat that waits for the one who sends it. */
export const checkOutside = (conversation: object): void => {
  for (let scope = storage.getStore(); scope !== undefined; scope = scope.around)
    if (scope.conversation === conversation && !scope.isOver) throw new TypeError(INSIDE);
};

const INSIDE =
  'chat() was called from inside a chat of the same harness (a tool, a callback or a provider that this chat waits for), and would wait for itself. Use steer() to say something to the run that goes on, another harness for a conversation of its own, or send the message when the chat is over.';
