/** The first words go out at once; those that come right after others go out together. */
import type { CompletionPart } from '../../gateway/asking.ts';
import { SERVER_LIMITS } from '../limits.ts';

export type MergedDeltas = {
  add(part: CompletionPart): void;
  /** All that is left, at the end. */
  flush(): void;
  drop(): void;
};

export const mergeDeltas = (send: (part: CompletionPart) => void): MergedDeltas => {
  let kind: CompletionPart['type'] = 'text';
  let text = '';
  let soon: NodeJS.Immediate | undefined;
  let resting: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearImmediate(soon);
    soon = undefined;
    if (text === '') return;
    const delta = text;
    text = '';
    send({ type: kind, delta });
    resting ??= setTimeout(() => {
      resting = undefined;
      flush();
    }, SERVER_LIMITS.mergeMs);
  };
  const drop = (): void => {
    clearImmediate(soon);
    clearTimeout(resting);
  };
  return {
    add({ type, delta }) {
      if (type !== kind) flush();
      kind = type;
      text += delta;
      if (resting === undefined) soon ??= setImmediate(flush);
    },
    flush() {
      flush();
      drop();
    },
    drop,
  };
};
