/** What a variable may stand for in a form that changes it: `${x%.ts}`, `${x/a/b}`, `${x:1}`, `${a[*]}`. */

/** Stands for text that only the shell knows. */
export const UNKNOWN = '\0';
/** Stands for what the line itself prints: whoever wants a name read that nobody sees puts it together so. */
export const PRINTED = UNKNOWN + UNKNOWN;
export const NAMES_MAX = 64;

/** What each variable of a line may be. */
export type Values = ReadonlyMap<string, readonly string[]>;

const FORM = /\$\{([!#]?)([A-Za-z_]\w*)(\[[^\]{}]*\])?([^{}]*)\}/;
const FORMS_MAX = 8;

/** The texts that a word may be, with each variable in braces replaced. */
export const changedVariables = (text: string, values: Values): string[] => {
  let texts = [text];
  for (let round = 0; round < FORMS_MAX && texts.some((each) => FORM.test(each)); round += 1)
    texts = texts
      .flatMap((each) => {
        const [whole, before = '', name = '', element = '', change = ''] = FORM.exec(each) ?? [];
        return whole === undefined
          ? [each]
          : changed({ before, name, element, change }, values).map((value) => each.replace(whole, () => value));
      })
      .slice(0, NAMES_MAX);
  return texts;
};

type Form = { before: string; name: string; element: string; change: string };

const changed = ({ before, name, element, change }: Form, values: Values): string[] => {
  const given = values.get(name);
  if (before === '#') return ['0'];
  if (before === '!') return [given === undefined ? UNKNOWN : PRINTED];
  const [, otherwise] = /^:?[-=+](.*)$/s.exec(change) ?? [];
  if (otherwise !== undefined) return [...(given ?? [UNKNOWN]), otherwise];
  // Where the folder lies is not known here.
  if (given === undefined || (name === 'PWD' && change !== '')) return [UNKNOWN];
  const all = element === '[*]' || element === '[@]' ? [...given, given.join('')] : given;
  return all.flatMap((value) => changedValue(value, change)).slice(0, NAMES_MAX);
};

const changedValue = (value: string, change: string): string[] => {
  if (change === '' || change.startsWith(':?') || change.startsWith('?')) return [value];
  if (value.includes(PRINTED)) return [PRINTED];
  if (value.includes(UNKNOWN)) return [UNKNOWN];
  const [, cut] = /^%%?(.+)$/s.exec(change) ?? [];
  if (cut !== undefined) return withoutEnd(value, cut);
  const [, start] = /^##?(.+)$/s.exec(change) ?? [];
  if (start !== undefined) return withoutStart(value, start);
  const [, from, length] = /^:\s?(\d+)(?::(\d+))?$/.exec(change) ?? [];
  if (from !== undefined)
    return [value.slice(Number(from)).slice(0, length === undefined ? undefined : Number(length))];
  if (/^[,^]/.test(change)) return [value.toLowerCase(), value.toUpperCase(), value];
  const [, sought, put = ''] = /^\/{1,2}([^/]+)(?:\/(.*))?$/s.exec(change) ?? [];
  // `/#` and `/%` hold the pattern to an end of the value.
  if (sought === undefined || /^[#%]/.test(sought) || !isPlain(sought) || !isPlain(put)) return [PRINTED];
  return [value.replace(sought, () => put), value.replaceAll(sought, () => put)];
};

const isPlain = (pattern: string): boolean => !/[*?[\\$`'"]/.test(pattern);
/** Of a pattern nobody works out how much it takes away. */
const withoutEnd = (value: string, cut: string): string[] => {
  if (!isPlain(cut)) return [...value].map((_, at) => value.slice(0, at + 1));
  return [value.endsWith(cut) ? value.slice(0, value.length - cut.length) : value];
};
const withoutStart = (value: string, start: string): string[] => {
  if (start === '*/') return [value.slice(value.lastIndexOf('/') + 1), value.slice(value.indexOf('/') + 1)];
  if (!isPlain(start)) return [...value].map((_, at) => value.slice(at));
  return [value.startsWith(start) ? value.slice(start.length) : value];
};
