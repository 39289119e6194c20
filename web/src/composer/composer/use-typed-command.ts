import type { Command } from '../../../../src/core/events.ts';
import type { Mode } from '../../../../src/core/policy/modes.ts';
import { useApp } from '../../app-context.tsx';
import type { Typed } from '../typed-command.ts';

type Choices = { onChooseModel(model: string): void; onChooseMode(mode: Mode): void };

/** Does what a typed command means. False: it was not taken, which the person was told, and gets the words back. */
export const useTypedCommand = ({ onChooseModel, onChooseMode }: Choices) => {
  const { sessionId, openSession, send, say } = useApp();
  /** Before the first message there is no session yet, but its mode and its model may be chosen. */
  const choose = (command: Command): boolean => {
    if (command.type === 'change_model') onChooseModel(command.model);
    else if (command.type === 'change_mode') onChooseMode(command.mode);
    else {
      say('Nothing was said here yet, so there is nothing to do that with.');
      return false;
    }
    return true;
  };
  return async (typed: Exclude<Typed, { type: 'message' }>): Promise<boolean> => {
    if (typed.type === 'told') {
      say(typed.text);
      return typed.isDone === true;
    }
    if (typed.type === 'new_session') {
      openSession(undefined);
      return true;
    }
    return sessionId === undefined ? choose(typed.command) : send(typed.command);
  };
};
