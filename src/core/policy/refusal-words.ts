/** What the model and the person read of a call that was refused: the same words whichever way the call came. */
import type { Rule } from '../events.ts';
import { visibleText } from '../invisible.ts';
import { ruleText } from './rules.ts';

/** By a rule or a mode. */
export const deniedByRule = (because: string): string => `Not allowed: ${because}.`;

export const deniedByPerson = (reason: string | undefined): string =>
  reason ? `${DENIED_BECAUSE}${reason}` : 'The person denied this call.';
const DENIED_BECAUSE = 'The person denied this call: ';

/** The reason in such words; undefined where the person gave none. */
export const reasonOfDenial = (words: string): string | undefined =>
  words.startsWith(DENIED_BECAUSE) ? words.slice(DENIED_BECAUSE.length) : undefined;

/** The program that was asked gave no answer. */
export const deniedByFault = (fault: string): string => `Denied, and by nobody: ${fault.replace(/\.$/, '')}.`;

/** What the model reads where nobody was there to answer: what would let the call pass is for whoever runs it. */
export const unansweredCall = (name: string): string =>
  visibleText(`${name} needs permission and nobody is there to ask. It was not run.`);

/** What a person or a program reads where nobody is there to answer: why it would be asked about, and the rule that lets it pass where there is one. */
export const needsPermission = (name: string, because: string | undefined, flagRule: Rule | undefined): string => {
  const why = because === undefined || because === '' ? '' : `: ${because}`;
  return visibleText(`${name} needs permission and nobody is there to ask${why}. ${howToAllow(flagRule)}`);
};

const howToAllow = (rule: Rule | undefined): string => {
  if (rule === undefined) return 'No rule lets it pass: a person has to answer.';
  const text = ruleText(rule);
  const inProgram = /['\\\n]/.test(text) ? JSON.stringify(text) : `'${text}'`;
  return `Allow it with --allow ${shellQuoted(text)}, in a program with permissions: { allow: [${inProgram}] }.`;
};

/** To be copied into a command line as it stands. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
