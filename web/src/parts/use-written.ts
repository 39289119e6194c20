/**
 * What a person wrote into a field and did not save. It is there again when the field is, after another tab of a dialog,
 * Escape and a reload, until it is saved or taken back.
 */
import { useCallback, useSyncExternalStore } from 'react';
import { inTab } from '../state/browser-store.ts';

const KEY = 'halter written ';

/** By name. `null`: nothing was written. */
const known = new Map<string, unknown>();
/** What only this page holds: secrets, and what the browser had no room for. Before they are lost, the browser asks. */
const onlyHere = new Set<string>();
const listeners = new Set<() => void>();

const stored = (name: string): unknown => {
  try {
    return JSON.parse(inTab.get(KEY + name) ?? 'null');
  } catch {
    return null;
  }
};

const read = (name: string): unknown => {
  if (!known.has(name)) known.set(name, stored(name));
  return known.get(name);
};

/** Whether the browser keeps it through a reload. */
const store = (name: string, value: unknown): boolean => {
  if (value !== null) return inTab.set(KEY + name, JSON.stringify(value));
  inTab.remove(KEY + name);
  return true;
};

const askFirst = (event: BeforeUnloadEvent): void => event.preventDefault();

const write = (name: string, value: unknown, isSecret: boolean): void => {
  known.set(name, value);
  const isKept = isSecret ? value === null : store(name, value);
  if (isKept) onlyHere.delete(name);
  else onlyHere.add(name);
  if (onlyHere.size > 0) window.addEventListener('beforeunload', askFirst);
  else window.removeEventListener('beforeunload', askFirst);
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What stands there belongs to another name from now on; `joined` where something is written under that as well. */
export const moveWritten = <T>(from: string, to: string, joined: (there: T, moved: T) => T): void => {
  const moved = read(from) as T | null;
  if (moved === null) return;
  const there = read(to) as T | null;
  write(to, there === null ? moved : joined(there, moved), false);
  write(from, null, false);
};

/** It was saved. */
export const forgetWritten = (name: string): void => write(name, null, false);

export type Written<T> = {
  value: T;
  set(value: T): void;
  /** The same, also by what stands there at that moment. */
  update(change: T | ((now: T) => T)): void;
  /** It is another than what is saved. */
  isUnsaved: boolean;
  /** It was saved, or is taken back. */
  forget(): void;
};

/** Whether something was written there, for what opens with it. */
export const isWritten = (name: string): boolean => read(name) !== null;

/** `saved`: what stands there where nothing was written. A secret is kept by nothing but this page. */
export const useWritten = <T>(name: string, saved: T, isSecret = false): Written<T> => {
  const written = useSyncExternalStore(subscribe, () => read(name)) as T | null;
  const savedText = JSON.stringify(saved);
  const set = useCallback(
    (value: T): void => write(name, JSON.stringify(value) === savedText ? null : value, isSecret),
    [name, savedText, isSecret],
  );
  const update = useCallback(
    (change: T | ((now: T) => T)): void => {
      const now = (read(name) as T | null) ?? (JSON.parse(savedText) as T);
      set(typeof change === 'function' ? (change as (now: T) => T)(now) : change);
    },
    [name, savedText, set],
  );
  const forget = useCallback((): void => write(name, null, isSecret), [name, isSecret]);
  const isUnsaved = written !== null && JSON.stringify(written) !== savedText;
  return { value: written ?? saved, set, update, isUnsaved, forget };
};
