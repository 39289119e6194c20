/**
 * What a command wrote into files that other programs run by themselves is judged as a tool would be that writes such a
 * file: a rule against it denies, a flag of this run that names it allows, and otherwise a person is asked.
 */
import type { EventOf, Rule } from '../../core/events.ts';
import { visibleLine } from '../../core/invisible.ts';
import { counted } from '../../core/number-text.ts';
import type { Standing } from '../../core/policy/overrides.ts';
import type { HeldChange, MayKeep } from '../../core/ports.ts';
import { type AuthorizePorts, authorize } from './authorize.ts';

/** What is asked about a call that has done its work. */
export type KeepQuestion = Pick<
  EventOf<'permission_requested'>,
  'risk' | 'rule' | 'because' | 'preview' | 'asks_each_time' | 'flag_rule'
>;

const WRITES = 'write_file';
/** A file may be called like a pattern, which would be a yes to others. */
const ruleOf = ({ path }: HeldChange): Rule => ({
  tool: WRITES,
  pattern: /[*?]|^=|\/$/.test(path) ? `=${path}` : path,
});

/** `ask` gets one question about all that no rule decides about. Absent: nobody is there, and none of it is kept. */
export const mayKeep =
  (
    ports: AuthorizePorts,
    standing: Standing | undefined,
    ask?: (question: KeepQuestion) => Promise<boolean>,
  ): MayKeep =>
  async (changes) => {
    const verdicts: ('allow' | 'ask' | 'deny')[] = [];
    for (const change of changes) verdicts.push(await verdictOn(ports, standing, change));
    const open = changes.filter((_, index) => verdicts[index] === 'ask');
    const isAllowed = open.length > 0 && ask !== undefined && (await ask(await questionOf(open)));
    return verdicts.map((verdict) => verdict === 'allow' || (verdict === 'ask' && isAllowed));
  };

/** A yes that comes when another process goes on with the session keeps nothing. */
export const whileHeld =
  ({ holds }: { holds(): Promise<boolean> }, answer: MayKeep): MayKeep =>
  async (changes) => {
    const answers = await answer(changes);
    return (await holds()) ? answers : [];
  };

/** In a mode that asks about nothing, it is asked about all the same: nobody saw what the command would do. */
const verdictOn = async (
  ports: AuthorizePorts,
  standing: Standing | undefined,
  { path, after = '' }: HeldChange,
): Promise<'allow' | 'ask' | 'deny'> => {
  if (!ports.registry.get(WRITES)) return 'ask';
  const mode = standing?.mode === 'plan' ? 'plan' : 'ask';
  const asked: AuthorizePorts = { ...ports, rules: () => ({ ...ports.rules(), mode }) };
  const call = { name: WRITES, arguments: { path, content: after } };
  const answer = await authorize(asked, call, {
    mode: 'strict',
    ...(standing === undefined ? {} : { standing: { ...standing, mode } }),
  });
  return answer.kind === 'evaluated' ? answer.verdict : 'deny';
};

const questionOf = async (changes: readonly HeldChange[]): Promise<KeepQuestion> => {
  // Loaded when it is needed, since it takes a moment.
  const differences = await import('../../tools/support/diff.ts');
  const [first] = changes as [HeldChange, ...HeldChange[]];
  const files = changes.length === 1 ? 'a file' : 'files';
  return {
    risk: 'high',
    rule: ruleOf(first),
    because: `the command has run, and changed ${files} that other programs run or load by themselves outside of the sandbox. Allow keeps the change, Deny takes it back`,
    preview: {
      summary: `keep ${changes.map(named).join('; ')}`,
      diff: changes.map((each) => diffOf(differences, each, changes.length > 1)).join('\n'),
    },
    asks_each_time: true,
    ...(changes.length === 1 ? { flag_rule: ruleOf(first) } : {}),
  };
};

const named = ({ path, kind, before, after = '', reason, executable }: HeldChange): string => {
  const what =
    kind === 'removed'
      ? 'removed'
      : kind === 'link'
        ? `a link to ${visibleLine(after)}`
        : `${before === undefined ? 'new' : 'changed'}${executable ? ', can be run' : ''}, ${counted(after.length, 'character')}`;
  return `${visibleLine(path)} (${what}; ${reason})`;
};

type Differences = typeof import('../../tools/support/diff.ts');
/** Surfaces leave the two lines at the head out, so that of several files each is named in a line of its own. */
const diffOf = (
  { diffTexts, unifiedDiff }: Differences,
  { path, before, after }: HeldChange,
  isOneOfMany: boolean,
): string => {
  const name = visibleLine(path);
  const [from = '', to = '', ...rest] = unifiedDiff(
    name,
    diffTexts(before ?? '', after ?? ''),
    before === undefined,
  ).split('\n');
  return [from, to, ...(isOneOfMany ? [` ${name}:`] : []), ...rest].join('\n');
};
