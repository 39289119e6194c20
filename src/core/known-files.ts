/**
 * What a conversation knows of files: the hash of what each held when it was last read or written in it. Told by the log
 * alone, so it holds in another process, after a compaction and in a copy; what a branch left aside was not seen.
 */
import type { KnownFile } from './content-part.ts';
import type { Event, EventOf } from './events.ts';
import { isObject } from './json.ts';
import type { ContentPart } from './message.ts';

export type KnownFilesOptions = {
  /** Also what programs read and wrote for the session: the model was not told of it. */
  outside?: boolean;
};

/** Of a path (`activePath`), those that were seen last at the end. */
export const knownFiles = (path: readonly Event[], options: KnownFilesOptions = {}): Map<string, string> => {
  const known = new Map<string, string>();
  for (const event of path) {
    for (const { path: name, hash } of filesOf(event, options)) {
      known.delete(name);
      known.set(name, hash);
    }
  }
  return known;
};

const filesOf = (event: Event, { outside }: KnownFilesOptions): readonly KnownFile[] => {
  if (event.type === 'tool_finished') return event.files ?? [];
  if (event.type === 'tool_called') return outside ? (event.files ?? []) : [];
  if (event.type !== 'user_message_added' || typeof event.content === 'string') return [];
  return event.content.flatMap((part) => (part.type === 'text' && part.file ? [part.file] : []));
};

/** What the model was told last of files that somebody else changed; null: it was gone. Known again once it is read. */
export const toldChanges = (path: readonly Event[]): Map<string, string | null> => {
  const told = new Map<string, string | null>();
  const changes = new Map<number, { before: string | null }>();
  for (const event of path) {
    for (const { path: name } of filesOf(event, {})) told.delete(name);
    if (event.type === 'change_recorded') changes.set(event.seq, event);
    else if (event.type === 'change_undone') {
      // Told by itself (`undoneNote`), unless another branch made it.
      const made = changes.get(event.change_seq);
      const now = made && event.how === 'partly' ? event.after : made?.before;
      if (now !== undefined && event.how !== 'left' && event.how !== 'beside') told.set(event.path, now);
    } else if (event.type === 'user_message_added')
      for (const { path: name, hash } of event.files_changed ?? []) told.set(name, hash);
  }
  return told;
};

/** What the model reads in front of the person's message. */
export const changedNote = (changes: NonNullable<EventOf<'user_message_added'>['files_changed']> = []): string => {
  const names = (wanted: boolean): string =>
    changes.flatMap(({ path, hash }) => ((hash === null) === wanted ? [path] : [])).join(', ');
  const told = [
    names(false) && `changed by somebody else: ${names(false)}`,
    names(true) && `not there any more: ${names(true)}`,
  ].filter((part) => part !== '');
  return told.length === 0
    ? ''
    : `[Since you last saw these files: ${told.join('; ')}. Read them again before you rely on what they held.]`;
};

/** A copy from elsewhere knows nothing of the files that are here. */
export const withoutFiles = (event: Event): Event => {
  if ((event.type === 'tool_finished' || event.type === 'tool_called') && event.files) {
    const { files: _files, ...rest } = event;
    return rest;
  }
  if (event.type !== 'user_message_added' || typeof event.content === 'string') return event;
  return { ...event, content: event.content.map(withoutFile) };
};

const withoutFile = (part: ContentPart): ContentPart => {
  if (part.type !== 'text' || !isObject(part.file)) return part;
  const { file: _file, ...rest } = part;
  return rest;
};
