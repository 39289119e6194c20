/** Whether a server's tool only reads: by the verb its name begins with, and never by a hint that nobody trusts. */
import { isObject, type JsonValue } from '../json.ts';
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

/** Arguments that a tool which only reads has no use for: whom it reaches, what it says there, what it spends. */
const SENDING = new Set(
  'recipient recipients cc bcc payee beneficiary iban bic body password passwords secret secrets'.split(' '),
);

export type DescribedTool = {
  name: string;
  /** The names of its arguments. */
  arguments: readonly string[];
  annotations: JsonValue | undefined;
};

/**
 * Annotations are a server's own words. They may take away that a tool only reads. They give it only where the person said
 * in their list of servers that they trust them. The name counts unless an argument says otherwise, since it stands in each
 * question and each rule.
 */
export const readsOnly = (tool: DescribedTool, trustsAnnotations: boolean): boolean => {
  const { annotations } = tool;
  const hints = isObject(annotations) ? annotations : {};
  if (hints['destructiveHint'] === true || hints['readOnlyHint'] === false) return false;
  if (trustsAnnotations && hints['readOnlyHint'] === true) return true;
  const [verb = '', ...rest] = partsOf(tool.name);
  if (!READING.has(verb) || rest.some((word, index) => ACTING.has(word) && !(word === 'in' && index > 0))) return false;
  return !tool.arguments.some((argument) => partsOf(argument).some((word) => SENDING.has(word)));
};

const partsOf = (name: string): string[] =>
  wordsOf(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' '));

/** Arguments that hold an address on the network. */
export const isAddressName = (argument: string): boolean => partsOf(argument).some((word) => ADDRESS_WORDS.has(word));
const ADDRESS_WORDS = new Set(
  'url urls uri uris href link links host hostname domain domains website websites webpage site endpoint webhook'.split(
    ' ',
  ),
);
