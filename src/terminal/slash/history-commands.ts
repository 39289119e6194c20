/** Commands that go back in the conversation, or beside it. */

import { openChanges } from '../../core/changes.ts';
import type { Event, SessionFace } from '../../core/events.ts';
import { type CallEnd, callEnd } from '../../core/failure-word.ts';
import { shownText } from '../../core/message.ts';
import { counted } from '../../core/number-text.ts';
import { activePath, messageTree, type TreeNode } from '../../core/session-tree.ts';
import { thrownText } from '../../core/thrown-text.ts';
import type { PickerItem } from '../app/list-picker.ts';
import { formatDuration, formatNumber, timeText, wrapText } from '../text.ts';
import { fixedItem } from '../transcript/items.ts';
import { performCommand } from './perform.ts';
import { sendUndo } from './send-undo.ts';
import { type SlashCommand, type SlashHost, send } from './slash-command.ts';

/** Where files changed since, they go back as well unless the person says otherwise. */
const whatGoesBack = (log: readonly Event[], seq: number): { items: PickerItem[]; usual: string } => {
  const here = new Set(activePath(log).map((event) => event.seq));
  const changes = openChanges(log).filter((change) => change.seq > seq && here.has(change.seq));
  const files = counted(new Set(changes.map(({ path }) => path)).size, 'file');
  return {
    usual: changes.length > 0 ? 'both' : 'conversation',
    items: [
      { value: 'conversation', label: 'the conversation', description: 'files stay as they are' },
      { value: 'files', label: 'the files', description: 'the conversation stays' },
      {
        value: 'both',
        label: 'both',
        description:
          changes.length > 0 ? `${counted(changes.length, 'change')} of ${files} since then` : 'no file changed',
      },
    ],
  };
};

const rewind = async (host: SlashHost): Promise<void> => {
  if (host.activity().isRunning) return host.notice('warning', 'A run is going on. Esc stops it, then /rewind.');
  const messages = activePath(host.session().log()).filter(({ type }) => type === 'user_message_added');
  if (messages.length === 0) return host.notice('quiet', 'Nothing has been said yet.');
  const items = messages.map((event) => ({
    value: String(event.seq),
    label: event.type === 'user_message_added' ? shownText(event.content) : '',
    description: timeText(event.at),
  }));
  host.pick(items.reverse(), '', {
    title: 'Go back to before this message',
    hint: 'Enter chooses it, Esc stays here',
    take: (seq) => {
      const { items, usual } = whatGoesBack(host.session().log(), Number(seq));
      host.pick(items, usual, {
        title: 'What goes back?',
        hint: host.options.sandbox.confined
          ? `${REWIND_HINT} Files: what tools and commands changed.`
          : `${REWIND_HINT} Without a sandbox, what commands changed stays.`,
        take: (what) => void performCommand(host, { ...REWIND, perform: () => goBack(host, Number(seq), what) }, ''),
      });
    },
  });
};

const goBack = async (host: SlashHost, seq: number, what: string): Promise<void> => {
  const said = host
    .session()
    .log()
    .find((event) => event.seq === seq);
  const undone =
    what === 'conversation' ? { ok: true as const } : await sendUndo(host, { type: 'undo', since_seq: seq });
  if (!undone.ok) host.notice('warning', undone.message);
  if (what === 'files') return;
  const before = activePath(host.session().log()).findLast((event) => event.seq < seq);
  await send(host, { type: 'branch', at_seq: before?.seq ?? 1 });
  if (said?.type === 'user_message_added') host.fill(shownText(said.content));
};

/** What does not go back is said where it is decided. */
const REWIND_HINT = 'Enter goes back, Esc stays here. Commits stay in git.';

const fork = async (host: SlashHost): Promise<void> => {
  if (host.activity().isRunning) return host.notice('warning', 'A run is going on. Esc stops it, then /fork.');
  if (host.options.forkSession === undefined) throw new Error('Sessions cannot be copied here.');
  const before = host.session();
  if (!before.log().some(({ type }) => type === 'user_message_added'))
    return host.notice('quiet', 'Nothing has been said yet.');
  await before.close();
  let copy: SessionFace;
  try {
    copy = await host.options.forkSession(before.id);
  } catch (error) {
    // It was closed for the copy alone.
    host.begin(await host.open(before.id), `No copy was made: ${thrownText(error)}`);
    return;
  }
  host.begin(copy, `A copy of session ${before.id}, which stays as it is; /sessions ${before.id} goes back.`);
};

