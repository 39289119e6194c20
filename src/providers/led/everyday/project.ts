/** What a project is, by the files that describe it: its version, its name, what it depends on. */
import { asWritten } from '../as-written.ts';
import { joinAnswer, quoteResult } from '../steps/answer.ts';
import { licenseText } from './documents.ts';
import { fileIn } from './kinds.ts';
import { MANIFESTS, type Manifest, type ManifestField, readManifest } from './manifest.ts';
import { type Plan, quoted, shell } from './plan.ts';

/** What a manifest answers; undefined where it does not, so that the next one is read. */
type Reading = (manifest: Manifest | undefined, path: string, text: string) => string | undefined;

const FIND = `find . -maxdepth 1 \\( ${MANIFESTS.map((name) => `-name ${name}`).join(' -o ')} \\)`;

/** What is done where none of these files answers; there may be none at all. */
type Otherwise = (paths: readonly string[]) => Plan;

const orSay =
  (words: (paths: readonly string[]) => string): Otherwise =>
  (paths) => ({
    kind: 'say',
    text:
      paths.length === 0
        ? `There is no ${MANIFESTS.slice(0, 3).join(', ')} or the like here that says so.`
        : words(paths),
  });

/** The manifests at the top of the folder, one after another until one answers. */
const inManifests = (reading: Reading, otherwise: Otherwise): Plan => ({
  kind: 'call',
  call: { name: 'bash', arguments: { command: FIND } },
  opening: '',
  next: (data) => {
    const found = MANIFESTS.filter((name) => data.split('\n').includes(`./${name}`));
    return found.length > 0 ? readNext(found, found, reading, otherwise) : otherwise([]);
  },
});

const readNext = (left: readonly string[], all: readonly string[], reading: Reading, otherwise: Otherwise): Plan => {
  const [path, ...more] = left;
  if (path === undefined) return otherwise(all);
  return {
    kind: 'call',
    call: { name: 'read_file', arguments: { path } },
    opening: `${asWritten(path)}:`,
    next: (text) => {
      const answer = reading(readManifest(path, text), path, text);
      return answer === undefined ? readNext(more, all, reading, otherwise) : { kind: 'say', text: answer };
    },
  };
};

/** One field of the project itself. A file that cannot be read that way says nothing, and is not said to lack it. */
const ownField =
  (field: ManifestField): Reading =>
  (manifest, path) => {
    const value = manifest?.field(field);
    return value === undefined ? undefined : `${path} says: ${field} ${asWritten(String(value))}`;
  };

const noField = (field: ManifestField): Otherwise =>
  orSay((paths) => `I found no ${field} of the project in ${paths.join(', ')}.`);

/** The version of something that the project uses: from the list, else the lines that name it. */
const versionOf =
  (subject: string): Reading =>
  (manifest, path, text) => {
    const wanted = subject.toLowerCase();
    const known = [...(manifest?.dependencies ?? []), ...(manifest?.engines ?? [])].find(
      ([name]) => name.toLowerCase() === wanted,
    );
    if (known) return `${asWritten(known[0])} in ${path}: ${asWritten(known[1])}`;
    const lines = text.split('\n').filter((line) => line.toLowerCase().includes(wanted));
    return lines.length === 0 || manifest?.dependencies
      ? undefined
      : quotedText(`${subject} in ${path}`, lines.join('\n'));
  };

const PROGRAM =
  /\b(node|npm|python|git)(?:\.?js)?\b.*\b(?:installed|machine|system|have|running)\b|\binstalled\b.*\b(node|npm|python|git)\b/i;
/** These are on the machine even where no file names them. */
const isProgram = (subject: string): boolean => /^(?:node|npm|python|git)$/i.test(subject);
const installedVersion = (name: string): Plan =>
  shell(`${name === 'python' ? 'python3' : name} --version`, `The installed ${name}:`);

