/** Which program a command of a line starts, where its first word is a variable, another name for a program, or a copy of one. */
import { isLanguage, isShell } from './interpreters.ts';
import { wordsOfText } from './told-lines.ts';
import type { ShellWord } from './words.ts';
import { baseName } from './wrappers.ts';

/** `unknown`: the line makes a name of what nobody has read. `of_person`: a variable that the line does not set. */
export type Started = { words: ShellWord[] } | 'unknown' | 'of_person';

const PERSONS_SHELL = /^\$(?:SHELL|BASH|\{(?:SHELL|BASH)\b[^}]*\})$/;
const BARE = /^\$(?:(\w+)|\{(\w+)(?::?-([\w./-]*))?\})$/;
const ASKED_FOR = /^(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-[pP]|whence)\s+([\w./-]+)\s*(?:\)|`)$/;
const ALL = /^\$(?:[@*]|\{[@*]\})$/;

export class ProgramNames {
  /** Undefined where the shell makes the value of something else. */
  private readonly values = new Map<string, string | undefined>();
  private readonly others = new Map<string, string>();
  private changed = 0;

  /** How often a name got another meaning. */
  get changes(): number {
    return this.changed;
  }

  assign(name: string, value: string | undefined): void {
    this.set(this.values, name, this.values.has(name) && value !== this.values.get(name) ? undefined : value);
  }

  private set<Value>(names: Map<string, Value>, name: string, value: Value): void {
    if (names.has(name) && names.get(name) === value) return;
    names.set(name, value);
    this.changed += 1;
  }

  /** What `read`, `printf -v` and their like set; what `alias`, `hash`, `cp` and `ln` give another name. */
  note(words: readonly ShellWord[]): void {
    const [program = '', ...told] = words.map(({ text }) => text);
    const plain = told.filter((text) => !text.startsWith('-'));
    if (/^(?:read|mapfile|readarray|getopts)$/.test(program))
      for (const name of plain) this.set(this.values, name, undefined);
    if (program === 'printf' && told[0] === '-v') this.set(this.values, told[1] ?? '', undefined);
    if (program === 'alias')
      for (const [, name = '', value = ''] of told.flatMap((text) => [...text.matchAll(/^([^=]+)=(.*)$/gs)]))
        this.set(this.others, name, value);
    if (program === 'hash' && told.includes('-p')) {
      const [file = '', ...names] = told.slice(told.indexOf('-p') + 1);
      for (const name of names) this.set(this.others, name, baseName(file));
    }
    const [from = '', to] = [plain.at(-2), plain.at(-1)];
    const copied = ASKED_FOR.exec(from)?.[1] ?? baseName(from);
    if (
      COPIES.test(baseName(program)) &&
      to !== undefined &&
      (isShell(copied) || isLanguage(copied) || /^\/|^\$/.test(from))
    )
      this.set(this.others, plainName(to), copied);
  }

  /** `source`: the first word as it stands in the line. */
  startedBy(words: readonly ShellWord[], source: string): Started {
    const [first, ...rest] = words;
    if (first === undefined) return { words: [] };
    if (first.glob && first.text.includes('/')) return 'unknown';
    const other = this.others.get(plainName(first.text));
    if (!first.dynamic) return { words: other === undefined ? [...words] : [...wordsOfText(other), ...rest] };
    const name = source.replace(/^"(.*)"$/s, '$1');
    if (PERSONS_SHELL.test(name)) return { words: [...wordsOfText('sh'), ...rest] };
    const asked = ASKED_FOR.exec(name)?.[1];
    if (asked !== undefined) return { words: [...wordsOfText(baseName(asked)), ...rest] };
    const [, plain, braced, otherwise] = BARE.exec(name) ?? [];
    const variable = plain ?? braced;
    if (variable !== undefined && this.values.has(variable)) {
      const value = this.values.get(variable);
      return value === undefined ? 'unknown' : { words: [...wordsOfText(value), ...rest] };
    }
    if (otherwise !== undefined && otherwise !== '') return { words: [...wordsOfText(otherwise), ...rest] };
    if (variable !== undefined || ALL.test(name)) return 'of_person';
    const below = /[)}`\w]\/(?:[\w.-]+\/)*([\w.-]+)$/.exec(name)?.[1];
    return below === undefined ? 'unknown' : { words: [...wordsOfText(below), ...rest] };
  }
}

const COPIES = /^(?:cp|ln|mv|install)$/;

export const plainName = (name: string): string => name.replace(/^["']|["']$/g, '').replace(/^(?:\.\/)+/, '');
