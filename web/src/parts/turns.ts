/**
 * Work that can wait for its turn. However much of the page is to be drawn at once, it is done in short tasks, so that
 * keys, scrolling and what streams are answered between two of them. What is near the view comes first.
 */
import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';

/** How long one task goes on taking turns. A single turn is short by what it is given. */
const TASK_MS = 12;

type Turn = { isNear(): boolean; run(): void };
const waiting = new Set<Turn>();
let isPlanned = false;

const next = (): Turn | undefined => {
  for (const turn of waiting) if (turn.isNear()) return turn;
  for (const turn of waiting) return turn;
  return undefined;
};

const take = (turn: Turn): void => {
  waiting.delete(turn);
  flushSync(turn.run);
};

const work = (): void => {
  isPlanned = false;
  const until = performance.now() + TASK_MS;
  for (let turn = next(); turn && performance.now() < until; turn = next()) take(turn);
  plan();
};

const plan = (): void => {
  if (isPlanned || waiting.size === 0) return;
  isPlanned = true;
  setTimeout(work, 0);
};

/** All of it now, for what needs the whole page. */
export const takeAllTurns = (): void => {
  for (let turn = next(); turn; turn = next()) take(turn);
};

/** Calls `run` once at its turn, while `isWaiting`. */
export const useTurn = (isWaiting: boolean, isNear: boolean, run: () => void): void => {
  const latest = useRef({ isNear, run });
  useEffect(() => {
    latest.current = { isNear, run };
  });
  useEffect(() => {
    if (!isWaiting) return;
    const turn = { isNear: () => latest.current.isNear, run: () => latest.current.run() };
    waiting.add(turn);
    plan();
    return () => void waiting.delete(turn);
  }, [isWaiting]);
};

/** So many may be drawn without a turn between two tasks: what streams comes a few at a time. */
const AT_ONCE = 20;
let drawn = 0;

export const mayDrawAtOnce = (): boolean => {
  if (drawn === 0) setTimeout(() => (drawn = 0), 0);
  drawn += 1;
  return drawn <= AT_ONCE;
};
