/** What is said to a session that goes on is not lost while its server is away. */
import type { Agent, OpenSessionOptions } from '../../agent/create-agent.ts';
import { keepMessage } from '../../agent/session/keep-message.ts';
import { lastSession } from '../../agent/session/open-session.ts';
import { mayPass } from '../../agent/session/waiting-session.ts';
import type { ModelError } from '../../core/model-port.ts';
import { succeed } from '../../core/outcome.ts';
import type { Invocation } from '../command-code.ts';
import type { Reporter } from './reporter.ts';

export type Unsent = { error: ModelError; choice: OpenSessionOptions; reporter: Reporter };

export const keepUnsent = async (
  halter: Agent,
  { flags, io }: Pick<Invocation, 'flags' | 'io'>,
  prompt: string,
  { error, choice, reporter }: Unsent,
): Promise<void> => {
  if (!mayPass(error) || choice.fork || choice.keep === false) return;
  const last = choice.continueLast ? await lastSession(halter.sessions, halter.folder) : succeed(choice.id);
  const id = last.ok ? last.value : undefined;
  if (id === undefined) return;
  const { content } = await halter.userInput.expand(prompt);
  const { sessions, limits, folder } = halter;
  const kept = await keepMessage({ sessions, limits, folder, clock: { now: Date.now } }, id, content, error);
  const message = kept.ok
    ? `Your message is kept in the session ${id} and goes out with the next one.`
    : `Your message is in no session. ${kept.error.message}`;
  if (flags['log-level'] !== 'error') io.stderr.write(`halter: ${message}\n`);
  reporter.line({ type: 'warning', at: Date.now(), code: kept.ok ? 'message_kept' : 'message_not_kept', message });
};
