/** What a manager of packages is told to fetch from a place of its own, and not from its registry. */
import { type Objection, spelled } from '../objections.ts';

const MANAGERS = /^(?:npm|pnpm|yarn|bun|pip|pip3|uv|poetry|pdm|pipx|cargo|gem|docker|podman|nerdctl)$/;
const FETCHES =
  /^(?:i|in|ins|inst|insta|instal|install|isnt.*|install-test|it|add|a|up|update|upgrade|dedupe|sync|lock|download|wheel|build|buildx|publish|pack|view|info)$/;
/** `github:a/b`, `x@npm:y`, `git+ssh://…`, `a/b`, `./x`, `x.tgz`: not a name, with a version or without. */
const ELSEWHERE =
  /:\/\/|^git[@+]|^[a-z][\w-]*:(?!\d)|@[a-z][a-z0-9+]*:|@git@|^~|^[^@\s][^\s]*\/|^@[^/\s]*\/[^/\s]*\/|^\.{1,2}$|\.(?:tgz|tar|gz|bz2|zip|whl|egg|crate|gem)$/i;

/** A folder of this machine is what an image is built from. */
const REMOTE = /^[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i;

export const sourceObjections = (name: string, words: readonly string[], at: number): Objection[] => {
  if (!MANAGERS.test(name) || !FETCHES.test(words[at] ?? '')) return [];
  return words.flatMap((word, index) =>
    index > at && !word.startsWith('-') && (name === 'docker' ? REMOTE : ELSEWHERE).test(word)
      ? [spelled(index, `${word} is fetched from a place that the rule does not name`)]
      : [],
  );
};
