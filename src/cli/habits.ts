/** What people who come from another program type first, and what it is called here. Each hint names a whole command. */
import { visibleText } from '../core/invisible.ts';
import { LIMITS } from '../core/limits.ts';

const ONE_ANSWER = (question: string): string => ` For one answer: \`halter run ${question}\`.`;
const LAST_SESSION = ' The last session of this folder: `halter -c`; another one: `halter --session ID`.';
const says = (command: string): string => ` Here it is \`${command}\`.`;

const WORDS: Readonly<Record<string, string>> = {
  chat: says('halter'),
  code: says('halter'),
  start: says('halter'),
  tui: says('halter'),
  interactive: says('halter'),
  resume: LAST_SESSION,
  continue: LAST_SESSION,
  pull: says('halter models pull NAME'),
  list: ' Models: `halter models list`; sessions: `halter sessions list`.',
  ls: says('halter models list'),
  ps: says('halter models list'),
  rm: says('halter models rm NAME'),
  stop: says('halter models unload NAME'),
  stats: ' It is `/stats` in the app; `halter` opens it.',
  export: says('halter sessions export ID'),
  import: says('halter sessions import FILE'),
  history: says('halter sessions list'),
  settings: says('halter config get'),
  web: says('halter serve --open'),
  update: ' npm brings a newer one: `npm install -g halter`.',
  upgrade: ' npm brings a newer one: `npm install -g halter`.',
};
const ASKS: ReadonlySet<string> = new Set(['exec', 'ask', 'prompt', 'query', 'print', 'do', 'e', 'p']);

const FLAGS: Readonly<Record<string, string>> = {
  '--resume': LAST_SESSION,
  '-r': LAST_SESSION,
  '--session-id': ' It is `halter --session ID`.',
  '--dangerously-skip-permissions': says('halter --yolo'),
  '--dangerously-bypass-approvals-and-sandbox': says('halter --yolo'),
  '--auto': says('halter --mode auto'),
  '--full-auto': says('halter --mode auto'),
  '--permission-mode': says('halter --mode MODE'),
  '--approval-mode': says('halter --mode MODE'),
  '--ask-for-approval': says('halter --mode ask'),
  '--output-format': says('halter run --format FORMAT'),
  '--allowedTools': says('halter --allow RULE'),
  '--disallowedTools': says('halter --deny RULE'),
  '--max-turns': says('halter --max-iterations N'),
  '--cd': says('halter -C DIR'),
  '--cwd': says('halter -C DIR'),
  '-q': says('halter run --quiet'),
};
const ASKING_FLAGS: ReadonlySet<string> = new Set(['-p', '--print', '--prompt', '--message', '--exec', '-e']);

/** In double quotes for the shell, where it takes nothing out of them; of a long text, or one that is no line, a stand-in. */
const quoted = (words: readonly string[]): string => {
  const text = words.join(' ');
  const isPlain = text !== '' && text.length <= LIMITS.quotedNameCharacters && visibleText(text) === text;
  return isPlain ? `"${text.replace(/["\\$`]/g, '\\$&')}"` : '"your question"';
};

/** For a flag that there is none of; `words`: what stands beside it. Undefined where nobody is used to it. */
export const habitualFlag = (flag: string, words: readonly string[]): string | undefined =>
  ASKING_FLAGS.has(flag) ? ONE_ANSWER(quoted(words)) : FLAGS[flag];

/** As one writes to a person. Folders have such names too, so that nothing is sent by itself. */
const isWord = (text: string): boolean => /^[\p{L}\p{M}'’]+[?!.,:;…]*$/u.test(text);

/** For words that are no command and no folder; `guess`: the command that the first may be a slip of. A sentence is a question. */
export const habitualWord = ([first = '', ...rest]: readonly string[], guess: string): string | undefined => {
  if (ASKS.has(first)) return ONE_ANSWER(quoted(rest));
  if (Object.hasOwn(WORDS, first)) return WORDS[first];
  const isSentence = /\s/.test(first.trim()) || (guess === '' && (rest.length > 1 || isWord(first)));
  return isSentence ? ONE_ANSWER(quoted([first, ...rest])) : undefined;
};
