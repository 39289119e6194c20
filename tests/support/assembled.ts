/** A halter for a test: put together as the program does it, in folders of its own, closed when the test has finished. */

import { expect, onTestFinished } from 'vitest';
import type { Agent, OpenSessionOptions } from '../../src/agent/create-agent.ts';
import type { OpenSession } from '../../src/agent/session.ts';
import type { Event, SessionFace } from '../../src/core/events.ts';
import { openTestAgent, type TestAgentOptions } from '../../src/testing/test-agent.ts';
import { scratchFolder } from './scratch.ts';

/** `environment` adds to a home folder that is empty. */
export const assembled = async (options: Partial<TestAgentOptions> = {}): Promise<Agent> => {
  const opened = await openTestAgent({
    folder: scratchFolder(),
    platform: 'linux',
    model: 'test-model',
    onWarning: () => {},
    ...options,
    environment: { HOME: scratchFolder(), ...options.environment },
  });
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.close());
  return opened.value;
};

export const openedSession = async (halter: Agent, options: OpenSessionOptions = {}): Promise<OpenSession> => {
  const opened = await halter.openSession(options);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
};

/** Sends a message and waits until nothing goes on any more. */
export const say = async (session: SessionFace, content = 'go'): Promise<void> => {
  expect(await session.send({ type: 'send_message', content })).toEqual({ ok: true });
  await session.idle();
};

/** Resolves with the first event of this type that comes from now on. */
export const nextEvent = <T extends Event['type']>(
  session: SessionFace,
  type: T,
): Promise<Extract<Event, { type: T }>> =>
  new Promise((resolve) => {
    const stop = session.subscribe((update) => {
      if (update.seq === undefined || update.type !== type) return;
      stop();
      resolve(update as Extract<Event, { type: T }>);
    });
  });