const SUBJECT =
  /\bversions? (?:of|for) (?:the )?[`"']?([\w@][\w@/.-]*?)[`"']?(?= |[?.!,]|$)|\b(?:which|what) ([\w@][\w@/.-]*) version|\b(?:which|what) version (?:of )?[`"']?([\w@][\w@/.-]*)/i;
const OWN_SUBJECT =
  /^(?:this|project|package|it|is|the|app|application|program|library|module|my|our|current|repo\w*|are|do|does|we|I)$/i;

export const versionPlan = (request: string): Plan | undefined => {
  if (!/\bversions?\b/i.test(request)) return undefined;
  const program = PROGRAM.exec(request);
  const name = (program?.[1] ?? program?.[2])?.toLowerCase();
  if (name !== undefined) return installedVersion(name);
  const file = fileIn(request);
  const of = SUBJECT.exec(request);
  const subject = of?.[1] ?? of?.[2] ?? of?.[3];
  const isOwn = subject === undefined || subject === file || OWN_SUBJECT.test(subject);
  const reading = isOwn ? ownField('version') : versionOf(subject);
  const otherwise = isOwn
    ? noField('version')
    : isProgram(subject)
      ? () => installedVersion(subject.toLowerCase())
      : orSay((paths) => `I found no ${subject} in ${paths.join(', ')}.`);
  return file === undefined ? inManifests(reading, otherwise) : readNext([file], [file], reading, otherwise);
};

const ABOUT_PROJECT =
  /\b(?:dependenc(?:y|ies)|npm scripts|scripts (?:are|does)|(?:name|author) of (?:this|the) (?:project|package))\b|\b(?:project|package)(?:'s)? (?:name|called)\b|\bproject\b.*\bcalled\b/i;

const quotedText = (of: string, text: string, none?: string): string =>
  joinAnswer(`${of}:`, text === '' && none !== undefined ? [none] : quoteResult(text));

/** The lists of a manifest, where it can be read that far; else the file as it is. */
const listed =
  (read: (manifest: Manifest) => readonly string[] | undefined, none: string): Reading =>
  (manifest, path, text) => {
    const list = manifest && read(manifest);
    if (list === undefined) return quotedText(path, text);
    return quotedText(path, list.length === 0 ? '' : JSON.stringify(list), none);
  };

export const projectPlan = (request: string): Plan | undefined => {
  if (!ABOUT_PROJECT.test(request)) return undefined;
  const nothing = orSay((paths) => `I found nothing about that in ${paths.join(', ')}.`);
  if (/\bdependenc/i.test(request)) {
    const names = ({ dependencies }: Manifest) => dependencies?.map(([name, version]) => `${name} ${version}`);
    return inManifests(listed(names, 'no dependencies'), nothing);
  }
  if (/\bscripts\b/i.test(request))
    return inManifests(
      listed(({ scripts }) => scripts, 'no scripts'),
      nothing,
    );
  const field = /author/i.test(request) ? 'author' : 'name';
  return inManifests(ownField(field), noField(field));
};

const WORK = '(?:project|code(?:base)?|repo(?:sitory)?|package|program|app|software|library|folder)';
const OF_IT = `(?:(?: (?:is|does|has|of|for|under|use|have))* (?:(?:this|the|our|my) ${WORK}|this|it|we|here)(?:'s)?(?: (?:is|under|use|uses|used|have|has|licensed|released|published))*)?`;
const LICENSE = new RegExp(
  `^(?:please |so |and |tell me )*(?:under )?(?:(?:what|which)(?:'s| is| are)?(?: the| its| our)?(?: ${WORK}(?:'s)?)? licen[cs]e${OF_IT}(?: under)?|(?:how|what) is (?:this|it|(?:this|the|our) ${WORK}) licen[cs]ed(?: under)?|(?:what is )?(?:the )?licen[cs]e of (?:this|the|our) ${WORK}|(?:what is )?(?:this|the|our) ${WORK}(?:'s)? licen[cs]e)[?.! ]*$`,
  'i',
);
/** From a file that describes the project, else from its LICENSE. */
export const licensePlan = (request: string): Plan | undefined =>
  LICENSE.test(request.trim()) ? inManifests(ownField('license'), licenseText) : undefined;

const AUTHOR = new RegExp(
  `^(?:please |so |and |hey,? |tell me )*who(?:'s| is| are| was| were)? (?:(?:wrote|made|created|built|developed|maintains|coded|programmed)|(?:the )?(?:author|maintainer|creator|developer)s?(?: of)?)(?: (?:this|the|our|it|all (?:of )?this)(?: ${WORK})?)?[?.! ]*$`,
  'i',
);
const AUTHOR_OF_FILE =
  /^(?:please |so |and |tell me )*who (?:wrote|made|created|edited|changed|touched|maintains|is the author of)\b/i;
/** From a file that describes the project, else from its history; of one file from its history alone. */
export const authorPlan = (request: string): Plan | undefined => {
  const file = fileIn(request);
  if (file !== undefined && AUTHOR_OF_FILE.test(request.trim()))
    return shell(`git shortlog -sn HEAD -- ${quoted(file)}`, `Commits of ${asWritten(file)} by author:`, {
      nothing: `No commit changed ${asWritten(file)}.`,
    });
  return AUTHOR.test(request.trim())
    ? inManifests(ownField('author'), () => shell('git shortlog -sn HEAD', 'Commits by author:'))
    : undefined;
};
