/**
 * Asks the model for notes before older turns are left out: one short request on the very prompt that its server has in
 * its cache, so that nothing but the question is read anew. Where the model fails at it, the rules alone keep what they
 * keep.
 */

import type { ModelMessage } from '../../../core/message.ts';
import type { ModelProvider, ModelRequest } from '../../../core/model-port.ts';
import { NOTES_TOKENS, notesRequest, parseNotes } from '../../../core/window/notes.ts';
import { asRequester } from '../../../io/requester.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { WrittenNotes } from '../window/window-ports.ts';
import { endedAtAbort } from './ended-at-abort.ts';

export const askNotes = async (
  session: SessionHandle,
  provider: ModelProvider,
  /** What would go out for these messages. */
  requestOf: (messages: readonly ModelMessage[]) => ModelRequest,
  messages: readonly ModelMessage[],
  focus: string | undefined,
): Promise<WrittenNotes | undefined> => {
  // What the person has just said is not in the server's cache, and two messages of theirs in a row fit few templates.
  const read = messages.at(-1)?.role === 'user' ? messages.slice(0, -1) : messages;
  const request = requestOf([...read, { role: 'user', content: notesRequest(focus) }]);
  session.progress({ type: 'loading', message: 'Notes are written before older turns are left out' });
  const text: string[] = [];
  const signal = AbortSignal.any([session.signal(), AbortSignal.timeout(AGENT_LIMITS.notesTimeoutMs)]);
  const outcome = await asRequester({ session: session.id, who: 'model' }, () =>
    endedAtAbort(signal, () =>
      provider.stream(
        { ...request, response_schema: undefined, sampling: { ...request.sampling, max_tokens: NOTES_TOKENS } },
        (part) => {
          if (part.type === 'text_delta') text.push(part.delta);
        },
        signal,
      ),
    ),
  );
  const notes = outcome.ok && outcome.answer.calls.length === 0 ? parseNotes(text.join('')) : undefined;
  if (notes === undefined) return undefined;
  // Few conversations need it, and every program would load it.
  const [{ checkedNotes }, { noteSources }] = await Promise.all([
    import('../../../core/window/checked-notes.ts'),
    import('../../../core/window/note-sources.ts'),
  ]);
  return { kept: checkedNotes(notes, noteSources(session.path())) };
};
