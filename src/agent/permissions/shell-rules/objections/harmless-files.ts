/**
 * Files that an option names and that carry nothing: what a compiler makes where no other file lies, and a list of packages
 * that names nothing but packages. What lies there decides, so it is looked at (`ShellSurroundings.carriesNothing`).
 */
import { type FileKind, type Objection, textsOf } from '../objections.ts';
import type { ShellCommand } from '../words.ts';
import { baseName } from '../wrappers.ts';

const PROFILE = /^-?-(?:test\.)?(?:coverprofile|cpuprofile|memprofile|blockprofile|mutexprofile)$/;
const COMPILER = /^(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+)[-0-9.]*$/;
/** With these a compiler writes text. */
const WRITES_TEXT = /^-(?:E|S|M\w*|save-temps.*|fdump.*|dM|emit-llvm|emit-ast|ast-dump|x.*|rewrite.*)$/;

/** Objections to an option whose file may carry nothing say which file that is. */
export const withHarmlessFiles = (command: ShellCommand, objections: readonly Objection[]): Objection[] => {
  const words = textsOf(command);
  const name = baseName(words[0] ?? '');
  const fileAt = FILES.find(([program]) => program.test(name))?.[1];
  if (fileAt === undefined) return [...objections];
  return objections.flatMap((objection): Objection[] => {
    if (objection.unless !== 'spelled' || objection.about !== undefined || objection.away !== undefined)
      return [objection];
    const found = fileAt(words, objection.word);
    if (found === 'nothing') return [];
    return [found === undefined ? objection : { ...objection, file: found }];
  });
};

type Found = { kind: FileKind; name: string } | 'nothing' | undefined;
const product = (name: string | undefined): Found => (name === undefined ? undefined : { kind: 'product', name });

const ofGo = (words: readonly string[], at: number): Found => {
  const [option = '', value] = (words[at] ?? '').split(/=(.*)/s);
  if (!/^(?:build|test)$/.test(words[1] ?? '')) return undefined;
  if (!/^-?-o$/.test(option) && !(words[1] === 'test' && PROFILE.test(option))) return undefined;
  return product(value ?? words[at + 1]);
};

const ofCompiler = (words: readonly string[], at: number): Found => {
  if (words.some((word) => WRITES_TEXT.test(word)) || !/^-o/.test(words[at] ?? '')) return undefined;
  return product(words[at] === '-o' ? words[at + 1] : words[at]?.slice(2));
};

const ofFetcher = (words: readonly string[], at: number): Found =>
  (/^-[sSLkfiv]*w$|^--write-out$/.test(words[at] ?? '') && PLAIN_FORMAT.test(words[at + 1] ?? '@')) ||
  (/^-[sSLkfiv]*o$|^--output$|^-[qS]*O$/.test(words[at] ?? '') && words[at + 1] === '/dev/null')
    ? 'nothing'
    : undefined;
/** Values of the answer and text: nothing that is read from a file or written to one. */
const PLAIN_FORMAT = /^(?:[^%@\\]|%\{(?!stderr|stdout|json|output|header)[a-z_]+\}|\\[nrt])*$/;

const ofPip = (words: readonly string[], at: number): Found => {
  const [word = '', next = ''] = [words[at], words[at + 1]];
  // What the folder itself says is run, as with `npm install`.
  if (OWN_FOLDER.test(word)) return 'nothing';
  if (/^(?:-e|--editable)$/.test(word) && OWN_FOLDER.test(next)) return 'nothing';
  if (/^(?:-r|--requirement)$/.test(word)) return { kind: 'packages', name: next };
  if (word.startsWith('--requirement=')) return { kind: 'packages', name: word.slice('--requirement='.length) };
  // The same file, where its name alone is what the option takes.
  return /^(?:-r|--requirement)$/.test(words[at - 1] ?? '') ? { kind: 'packages', name: word } : undefined;
};
const OWN_FOLDER = /^\.(?:\/)?(?:\[[\w,-]+\])?$/;

const FILES: readonly (readonly [program: RegExp, fileAt: (words: readonly string[], at: number) => Found])[] = [
  [/^go$/, ofGo],
  [COMPILER, ofCompiler],
  [/^(?:curl|wget)$/, ofFetcher],
  [/^pip[\d.]*$/, ofPip],
];
