/** Commands that act on the conversation of this session. */
import { changesOfAnswerLeft, remainingSentence } from '../../core/changes.ts';
import type { Event } from '../../core/events.ts';
import { activePath } from '../../core/session-tree.ts';
import { sessionCommand } from '../../core/typed-command.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { sendUndo } from './send-undo.ts';
import { sharedWords } from './shared-commands.ts';
import type { SlashCommand, SlashHost } from './slash-command.ts';

const undo = async (host: SlashHost, argument: string): Promise<void> => {
  const command = sessionCommand({ name: 'undo', argument });
  if (command === undefined || typeof command === 'string') return host.notice('warning', command ?? '');
  const session = host.session();
  const sent = await sendUndo(host, command);
  if (!sent.ok) return host.notice('warning', sent.message);
  const remaining = remainingSentence(changesOfAnswerLeft(session.log()));
  if (remaining !== undefined)
    host.notice('quiet', `${remaining} /undo takes them back, /undo step the newest of them.`);
};

/** The last thing that was said in words: after a message that was stopped, what was answered before it. */
const answered = (log: readonly Event[]): string | undefined => {
  const last = activePath(log).findLast(
    (event) => event.type === 'assistant_message_added' && event.message.content.trim() !== '',
  );
  return last?.type === 'assistant_message_added' ? last.message.content : undefined;
};

const copy = (host: SlashHost): void => {
  const said = answered(host.session().log()) ?? '';
  if (said === '') host.notice('warning', 'There is no answer yet.');
  else if (said.length > TERMINAL_LIMITS.clipboardCharacters)
    host.notice('warning', 'The answer is too long for the clipboard; /export writes it to a file.');
  else {
    host.copy(said);
    host.notice('quiet', 'Copied, where the terminal allows it.');
  }
};

const exportTo = async (host: SlashHost, argument: string): Promise<void> => {
  if (host.options.exportSession === undefined) throw new Error('Sessions cannot be written here.');
  if (argument === '') host.notice('warning', 'It is /export FILE; .md, .html, .json and .jsonl say the form.');
  else if (
    !host
      .session()
      .log()
      .some(({ type }) => type === 'user_message_added')
  )
    host.notice('quiet', 'Nothing has been said yet, so nothing was written.');
  else host.notice('quiet', await host.options.exportSession(host.session(), argument));
};

export const CONVERSATION_COMMANDS: readonly SlashCommand[] = [
  { ...sharedWords('undo'), waitsForEnd: () => true, perform: undo },
  { name: 'copy', description: 'put the last answer on the clipboard', perform: copy },
  { name: 'export', description: 'write this conversation to a file', argument: 'file.md', perform: exportTo },
];
