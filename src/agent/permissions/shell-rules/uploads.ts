/** What a command hands to another machine, into a container, or into one file by a module of its own. */
import { baseName } from './wrappers.ts';

/**
 * `order`: the words of the command; options, and values of these, may stand before and between them. What follows is files
 * and where they go, unless `from` says behind which options the files stand; `isNeeded`: it sends nothing without one, so
 * where none is read it stands there in another form.
 */
type Upload = { program: RegExp; order: readonly RegExp[]; from?: RegExp; isNeeded?: true; hasNoTarget?: true };

const CONTAINERS = /^(?:docker|podman|nerdctl)$/;
const CLUSTERS = /^(?:kubectl|oc|minikube)$/;
const COPY = /^(?:cp|copy|mv|move|sync|rsync)$/;
const UPLOADS: readonly Upload[] = [
  { program: CONTAINERS, order: [/^cp$/] },
  { program: CONTAINERS, order: [/^(?:container|compose|machine)$/, /^cp$/] },
  { program: /^(?:docker|podman)-compose$/, order: [/^cp$/] },
  { program: CLUSTERS, order: [/^(?:cp|rsync)$/] },
  { program: CLUSTERS, order: [/^create$/, /^(?:configmap|cm|secret)$/], from: /^--from-(?:env-)?file$/ },
  { program: /^aws$/, order: [/^s3$/, COPY] },
  { program: /^gsutil$/, order: [COPY] },
  { program: /^gcloud$/, order: [/^storage$/, COPY] },
  { program: /^gcloud$/, order: [/^compute$/, /^scp$/] },
  {
    program: /^az$/,
    order: [/^storage$/, /^(?:blob|file|fs)$/, /^(?:upload-batch|sync|directory)$/],
    from: /^(?:-s|--source)$/,
    isNeeded: true,
  },
  {
    program: /^az$/,
    order: [/^storage$/, /^copy$/],
    from: /^(?:-s|--source(?:-local-path)?)$/,
    isNeeded: true,
  },
  { program: /^(?:azcopy|s3cmd|s5cmd|mc|mcli|b2)$/, order: [/^(?:cp|copy|mv|move|sync|mirror|put)$/] },
  { program: /^(?:lxc|incus)$/, order: [/^file$/, /^push$/] },
  { program: /^(?:multipass|limactl|adb|modal)$/, order: [/^(?:transfer|cp|copy|push|volume)$/] },
  { program: /^vagrant$/, order: [/^upload$/], hasNoTarget: true },
];

/** The words that name files here; undefined where the command sends none. */
export const uploads = (program: string, told: readonly string[]): readonly string[] | undefined => {
  const words = ofCommand(program, told);
  const sent = UPLOADS.flatMap((each) => (each.program.test(program) ? sentBy(each, words) : []));
  if (sent.length > 0) return sent;
  if (program === 'lftp' && words.some((word) => /\bmirror\b.*\s(?:-\w*R|--reverse)/s.test(word))) return ['.'];
  return packedByModule(program, words);
};

/** Without words that may stand before the command and change nothing of what it takes. */
export const ofCommand = (program: string, words: readonly string[]): readonly string[] => {
  const passed = PASSED.get(program);
  return passed === undefined ? words : words.filter((word) => !passed.test(word));
};
const PASSED: ReadonlyMap<string, RegExp> = new Map([
  ['cargo', /^\+/],
  ['gcloud', /^(?:alpha|beta|preview)$/],
]);

const sentBy = ({ order, from, isNeeded, hasNoTarget }: Upload, words: readonly string[]): readonly string[] => {
  const readings = behindOrder(words, order);
  if (from !== undefined) {
    const values = valuesOf(words, from).map((each) => each.replace(/^[\w.-]+=/, ''));
    return readings.length === 0 ? [] : values.length === 0 && isNeeded ? ['.'] : values;
  }
  const plain = readings.map((behind) => behind.filter((word) => !word.startsWith('-')));
  return plain.flatMap((each) => (hasNoTarget ? each : sourcesIn(each)));
};

/**
 * What stands behind the words of a command, in each way to read the options before and between them: a plain word behind
 * one is its value or the next word of the command, and which of the two only the program knows.
 */
export const behindOrder = (words: readonly string[], order: readonly RegExp[]): readonly (readonly string[])[] => {
  let reached = new Set([0]);
  for (const expected of order) {
    const next = new Set<number>();
    // What is added while it runs is looked at as well.
    for (const at of reached) {
      const word = words[at];
      if (word === undefined) continue;
      if (!word.startsWith('-')) {
        if (expected.test(word)) next.add(at + 1);
        continue;
      }
      reached.add(at + 1);
      if (!word.includes('=')) reached.add(at + 2);
    }
    reached = next;
  }
  return [...reached].map((at) => words.slice(at));
};

/** `s3://bucket`, `pod:/tmp`. */
const isElsewhere = (word: string): boolean => /^[^/.:][^/:]*:/.test(word);
/** What stands behind the last place elsewhere is where a download goes, or the value of an option. */
const sourcesIn = (plain: readonly string[]): readonly string[] => {
  const place = plain.findLastIndex(isElsewhere);
  return plain.slice(0, place < 0 ? -1 : place).filter((word) => !isElsewhere(word));
};

const packedByModule = (program: string, words: readonly string[]): readonly string[] | undefined => {
  const module = /^(?:python|pypy)/.test(baseName(program)) ? words.indexOf('-m') : -1;
  if (module < 0) return undefined;
  if (words[module + 1] === 'zipapp') return words.slice(module + 2).filter((word) => !word.startsWith('-'));
  if (!/^(?:tar|zip)file$/.test(words[module + 1] ?? '')) return undefined;
  const at = words.findIndex((word) => /^(?:-c|--cr)/.test(word));
  return at < 0 ? undefined : words.slice(at + 2);
};

/** The values of an option in both of its forms. */
export const valuesOf = (words: readonly string[], option: RegExp): string[] =>
  words.flatMap((word, index) => {
    const [name = '', ...value] = word.split('=');
    if (!option.test(name)) return [];
    return value.length > 0 ? [value.join('=')] : words.slice(index + 1, index + 2);
  });
