/** Very many sessions, and a very long one: what the page asks for them, and what it does while one scrolls. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const MESSAGES = 6;
const FIRST_AT = 1_790_000_000_000;

/** As halter would have kept them; one by one through its own files would take minutes. */
export const putSessions = (folder: string, workspace: string, count: number): void => {
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < count; number += 1) {
    const [id, at] = [`many-${number}`, FIRST_AT + number * 1_000];
    const lines: object[] = [
      { type: 'halter_session', version: 1, id, created_at: at },
      { seq: 1, at, type: 'session_started', version: 1, session_id: id, workspace, model: 'openai/test-model' },
    ];
    for (let message = 0; message < MESSAGES; message += 1) {
      const content = `Message ${message} of conversation${number}: ${'some words that people write '.repeat(10)}`;
      lines.push({ seq: message + 2, at: at + message, type: 'user_message_added', content });
    }
    writeFileSync(join(folder, `${id}.jsonl`), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }
};

const median = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;

/** Milliseconds from the question to the read answer, in the page; the first one makes the index and is left out. */
export const asked = async (page: Page, path: string, runs = 9): Promise<number> => {
  const times: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const took = await page.evaluate(`(async () => {
      const began = performance.now();
      const answer = await fetch(${JSON.stringify(path)}, { headers: { authorization: 'Bearer ' + localStorage.getItem('halter key') } });
      await answer.json();
      if (!answer.ok) throw new Error('status ' + answer.status);
      return performance.now() - began;
    })()`);
    if (run > 0) times.push(Number(took));
  }
  return median(times);
};

/** Scrolls towards the beginning, so many pixels each frame. */
export const scrollUp = (page: Page, frames: number, pixels: number): Promise<{ nodes: number; seconds: number }> =>
  page.evaluate(`new Promise((resolve) => {
    const scroller = document.querySelector('[data-scroller]');
    const began = performance.now();
    let left = ${frames};
    const step = () => {
      scroller.scrollTop -= ${pixels};
      left -= 1;
      if (left > 0) requestAnimationFrame(step);
      else resolve({ nodes: document.querySelectorAll('*').length, seconds: (performance.now() - began) / 1000 });
    };
    requestAnimationFrame(step);
  })`) as Promise<{ nodes: number; seconds: number }>;
