/** What becomes of the field when it is sent: a command, or a message with the files and prompts that it names. */
import { useApp } from '../../app-context.tsx';
import type { SendOptions } from '../../shell/use-sending.ts';
import { contentOf, mayNameFiles, withCompanions } from '../attachments.ts';
import { readTyped, type Typed } from '../typed-command.ts';
import type { Draft } from './use-draft.ts';

type Content = ReturnType<typeof contentOf>;
type Props = {
  onSend(content: Content, options?: SendOptions): Promise<boolean>;
  /** False: it was not taken, and the person was told. */
  perform(typed: Exclude<Typed, { type: 'message' }>): Promise<boolean>;
};

/** A message that could not be sent is given back to the person. */
export const useSubmit = (
  { text, setText, pictures, setPictures }: Draft,
  { onSend, perform }: Props,
): { canSend: boolean; submit(): Promise<void> } => {
  const { api, say, documents } = useApp();
  const fresh = documents.list.filter((document) => document.fresh);
  const ready = fresh.filter(({ state }) => state === 'ready');
  const coming = fresh.find(({ state }) => state === 'coming');
  const canSend = text.trim() !== '' || pictures.length + ready.length > 0;
  /** What was written meanwhile stays, below it. */
  const giveBack = (): void => setText((now) => (now.trim() === '' ? text : `${text}\n\n${now}`));

  /** With what it names; undefined where it is a command that is not known, or cannot be read now. */
  const expanded = async (typed: Typed): Promise<{ content: Content; problems: readonly string[] } | undefined> => {
    const answer = await api.input(text);
    if (!answer.ok) {
      say(answer.message);
      return undefined;
    }
    const { content, problems, command } = answer.value;
    if (typed.type === 'message' || command !== undefined) return { content, problems };
    if (typed.type === 'told') say(typed.text);
    return undefined;
  };

  const submit = async (): Promise<void> => {
    if (!canSend) return;
    const typed = readTyped(text);
    if (typed.type !== 'message' && !(typed.type === 'told' && typed.isUnknown)) {
      // What is attached stays for the next message.
      setText('');
      if (!(await perform(typed))) giveBack();
      return;
    }
    if (coming) {
      say(`${coming.name} is still being read. Send the message when it is done, or take the file out.`);
      return;
    }
    setText('');
    setPictures(() => []);
    const giveBackDocuments = documents.take(ready.map(({ name }) => name));
    const beside = contentOf('', pictures, ready);
    let problems: readonly string[] = [];
    const read = async (): Promise<Content | undefined> => {
      const message = await expanded(typed);
      problems = message?.problems ?? [];
      return message && withCompanions(message.content, beside);
    };
    // What it names is read when it is kept already.
    const isRead = typed.type !== 'message' || mayNameFiles(text);
    const isSent = await onSend(withCompanions(text, beside), isRead ? { read } : {});
    if (isSent && problems.length > 0) say(problems.join(' '));
    if (isSent) return;
    giveBack();
    giveBackDocuments();
    setPictures((now) => [...pictures, ...now]);
  };
  return { canSend, submit };
};
