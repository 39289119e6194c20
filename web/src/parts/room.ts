/**
 * How much of the window is to be seen. A keyboard on the screen takes of it, and not every browser tells the styles: the
 * page stands in what is left, and `data-short` says that it is little (the variant `short:` of the styles).
 */
import { useSyncExternalStore } from 'react';
import { NARROW, useFits } from './use-fits.ts';

/** Less than this is a phone on its side, or one with its keyboard up. */
const SHORT_PIXELS = 560;
/** What browsers round. */
const ROUNDED_PIXELS = 1;

const listeners = new Set<() => void>();

/** Without what a magnified page hides: that is the person's own choice. */
const seenHeight = (): number => {
  const seen = window.visualViewport;
  return seen ? Math.min(window.innerHeight, seen.height * seen.scale) : window.innerHeight;
};

const look = (): void => {
  const { documentElement: root } = document;
  const height = seenHeight();
  const isCovered = window.innerHeight - height > ROUNDED_PIXELS;
  root.style.setProperty('--seen-height', isCovered ? `${height}px` : '100dvh');
  root.style.setProperty('--seen-top', isCovered ? `${window.visualViewport?.offsetTop ?? 0}px` : '0px');
  root.toggleAttribute('data-short', height < SHORT_PIXELS);
  for (const listener of listeners) listener();
};

/** Once, before the page is drawn. */
export const watchRoom = (): void => {
  look();
  window.addEventListener('resize', look);
  for (const name of ['resize', 'scroll']) window.visualViewport?.addEventListener(name, look);
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useIsShort = (): boolean =>
  useSyncExternalStore(subscribe, () => document.documentElement.hasAttribute('data-short'));

/** Narrow or short. */
export const useLittleRoom = (): boolean => {
  const isNarrow = useFits(NARROW);
  return useIsShort() || isNarrow;
};
