/** Whether a server's tool only reads, by its annotations and, where it has none, by the verb its name begins with. */
import type { JsonValue } from '../json.ts';
import { wordsOf } from './text-index.ts';

const READING = new Set(
  'get read list search find check look lookup query show view describe count fetch browse visit inspect summarize summarise explain status stat stats ls cat grep info whoami current is has can'.split(
    ' ',
  ),
);
/** A name with one of these does something, whatever it begins with: `get_and_delete`, `check_out`. */
const ACTING = new Set(
  'and or then set add create make new write update edit change modify delete remove drop clear cancel send post publish pay transfer buy order book reserve schedule invite share grant revoke reset run execute start stop kill restart deploy install upload put patch move rename copy merge push commit approve accept reject reply forward subscribe unsubscribe register sign out in save store replace append insert'.split(
    ' ',
  ),
);

/** Annotations are a server's own words. They decide no more than whether a rule that the person gave still counts. */
export const readsOnly = (name: string, annotations: JsonValue | undefined): boolean => {
  if (typeof annotations === 'object' && annotations !== null && !Array.isArray(annotations)) {
    const { readOnlyHint, destructiveHint } = annotations;
    if (destructiveHint === true) return false;
    if (typeof readOnlyHint === 'boolean') return readOnlyHint;
  }
  const [verb = '', ...rest] = wordsOf(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' '));
  return READING.has(verb) && !rest.some((word, index) => ACTING.has(word) && !(word === 'in' && index > 0));
};

/** Arguments that hold an address on the network. */
export const isAddressName = (argument: string): boolean =>
  wordsOf(argument.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ')).some((word) =>
    ADDRESS_WORDS.has(word),
  );
const ADDRESS_WORDS = new Set(
  'url urls uri uris href link links host hostname domain domains website websites webpage site endpoint webhook'.split(
    ' ',
  ),
);
