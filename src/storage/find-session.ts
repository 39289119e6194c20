/** Which session a person means: its id, the beginning of its id, or the name that it was given. */

import { LIMITS } from '../core/limits.ts';
import { counted } from '../core/number-text.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { quotedName } from '../core/quoted-name.ts';
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

/** What `--session` names: one that is here, or the id of a new one. Only what looks like the start of our own ids is completed. */
export const sessionToOpen = async (
  store: Pick<SessionStore, 'ids' | 'list'>,
  word: string,
): Promise<Outcome<string>> => {
  const ids = await store.ids();
  if (!ids.ok) return ids;
  if (ids.value.includes(word)) return succeed(word);
  const found = await findSession(store, word);
  if (found.ok) return /^[0-9a-f-]{4,}$/.test(word) || !found.value.startsWith(word) ? found : succeed(word);
  return found.error.error_type === 'not_found' ? checkSessionId(word) : found;
};
