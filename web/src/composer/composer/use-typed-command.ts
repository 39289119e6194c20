import type { Command } from '../../../../src/core/events.ts';
import type { Mode } from '../../../../src/core/policy/modes.ts';
import { useApp } from '../../app-context.tsx';
import type { Typed } from '../typed-command.ts';

type Choices = { onChooseModel(model: string): void; onChooseMode(mode: Mode): void; onReview(): void };

const NOTHING_YET = 'Nothing was said here yet, so there is nothing to do that with.';

/** Does what a typed command means. False: it was not taken, which the person was told, and gets the words back. */
export const useTypedCommand = ({ onChooseModel, onChooseMode, onReview }: Choices) => {
  const { sessionId, openSession, send, say } = useApp();
  /** Before the first message there is no session yet, but its mode and its model may be chosen. */
  const choose = (command: Command): boolean => {
    if (command.type === 'change_model') onChooseModel(command.model);
    else if (command.type === 'change_mode') onChooseMode(command.mode);
    else {
      say(NOTHING_YET);
      return false;
    }
    return true;
  };
  return async (typed: Exclude<Typed, { type: 'message' }>): Promise<boolean> => {
    if (typed.type === 'told') {
      say(typed.text);
      return typed.isDone === true;
    }
    if (typed.type === 'review') {
      if (sessionId === undefined) say(NOTHING_YET);
      else onReview();
      return sessionId !== undefined;
    }
    if (typed.type === 'new_session') {
      openSession(undefined);
      return true;
    }
    return sessionId === undefined ? choose(typed.command) : send(typed.command);
  };
};