const TREE_INDENT = 2;

/** Every message of the session, what was left aside too; the chosen one is gone on with where it was left. */
const tree = async (host: SlashHost): Promise<void> => {
  if (host.activity().isRunning) return host.notice('warning', 'A run is going on. Esc stops it, then /tree.');
  const nodes = messageTree(host.session().log());
  if (nodes.length === 0) return host.notice('quiet', 'Nothing has been said yet.');
  const here = nodes.findLast(({ current }) => current);
  host.pick(
    nodes.map(({ seq, kind, text, depth, current }) => ({
      value: String(seq),
      label: `${' '.repeat(depth * TREE_INDENT)}${kind === 'answer' ? 'answer: ' : ''}${text}`,
      ...(current ? { description: 'this way' } : {}),
    })),
    String(here?.seq ?? ''),
    {
      title: 'Go on where this message leads to',
      hint: 'Enter goes there, Esc stays here. Files stay as they are.',
      take: (chosen) => {
        const node = nodes.find(({ seq }) => String(seq) === chosen);
        if (node) void performCommand(host, { ...TREE, perform: () => goTo(host, node) }, '');
      },
    },
  );
};

const goTo = async (host: SlashHost, { head_seq, current }: TreeNode): Promise<void> => {
  if (current) return host.notice('quiet', 'The conversation is there already; /rewind goes back in it.');
  const session = host.session();
  const sent = await session.send({ type: 'branch', at_seq: head_seq });
  if (sent.ok) host.begin(session, 'Another branch of this session.');
  else host.notice('warning', sent.message);
};

const TREE: SlashCommand = {
  name: 'tree',
  description: 'every branch of this session, to go on in another one',
  waitsForEnd: () => true,
  perform: tree,
};

/** What was refused or never begun did not fail. */
const endsText = (ends: readonly CallEnd[]): string => {
  const of = (end: CallEnd, word: string): string[] => {
    const count = ends.filter((one) => one === end).length;
    return count === 0 && end !== 'failed' ? [] : [`${formatNumber(count)} ${word}`];
  };
  return [...of('failed', 'failed'), ...of('denied', 'refused'), ...of('not_run', 'not run')].join(', ');
};

const stats = (host: SlashHost): void => {
  const log = host.session().log();
  let [prompt, cached, completion, seconds, messages] = [0, 0, 0, 0, 0];
  const started = new Set(log.flatMap((event) => (event.type === 'tool_started' ? [event.tool_call_id] : [])));
  const ends: CallEnd[] = [];
  for (const event of log) {
    if (event.type === 'user_message_added') messages += 1;
    if (event.type === 'tool_finished') ends.push(callEnd(event.result, started.has(event.tool_call_id)));
    const usage = event.type === 'assistant_message_added' ? event.message.usage : undefined;
    prompt += usage?.prompt_tokens ?? 0;
    cached += usage?.cached_tokens ?? 0;
    completion += usage?.completion_tokens ?? 0;
    seconds += usage?.seconds ?? 0;
  }
  const lasted = (log.at(-1)?.at ?? 0) - (log[0]?.at ?? 0);
  const rows = [
    `${counted(messages, 'message')}, ${counted(ends.length, 'call')} (${endsText(ends)}), over ${formatDuration(lasted)}`,
    `${counted(prompt, 'token')} read (${formatNumber(cached)} of them reused), ${formatNumber(completion)} written`,
    `the model worked ${formatDuration(seconds * 1_000)}`,
  ];
  host.add(fixedItem('text', ({ width }) => wrapText(rows.join('\n'), width)));
};

const REWIND: SlashCommand = {
  name: 'rewind',
  description: 'go back to an earlier message: conversation, files or both',
  waitsForEnd: () => true,
  perform: rewind,
};

export const HISTORY_COMMANDS: readonly SlashCommand[] = [
  REWIND,
  TREE,
  { name: 'fork', description: 'go on with a copy of this session', waitsForEnd: () => true, perform: fork },
  { name: 'stats', description: 'messages, calls, tokens and time of this session', perform: stats },
];
