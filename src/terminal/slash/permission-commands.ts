/** The rules that hold now. */
import { sanitizeLine } from '../sanitize.ts';
import { wrapSpans } from '../text.ts';
import { fixedItem } from '../transcript/items.ts';
import type { SlashCommand, SlashHost } from './slash-command.ts';

/** `/permissions`: all of them, with where each comes from; `/permissions forget RULE` takes one back. */
const permissions = async (host: SlashHost, argument: string): Promise<void> => {
  const { rules } = host.options;
  if (rules === undefined) throw new Error('The rules of this session are in another process.');
  const log = host.session().log();
  const [, forgotten] = /^forget\s+([\s\S]+)$/.exec(argument) ?? [];
  if (forgotten !== undefined) {
    await rules.takeBack(log, forgotten.trim());
    return host.notice('quiet', `${sanitizeLine(forgotten.trim())} holds no longer: such calls are asked about again.`);
  }
  if (argument !== '') return host.notice('warning', 'It is /permissions, or /permissions forget RULE.');
  const listed = rules.list(log);
  const mode = host.mode();
  if (listed.length === 0)
    return host.notice(
      'quiet',
      `No rules hold here; the mode ${mode} decides. Session and Remember in a question make rules.`,
    );
  const rows = listed.map(({ decision, rule, source }) => `${decision}  ${sanitizeLine(rule)}  (${source})`);
  const last = `Mode ${mode}. /permissions forget RULE takes one of this session or a remembered one back.`;
  host.add(
    fixedItem('text', ({ width, theme }) => [
      ...rows.flatMap((row) => wrapSpans([{ text: row }], width, '  ').map((line) => line.text)),
      ...wrapSpans([{ text: last, paint: theme.dim }], width).map((line) => line.text),
    ]),
  );
};

export const PERMISSION_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'permissions',
    description: 'the rules that hold, and where each comes from',
    argument: 'forget rule',
    words: ['forget'],
    perform: permissions,
  },
];
