/**
 * Where git goes by itself: the remote of a branch, the one that is taken where none is named, what is fetched into which
 * branches, and from where missing objects are loaded. A command may choose among the remotes that the person has. One that
 * commands have added is there to be named.
 */
import { type Entry, readPlainConfig, valuesOf } from './plain-config.ts';

/** Why settings of the person's may not be changed to these. */
export const redirectFault = (
  entries: readonly Entry[],
  there: readonly Entry[],
  knownRemotes: ReadonlySet<string>,
): string | undefined => {
  const [after, before] = [valuesOf(entries), valuesOf(there)];
  const sections = new Set(entries.map(({ section }) => section));
  const hadRemotes = remotesOf(there);
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [values, old] = [after.get(name) ?? [], before.get(name) ?? []];
    if (values.join('\n') === old.join('\n')) continue;
    const [section, key] = [name.slice(0, name.lastIndexOf('.')), name.slice(name.lastIndexOf('.') + 1)];
    // With its section all of it goes.
    if (!sections.has(section)) continue;
    const remote = section.startsWith('remote.') ? section.slice('remote.'.length) : undefined;
    if (key === 'url' && old.length > 0) return `it changes ${name}`;
    if (NEVER_CHANGED.test(name)) return `it sets ${name}`;
    if (name === 'push.default' && !values.every((value) => OWN_BRANCH.test(value))) return `it sets ${name}`;
    if (remote !== undefined && key === 'mirror' && hadRemotes.has(remote)) return `it sets ${name}`;
    const isNew = (value: string): boolean => !old.includes(value);
    if (remote !== undefined && key === 'fetch' && values.some((value) => isNew(value) && !isOwnFetch(value, remote)))
      return `it sets ${name} to branches that are not those of this remote`;
    const isOfBranch = section.startsWith('branch.') && (key === 'remote' || key === 'pushremote');
    if (isOfBranch && key === 'pushremote' && values.length === 0) return `it removes ${name}`;
    const isKnown = (value: string): boolean => value === '.' || knownRemotes.size === 0 || knownRemotes.has(value);
    if (isOfBranch && !values.every((value) => !isNew(value) || isKnown(value)))
      return `it sets ${name} to a remote that you did not have`;
  }
  return defaultFault(remotesOf(entries), hadRemotes, knownRemotes);
};

/** They decide where objects come from, which files are written to, and by whom. */
const NEVER_CHANGED =
  /^(?:remote\..*\.(?:promisor|partialclonefilter)|extensions\.partialclone|core\.sharedrepository)$/;
/** A branch goes to one of the same name, or nowhere. */
const OWN_BRANCH = /^(?:simple|current|nothing)$/;

/** What is fetched stands below the name of its remote, or nowhere. */
const isOwnFetch = (value: string, remote: string): boolean => {
  const to = value.includes(':') ? value.slice(value.indexOf(':') + 1) : '';
  return to === '' || to.startsWith(`refs/remotes/${remote}/`);
};

const remotesOf = (entries: readonly Entry[]): Set<string> =>
  new Set(entries.flatMap(({ section }) => (section.startsWith('remote.') ? [section.slice('remote.'.length)] : [])));

/** Where none is named git takes `origin`, or the only one. */
const defaultOf = (remotes: ReadonlySet<string>): string | undefined =>
  remotes.has('origin') ? 'origin' : remotes.size === 1 ? [...remotes][0] : undefined;

const defaultFault = (
  now: ReadonlySet<string>,
  before: ReadonlySet<string>,
  known: ReadonlySet<string>,
): string | undefined => {
  const taken = defaultOf(now);
  if (taken === undefined || taken === defaultOf(before) || known.size === 0 || known.has(taken)) return undefined;
  return `it makes the remote ${taken} the one that git takes by itself`;
};

/** Which remotes are the person's: those that were there first, and those that came without a command. */
export type KnownRemotes = {
  at(file: string, before: string | undefined): ReadonlySet<string>;
  /** What a command made of the file. */
  note(file: string, text: string | undefined): void;
};

export const createKnownRemotes = (): KnownRemotes => {
  const files = new Map<string, { own: Set<string>; last: string | undefined }>();
  const namesIn = (text: string | undefined): Set<string> => remotesOf(readPlainConfig(text ?? '') ?? []);
  return {
    at(file, before) {
      const known = files.get(file);
      if (known === undefined) {
        const own = namesIn(before);
        files.set(file, { own, last: before });
        return own;
      }
      if (before !== known.last) {
        const made = namesIn(known.last);
        for (const name of namesIn(before)) if (!made.has(name)) known.own.add(name);
        known.last = before;
      }
      return known.own;
    },
    note(file, text) {
      const known = files.get(file);
      if (known !== undefined) known.last = text;
    },
  };
};
