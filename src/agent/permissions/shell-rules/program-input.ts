/** Where a program of a line has what it runs from, other than a word that says it: its input, or a word only the shell knows. */
import { isConsole, readsOrders } from './fed-orders.ts';
import { codeOption, isShell, isSqlConsole } from './interpreters.ts';
import { isReader } from './objections/option-tables.ts';
import type { ShellWord } from './words.ts';
import { baseName, isKnownRunner } from './wrappers.ts';

export type ProgramInput = {
  /** The command with its text in a word. */
  program: string;
  option: string;
  from: 'input' | 'input_of_any_kind' | 'elsewhere' | { word: ShellWord; isCode: boolean };
};

const INPUT = /^(?:-|\/dev\/(?:stdin|fd\/0)|\/proc\/(?:self|thread-self|\d+)\/fd\/0)$/;
/** A file that was opened before, or lies on another machine. */
const DESCRIPTOR = /^https?:\/\/|^\/(?:dev|proc\/(?:self|thread-self|\d+))\/fd\//;
/** Their next word is a value, and no script. */
const TAKES_VALUE =
  /^-(?:[WXIrMoOCKx]|-(?:require|import|loader|experimental-loader|env-file|rcfile|init-file|check-hash-based-pycs|conditions))$/;
/** They run on another machine. */
const ELSEWHERE = /^(?:ssh|rsh|mosh|kubectl|autossh|sshpass|pssh)$/;
const EACH = /^(?:xargs|gxargs|parallel)$/;

export const programInputs = (words: readonly ShellWord[]): ProgramInput[] => {
  const first = baseName(words[0]?.text ?? '');
  const isHere = words.some(({ text }) => /^(?:\w+@)?(?:localhost|127\.[\d.]+|::1|0\.0\.0\.0)$/.test(text));
  if (ELSEWHERE.test(first) && !isHere) return [];
  const found = inputsOf(first, words.slice(1));
  if (found.length > 0 || !isKnownRunner(first) || isShell(first)) return found;
  // Behind a wrapper any word may be the program: an image of a container is called as what it holds.
  const told = words.flatMap(({ text }, at) => (at > 0 && isInterpreter(baseName(text)) ? [at] : []));
  if (RUNS_FILES.test(first) && words.some(({ text }) => /^(?:git\+)?https?:\/\//.test(text)))
    return [{ program: 'sh', option: '-c', from: 'elsewhere' }];
  if (told.length === 0 && RUNS_FILES.test(first) && words.some(({ text }) => INPUT.test(text)))
    return [{ program: 'python3', option: '-c', from: 'input' }];
  if (told.length === 0) return first === 'parallel' ? [{ program: 'sh', option: '-c', from: 'input' }] : [];
  return told.flatMap((at) => {
    const program = baseName(words[at]?.text ?? '');
    return EACH.test(first) ? appended(program, words.slice(at + 1)) : inputsOf(program, words.slice(at + 1));
  });
};

/** They run a file of code that they are given. */
const RUNS_FILES = /^(?:uvx?|poetry|pipenv|pipx|pdm|rye|hatch|conda|mamba|micromamba|npx|bunx)$/;

const isInterpreter = (program: string): boolean => isShell(program) || codeOption(program) !== undefined;

/** `xargs python3 -c`: what comes in is the code. */
const appended = (program: string, words: readonly ShellWord[]): ProgramInput[] => {
  const { test, option } = optionOf(program);
  const at = words.findIndex(({ text }) => test.test(text));
  const code = words[at + 1]?.text;
  const isCode = at >= 0 && (code === undefined || /^(?:\{\}|[%@\w]{1,8})$/.test(code));
  return isCode ? [{ program: asProgram(program), option, from: 'input' }] : [];
};

const optionOf = (program: string): { test: RegExp; option: string } =>
  codeOption(program) ?? { test: /^-[A-Za-z]*c$/, option: '-c' };
const asProgram = (program: string): string => (/^(?:at|batch|eval|source|\.)$/.test(program) ? 'sh' : program);

const inputsOf = (program: string, words: readonly ShellWord[]): ProgramInput[] => {
  if (program === 'eval') return evaluated(words);
  if (program === 'trap') return evaluated(words.slice(0, 1));
  if (program === 'source' || program === '.') return words[0] === undefined ? [] : scripted('sh', '-c', words[0]);
  if (isInterpreter(program)) return interpreted(program, words);
  const texts = words.map(({ text }) => text);
  // What a compiler puts in of another file stands in what it prints.
  if (compiles(program) && texts.some((text) => INPUT.test(text)))
    return [{ program: 'node', option: '-e', from: 'input' }];
  const isTold = readsOrders(program, texts) || (isConsole(program, texts) && !isSqlConsole(program));
  return isTold ? [{ program: 'sh', option: '-c', from: 'input_of_any_kind' }] : [];
};

const COMPILES = /^(?:(?:g|t)?cc|c?pp|[gc]\+\+|clang(?:\+\+)?|[ny]asm|as|rustc|m4)(?:-\d+)?$/;
export const compiles = (program: string): boolean => COMPILES.test(program);

/** What a program prints for a shell (`eval "$(ssh-agent)"`) is its own; what is read or put together is not. */
const evaluated = (words: readonly ShellWord[]): ProgramInput[] =>
  words
    .filter(({ dynamic }) => dynamic)
    .filter(({ text }) => {
      const inner = /(?:\$\(|`)(.*)(?:\)|`)/s.exec(text)?.[1];
      return inner === undefined || isReaderLine(inner);
    })
    .map((word) => ({ program: 'sh', option: '-c', from: { word, isCode: true } }));
/** It reads, or puts together, what it prints. */
export const isReaderLine = (inner: string): boolean =>
  /<</.test(inner) ||
  isReader(baseName(inner.split('|').at(-1)?.trim().split(/\s/)[0] ?? '')) ||
  /\b(?:curl|wget|nc|ncat|socat|echo|printf|base64|xxd|openssl|rev|tr|sed|awk)\b/.test(inner);

const scripted = (program: string, option: string, word: ShellWord): ProgramInput[] =>
  INPUT.test(word.text)
    ? [{ program, option, from: 'input' }]
    : DESCRIPTOR.test(word.text)
      ? [{ program, option, from: 'elsewhere' }]
      : [{ program, option, from: { word, isCode: false } }];

const interpreted = (program: string, words: readonly ShellWord[]): ProgramInput[] => {
  const { test, option } = optionOf(program);
  const named = asProgram(program);
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as ShellWord;
    if (test.test(word.text)) {
      const code = words[at + 1];
      return code?.dynamic ? [{ program: named, option, from: { word: code, isCode: true } }] : [];
    }
    if (/^(?:-m|--?version|--?help|-V|-h|--test|--check)$/.test(word.text)) return [];
    if (word.text === '-s' && isShell(program)) return [{ program: named, option, from: 'input' }];
    if (TAKES_VALUE.test(word.text)) at += 1;
    else if (INPUT.test(word.text) || !word.text.startsWith('-')) {
      if (/^(?:run|repl)$/.test(word.text) && /^(?:deno|bun)$/.test(program)) continue;
      if (/^(?:at|batch)$/.test(program)) break;
      return scripted(named, option, word);
    }
  }
  return [{ program: named, option, from: 'input' }];
};
