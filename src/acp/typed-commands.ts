/** What a person types into an editor as a command: done here, and answered in words; it never reaches the model. */
import type { AvailableCommand } from '@agentclientprotocol/sdk';
import { changesOfAnswerLeft, remainingSentence, undoneSentence, undoneTogether } from '../core/changes.ts';
import type { Command, Event, SessionFace } from '../core/events.ts';
import { SESSION_COMMANDS, sessionCommand, type TypedWords } from '../core/typed-command.ts';
import { compactionSentence } from '../core/window/compaction-text.ts';

/** An editor shows an answer as one to its own prompt, and has its own way to choose a mode. */
const LEFT_OUT: readonly string[] = ['regenerate', 'mode'];
const HERE = SESSION_COMMANDS.filter(({ name }) => !LEFT_OUT.includes(name));

/** What the editor offers for completion. */
export const availableCommands = (): AvailableCommand[] =>
  HERE.map(({ name, description, argument }) => ({
    name,
    description,
    ...(argument ? { input: { hint: argument } } : {}),
  }));

/** Resolves with the words that answer it. */
export const performTyped = async (face: SessionFace, typed: TypedWords, signal: AbortSignal): Promise<string> => {
  const command = HERE.some(({ name }) => name === typed.name) ? sessionCommand(typed) : undefined;
  if (typeof command === 'string') return command;
  if (command === undefined) {
    const names = HERE.map(({ name }) => `/${name}`).join(', ');
    return `There is no command /${typed.name} here: ${names}. With a blank in front it is sent as a message.`;
  }
  const cancel = (): void => void face.send({ type: 'cancel' });
  signal.addEventListener('abort', cancel, { once: true });
  const before = face.log().length;
  try {
    const done = await face.send(command);
    if (!done.ok) return [undoneTogether(undoneIn(face.log().slice(before))) ?? [], done.message].flat().join(' ');
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  return doneText(command.type, face.log(), before);
};

const undoneIn = (events: readonly Event[]) => events.filter((event) => event.type === 'change_undone');

const doneText = (done: Command['type'], log: readonly Event[], before: number): string => {
  const compacted = done === 'compact' ? log.findLast((event) => event.type === 'context_compacted') : undefined;
  if (compacted?.type === 'context_compacted') return compactionSentence(compacted);
  const undone = done === 'undo' ? undoneIn(log.slice(before)) : [];
  const last = undone.at(-1);
  if (last === undefined) return 'Done.';
  const remaining = remainingSentence(changesOfAnswerLeft(log));
  const told = undoneTogether(undone) ?? undoneSentence(last);
  return [told, ...(remaining ? [`${remaining} /undo takes them back, /undo step the newest of them.`] : [])].join(' ');
};
