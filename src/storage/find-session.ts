/** Which session a person means: its id, the beginning of its id, or the name that it was given. */

import { knownTitle } from '../core/export-session.ts';
import { LIMITS } from '../core/limits.ts';
import { counted } from '../core/number-text.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { quotedName } from '../core/quoted-name.ts';
import { type FolderNames, folderOf, ofFolder } from '../core/session-folder.ts';
import type { SessionStore } from '../core/storage-port.ts';
import { didYouMean, nearest } from '../core/tool/nearest-names.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { checkSessionId } from './session-format.ts';

export const findSession = async (
  store: Pick<SessionStore, 'ids' | 'list'>,
  word: string,
): Promise<Outcome<string>> => {
  const all = await store.ids();
  if (!all.ok) return all;
  const ids = all.value;
  if (ids.includes(word)) return succeed(word);
  const begun = word === '' ? [] : ids.filter((id) => id.startsWith(word));
  if (begun.length === 1) return succeed(begun[0] as string);
  if (begun.length > 1) return several(store, begun, word);
  const listed = await store.list();
  if (!listed.ok) return listed;
  const sessions = listed.value;
  const named = sessions.filter(({ title }) => title.toLowerCase() === word.toLowerCase());
  if (named.length === 1) return succeed((named[0] as { id: string }).id);
  if (named.length > 1) {
    const shown = named.slice(0, LIMITS.nearestNames).map(({ id }) => id);
    return failure(
      'validation_failed',
      `${named.length} sessions are called ${quotedName(word)}: ${shown.join(', ')}. Name one by its id.`,
    );
  }
  const [near] = nearest(
    word.toLowerCase(),
    sessions.map(({ title }) => title.toLowerCase()),
  );
  const meant = sessions.find(({ title }) => title.toLowerCase() === near);
  const hint = meant ? ` Did you mean ${meant.id} (${meant.title})?` : didYouMean(word, ids);
  return failure(
    'not_found',
    `There is no session ${quotedName(word)}.${hint} \`halter sessions list --all\` shows what there is.`,
  );
};

/** Each with its title, the newest first: a choice is made by what was said in them. */
const several = async (
  store: Pick<SessionStore, 'list'>,
  begun: readonly string[],
  word: string,
): Promise<Outcome<string>> => {
  const listed = await store.list();
  const titles = new Map(listed.ok ? listed.value.map(({ id, title }) => [id, title]) : []);
  const known = [...titles.keys()].filter((id) => begun.includes(id));
  const ids = [...known, ...begun.filter((id) => !titles.has(id))];
  const shown = ids.slice(0, STORAGE_LIMITS.sessionsNamed).map((id) => {
    const title = titles.get(id) ?? '';
    return title === '' ? id : `${id} (${title})`;
  });
  const more = ids.length > shown.length ? `, and ${ids.length - shown.length} more` : '';
  return failure(
    'validation_failed',
    `${counted(ids.length, 'session')} begin with ${quotedName(word)}: ${shown.join(', ')}${more}. Write more of the id.`,
  );
};

/** An id that halter made; every other one is a name that a person gave. */
export const isGenerated = (id: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

/** What `--session` names: one that is here, or the id of a new one. Only what looks like the start of our own ids is completed. */
export const sessionToOpen = async (
  store: Pick<SessionStore, 'ids' | 'list'>,
  word: string,
): Promise<Outcome<{ id: string; isNew: boolean; near?: string }>> => {
  const ids = await store.ids();
  if (!ids.ok) return ids;
  if (ids.value.includes(word)) return succeed({ id: word, isNew: false });
  const begun = ids.value.filter((id) => id.startsWith(word));
  const isShort = begun.length === 1 && word.length < STORAGE_LIMITS.openedBeginningCharacters;
  // The beginning of a name that a person gave is another name.
  if (begun.length === 0 || (begun.some(isGenerated) && !isShort)) {
    const found = await findSession(store, word);
    if (found.ok) return succeed({ id: found.value, isNew: false });
    if (found.error.error_type !== 'not_found') return found;
  }
  const id = checkSessionId(word);
  const [near] = nearest(word, ids.value);
  return id.ok ? succeed({ id: id.value, isNew: true, ...(near === undefined ? {} : { near }) }) : id;
};

export type SessionToChange = { id: string; title: string; folder: string | undefined };

/**
 * The session that a person wants changed or deleted. A beginning that fits by chance must lose nothing, so a name counts
 * only whole; of an id that halter made a long beginning does. In another folder only a whole id counts.
 */
export const sessionToChange = async (
  store: Pick<SessionStore, 'ids' | 'list' | 'read'>,
  word: string,
  here: FolderNames,
): Promise<Outcome<SessionToChange>> => {
  const ids = await store.ids();
  if (!ids.ok) return ids;
  if (ids.value.includes(word)) return succeed(await described(store, word));
  const named = await namedWhole(store, word, here);
  if (named !== undefined) return succeed(named);
  const found = await findSession(store, word);
  if (!found.ok) return found;
  const session = await described(store, found.value);
  const isLong = word.length >= STORAGE_LIMITS.sessionBeginningCharacters;
  const isHere = session.folder !== undefined && here.includes(session.folder);
  const isBeginning = isLong && isGenerated(session.id) && session.id.startsWith(word);
  if (isBeginning && isHere) return succeed(session);
  const whose = session.folder === undefined || isHere ? '' : ` of the folder ${session.folder}`;
  return failure(
    'not_found',
    `No session of this folder has the whole name ${quotedName(word)}, and nothing was changed. Did you mean ${session.id}${session.title === '' ? '' : ` (${session.title})`}${whose}? Name it by its whole id.`,
  );
};

/** What cannot be read can be deleted all the same. */
const described = async (store: Pick<SessionStore, 'read'>, id: string): Promise<SessionToChange> => {
  const read = await store.read(id);
  return read.ok
    ? { id, title: knownTitle(read.value.events) ?? '', folder: folderOf(read.value.events) }
    : { id, title: '', folder: undefined };
};

/** The only one of this folder that was given this name by a person; first words are no name. */
const namedWhole = async (
  store: Pick<SessionStore, 'list' | 'read'>,
  word: string,
  here: FolderNames,
): Promise<SessionToChange | undefined> => {
  const listed = await store.list(ofFolder(here));
  const [only, ...others] = listed.ok ? listed.value.filter(({ title }) => title === word) : [];
  if (only === undefined || others.length > 0) return undefined;
  const read = await store.read(only.id);
  const renamed = read.ok ? read.value.events.findLast((event) => event.type === 'session_renamed') : undefined;
  return renamed?.title === word ? { id: only.id, title: word, folder: only.workspace } : undefined;
};
