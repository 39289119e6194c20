/** README, LICENSE and the like: people name them without their ending, and ask what they say or whether they are there. */
import { asWritten } from '../as-written.ts';
import { type Plan, shell } from './plan.ts';

const DOCUMENTS: readonly (readonly [words: string, names: readonly string[]])[] = [
  ['readme', ['readme*']],
  ['licen[cs]e', ['licen[cs]e*', 'copying*']],
  ['change ?log', ['changelog*', 'changes*']],
  ['contributing', ['contributing*']],
];

const POLITE = `(?:(?:please|hey|ok|so|can you|could you|would you|tell me)[, ]+)*`;
const THE = '(?:(?:the|this|our|my|its|a|an|any) )?';
const HERE = `(?: (?:here|there|in (?:here|it|(?:this|the|my|our) (?:folder|directory|project|repo(?:sitory)?|package))))?`;
/** `doc`: the word for it. Its ending may be said too, `README.md`. */
const asksText = (doc: string): RegExp =>
  new RegExp(
    `^${POLITE}(?:${[
      `(?:show|open|read|cat|display|print|view|give)(?: me| us)? (?:the contents? of )?${THE}${doc}(?: file)?(?: to me)?`,
      `what(?:'s| is) (?:in|inside|written in|the contents? of) ${THE}${doc}(?: file)?`,
      `what(?: does| do)? ${THE}${doc}(?: file)? (?:says?|contains?|holds?|tells?(?: me| us)?|states?|reads?)(?: (?:about|on) .*)?`,
    ].join('|')})${HERE}[?.! ]*$`,
    'i',
  );
const asksWhether = (doc: string): RegExp =>
  new RegExp(
    `^${POLITE}(?:${[
      `is there ${THE}${doc}(?: file)?`,
      `(?:do (?:we|i|you)|does (?:this|the|my|it)(?: (?:folder|project|repo(?:sitory)?|package))?) have ${THE}${doc}(?: file)?`,
      `does ${THE}${doc}(?: file)? exist`,
      `where(?:'s| is) ${THE}${doc}(?: file)?`,
    ].join('|')})${HERE}[?.! ]*$`,
    'i',
  );

const FORMS = DOCUMENTS.map(([words, names]) => ({
  text: asksText(`(${words})`),
  whether: asksWhether(`(${words})`),
  names,
}));

/** The document, in whichever of the forms it stands. A name for the group of each form is more than Node 20 reads. */
const namedIn = (form: RegExp, request: string): string | undefined =>
  form
    .exec(request.trim())
    ?.slice(1)
    .find((word) => word !== undefined);

export const documentPlan = (request: string): Plan | undefined => {
  for (const { text, whether, names } of FORMS) {
    const reads = namedIn(text, request);
    if (reads !== undefined) return readDocument(titleOf(reads), names);
    const asked = namedIn(whether, request);
    if (asked !== undefined) return findDocument(titleOf(asked), names);
  }
  return undefined;
};

/** The licence as it is written here. */
export const licenseText = (): Plan => readDocument('LICENSE', ['licen[cs]e*', 'copying*']);

const titleOf = (word: string): string => word.toUpperCase().replace(' ', '').replace('LICENCE', 'LICENSE');

const search = (names: readonly string[], next: (found: string[]) => Plan): Plan =>
  shell(`find . -maxdepth 1 -type f \\( ${names.map((name) => `-iname '${name}'`).join(' -o ')} \\)`, '', {
    next: (data) => {
      const found = data.split('\n').flatMap((line) => /^\.\/(.+)$/.exec(line.trim())?.[1] ?? []);
      return next(found.sort((a, b) => Number(b.endsWith('.md')) - Number(a.endsWith('.md')) || (a < b ? -1 : 1)));
    },
  });
const none = (title: string): Plan => ({ kind: 'say', text: `There is no ${title} at the top of this folder.` });

const findDocument = (title: string, names: readonly string[]): Plan =>
  search(names, (found) =>
    found.length === 0 ? none(title) : { kind: 'say', text: `Yes: ${found.map(asWritten).join(', ')}.` },
  );

const readDocument = (title: string, names: readonly string[]): Plan =>
  search(names, ([path]) =>
    path === undefined
      ? none(title)
      : {
          kind: 'call',
          call: { name: 'read_file', arguments: { path } },
          opening: `${asWritten(path)}:`,
          nothing: `${asWritten(path)} is empty.`,
        },
  );
