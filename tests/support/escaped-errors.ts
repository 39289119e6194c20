/** Errors that nobody catches, which would end the process of a program: counted, and no failure of the runner. */
import { afterEach, beforeEach } from 'vitest';

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/** For each test of the file that calls this: what escaped in it so far. */
export const watchEscapedErrors = (): (() => readonly unknown[]) => {
  let escaped: unknown[] = [];
  const note = (error: unknown): void => void escaped.push(error);
  const before = new Map<string, NodeJS.UncaughtExceptionListener[]>();
  // The runner's own listeners would end the test before it can say what came.
  beforeEach(() => {
    escaped = [];
    for (const event of EVENTS) {
      before.set(event, process.listeners(event as 'uncaughtException'));
      process.removeAllListeners(event);
      process.on(event, note);
    }
  });
  afterEach(() => {
    for (const event of EVENTS) {
      process.removeAllListeners(event);
      for (const listener of before.get(event) ?? []) process.on(event, listener);
    }
  });
  return () => escaped;
};
